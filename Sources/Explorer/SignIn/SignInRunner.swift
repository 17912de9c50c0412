import Apus
import Terminal
import Workspaces

/// Signs in and out, and signs requests.
@MainActor
final class SignInRunner {
    /// Adds credentials to the requests of a provider.
    let interceptors: [any Interceptor]
    private let signIns: SignIns
    private let send: @Sendable (SignInMessage) -> Void
    private var tasks: [SignInKey: Task<Void, Never>] = [:]

    init(
        _ transport: any Transport,
        folder: String = SignIns.standardFolder,
        opensBrowser: Bool = true,
        send: @escaping @Sendable (SignInMessage) -> Void
    ) {
        self.send = send
        signIns = SignIns(
            folder: folder,
            transport: transport,
            prompt: SignInPrompt(
                show: { plan, step in
                    send(.asked(plan, step))
                    // A code is for any device, and the page may be for another one.
                    if opensBrowser, case .page(let url, _) = step { Browser.open(url) }
                },
                end: { send(.answered($0.key)) },
                report: { send(.status($0.key, $1)) }
            )
        )
        interceptors = [RequestSigner(signIns: signIns)]
    }

    func perform(_ effect: SignInEffect) {
        switch effect {
        case .look(let plan):
            start(plan.key) { signIns, send in
                send(.status(plan.key, try await signIns.status(of: plan)))
            }
        case .signIn(let plan):
            start(plan.key) { signIns, send in
                send(.signedIn(plan.key, try await signIns.signIn(plan)))
            }
        case .signOut(let plan):
            start(plan.key) { signIns, send in
                let wasSignedIn = try await signIns.signOut(plan)
                send(.signedOut(plan.key, wasSignedIn: wasSignedIn))
            }
        case .cancel(let key): signIns.cancel(key)
        case .open(let url): Browser.open(url)
        }
    }

    func cancel() { for task in tasks.values { task.cancel() } }

    /// Does one thing after the other with each sign-in.
    private func start(
        _ key: SignInKey,
        _ work:
            @escaping @Sendable (SignIns, @Sendable (SignInMessage) -> Void) async throws -> Void
    ) {
        tasks[key] = Task.detached { [signIns, send, before = tasks[key]] in
            await before?.value
            do {
                try await work(signIns, send)
            } catch {
                guard !Task.isCancelled else { return }
                send(.failed(Self.words(for: error)))
            }
        }
    }

    private nonisolated static func words(for error: any Error) -> String {
        guard let error = error as? ApusError else { return "\(error)" }
        if case .cancelled = error.reason { return "not signed in: cancelled" }
        return "not signed in: \(error.workspaceMessage)"
    }
}

extension AnyProvider {
    /// The request that would be sent for a target, to be shown or copied: a mask stands for credentials that are
    /// obtained while it is sent.
    func shownRequest(for resolved: ResolvedTarget) async throws(ApusError) -> PreparedRequest {
        var request = try await preparedRequest(for: resolved.target)
        resolved.signing?.addPlaceholder(to: &request)
        return request
    }
}

extension ResolvedTarget {
    /// How its request gets credentials while it is sent; nil if it has them already, or needs none.
    var signing: RequestSigning? { target.signedCredentials as? RequestSigning }
}
