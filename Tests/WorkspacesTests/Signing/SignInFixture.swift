import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport

@testable import Workspaces

/// An authorization server, a workspace that signs in there, and somebody who does what is asked.
final class SignInFixture: Sendable {
    let server: AuthorizationServer
    let folder = TemporaryFolder("workspace", "state")
    private let allSteps = Mutex<[SignInStep]>([])
    private let ended = Mutex(0)
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    private let asked = AsyncStream<SignInStep>.makeStream()

    init(_ change: (inout AuthorizationServer.Behavior) -> Void = { _ in }) throws {
        server = try AuthorizationServer(change)
    }

    /// What was asked, in order.
    var steps: [SignInStep] { allSteps.withLock { $0 } }
    /// How often a wait has ended.
    var endCount: Int { ended.withLock { $0 } }

    var tokens: String { "\(folder.path)/state/sign-ins" }

    /// Lets time pass.
    func wait(_ seconds: Double) { date.withLock { $0.addTimeInterval(seconds) } }

    /// The next thing that is asked of a person.
    func nextStep() async -> SignInStep? { await asked.stream.first { _ in true } }

    /// Sign-ins as a process of its own has them; with `visits` somebody goes where the page leads.
    func signIns(visits: Bool = true, refusal: String? = nil) -> SignIns {
        SignIns(
            folder: tokens,
            prompt: SignInPrompt(
                refusal: { _ in refusal },
                show: { [self] _, step in
                    allSteps.withLock { $0.append(step) }
                    asked.continuation.yield(step)
                    guard visits, case .page(let url, _) = step else { return }
                    Task {
                        _ = try await Provider<MultiTarget>().response(for: QuickTarget(.get, url))
                    }
                },
                end: { [self] _ in ended.withLock { $0 += 1 } }
            ),
            now: { [self] in date.withLock { $0 } },
            clock: InstantClock()
        )
    }

    func provider(_ signIns: SignIns) -> Provider<MultiTarget> {
        Provider(headerFields: [:], interceptors: [RequestSigner(signIns: signIns)])
    }

    /// A target of a workspace in a file with this `oauth2`.
    func target(
        _ oauth2: String,
        environment: String = "one",
        secret: String = "cl1ent-s3cret",
        request: String = "GET /api"
    ) throws -> WorkspaceTarget {
        let text = """
            environments:
              one: { baseURL: "\(server.url)" }
              two: { baseURL: "\(server.url)" }
            targets:
              A:
                request: \(request)
                auth: { oauth2: { tokenURL: "\(server.url)/token", clientID: me, \(oauth2) } }
            """
        let path = "\(folder.path)/workspace/a.apus.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let workspace = try Workspace.load(
            path: path,
            secrets: SecretReader(
                environmentVariable: { $0 == "SECRET" ? secret : nil },
                file: { _ throws(FileReadError) in throw FileReadError(detail: "does not exist") }
            )
        )
        return try workspace.sent("A", in: environment)
    }

    static let client =
        "grant: clientCredentials, clientSecret: { env: SECRET }, scope: [read, write]"
    static let password = "grant: password, username: ada, password: l0velace"
    var code: String { "grant: authorizationCode, authorizationURL: \"\(server.url)/authorize\"" }
    var device: String { "grant: deviceCode, deviceURL: \"\(server.url)/device\"" }
}

/// A clock that does not let anybody wait.
struct InstantClock: Clock {
    typealias Instant = ContinuousClock.Instant

    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // A person's time limit does not run out in a test; a pause between two requests is none.
        if deadline - now > .seconds(100) {
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
        }
        try Task.checkCancellation()
        await Task.yield()
    }
}

extension WorkspaceTarget {
    var plan: SignInPlan? { signing?.signIn }
}
