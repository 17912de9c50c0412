package import Apus
package import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// The sign-ins of a process: one session for each key, whichever targets use it.
package final class SignIns: Sendable {
    /// How long a person has to sign in with a browser.
    static let patience = Duration.seconds(300)

    private let folder: String
    private let transport: any Transport
    private let prompt: SignInPrompt
    private let now: @Sendable () -> Date
    private let clock: any Clock<Duration>
    private let sessions = Mutex<[SignInKey: SignInSession]>([:])

    /// Makes a registry.
    ///
    /// - Parameters:
    ///   - folder: where the tokens are kept.
    ///   - transport: sends requests to authorization servers.
    ///   - prompt: asks a person.
    ///   - now: returns the time.
    ///   - clock: measures pauses and time limits.
    package init(
        folder: String = SignIns.standardFolder,
        transport: any Transport = CurlTransport(),
        prompt: SignInPrompt,
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.folder = folder
        self.transport = transport
        self.prompt = prompt
        self.now = now
        self.clock = clock
    }

    /// `sign-ins` in the state folder.
    package static var standardFolder: String { "\(StandardFolders.state)/sign-ins" }

    /// Who is signed in; nil if nobody is.
    ///
    /// - Throws: `ApusError` if the file cannot be read.
    package func status(of plan: SignInPlan) async throws -> SignInStatus? {
        try await session(for: plan).status()
    }

    /// Obtains a new token, whatever there is already.
    ///
    /// - Throws: `ApusError`, as the authorization server or the person has it.
    @discardableResult
    package func signIn(_ plan: SignInPlan) async throws -> SignInStatus {
        try await session(for: plan).signIn()
    }

    /// Forgets the token here and on disk.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func signOut(_ plan: SignInPlan) async throws -> Bool {
        try await session(for: plan).signOut()
    }

    /// Ends the wait for a person, if any; requests that wait for it are cancelled.
    package func cancel(_ key: SignInKey) { sessions.withLock { $0[key] }?.cancel() }

    /// Removes the tokens of all workspaces from disk.
    ///
    /// - Returns: how many there were.
    package static func removeAll(in folder: String = SignIns.standardFolder) -> Int {
        let names = Folders.names(in: folder, exceptFolders: true)
        return names.count { unlink("\(folder)/\($0)") == 0 && $0.hasSuffix(".json") }
    }

    func session(for plan: SignInPlan) -> SignInSession {
        sessions.withLock { sessions in
            // A secret that has been corrected makes another session; both find the same token on disk.
            if let session = sessions[plan.key], session.isFor(plan) { return session }
            let session = SignInSession(
                plan,
                store: SignInFile(path: "\(folder)/\(plan.key.text).json"),
                transport: transport,
                prompt: prompt,
                now: now,
                clock: clock
            )
            sessions[plan.key] = session
            return session
        }
    }
}

/// A sign-in, with the token that its requests carry.
final class SignInSession: Sendable {
    private let plan: SignInPlan
    private let store: SignInFile
    private let session: OAuth2Session
    private let client: OAuth2Client
    private let granting: Granting
    private let prompt: SignInPrompt

    init(
        _ plan: SignInPlan,
        store: SignInFile,
        transport: any Transport,
        prompt: SignInPrompt,
        now: @escaping @Sendable () -> Date,
        clock: any Clock<Duration>
    ) {
        (self.plan, self.store, self.prompt) = (plan, store, prompt)
        client = OAuth2Client(
            plan.configuration,
            transport: transport,
            options: plan.options,
            now: now
        )
        let granting = Granting(plan, prompt, now: now, clock: clock)
        self.granting = granting
        session = OAuth2Session(
            client,
            store: ReportingStore(store: store, plan: plan, report: prompt.report),
            account: store.currentAccount
        ) { try await granting.token($0) }
    }

    /// Whether it sends the same credentials as a plan.
    func isFor(_ other: SignInPlan) -> Bool {
        plan.configuration == other.configuration && plan.password == other.password
    }

    func status() async throws -> SignInStatus? {
        try await store.load().map { SignInStatus($0, of: plan) }
    }

    func signIn() async throws -> SignInStatus {
        let token = try await granting.token(client)
        try await session.signIn(token, account: store.beginAccount())
        return SignInStatus(token, of: plan)
    }

    func signOut() async throws -> Bool {
        // What cannot be read is to be removed all the more.
        let wasSignedIn = (try? await store.load()) != nil
        let account = store.beginAccount()
        try await session.signOut()
        session.refresher.account = account
        return wasSignedIn
    }

    func cancel() { granting.cancel() }

    /// Adds the token to requests; refreshes it when it has expired or was refused.
    var interceptor: RefreshInterceptor {
        RefreshInterceptor(session.refresher) { [self] in
            // A refused token alone is no reason to send a person to a browser.
            guard plan.grant.asksPerson else { return true }
            return (try? await status())?.isRefreshable ?? true
        } apply: { token, request throws(ApusError) in
            request.head.headerFields[.authorization] =
                try AccessTokenScheme.bearer.fieldValue(for: token.value)
            // A response may repeat it.
            request.options.secretTexts.insert(token.value)
        }
    }
}

/// Tells who is signed in with each token that is stored.
private struct ReportingStore: OAuth2TokenStore {
    let store: SignInFile
    let plan: SignInPlan
    let report: @Sendable (SignInPlan, SignInStatus?) -> Void

    func load() async throws -> OAuth2Token? { try await store.load() }

    func save(_ token: OAuth2Token?) async throws {
        do {
            try await store.save(token)
        } catch {
            // What needs nobody can be obtained again in the next run, as on a machine without a home.
            if plan.grant.asksPerson { throw error }
        }
        report(plan, token.map { SignInStatus($0, of: plan) })
    }
}

/// Obtains first tokens, one at a time: all that ask meanwhile share it.
private final class Granting: Sendable {
    private let plan: SignInPlan
    private let prompt: SignInPrompt
    private let now: @Sendable () -> Date
    private let clock: any Clock<Duration>
    private let flights = SingleFlight<Int, Result<OAuth2Token, ApusError>, Never>()
    private let running = Mutex<Task<OAuth2Token, any Error>?>(nil)

    init(
        _ plan: SignInPlan,
        _ prompt: SignInPrompt,
        now: @escaping @Sendable () -> Date,
        clock: any Clock<Duration>
    ) {
        (self.plan, self.prompt, self.now, self.clock) = (plan, prompt, now, clock)
    }

    func token(_ client: OAuth2Client) async throws(ApusError) -> OAuth2Token {
        let arrival = await flights.value(for: 0) {
            { [self] _ in
                let task = Task { try await obtain(client) }
                running.withLock { $0 = task }
                defer { running.withLock { $0 = nil } }
                return await withTaskCancellationHandler {
                    do {
                        return .success(try await task.value)
                    } catch {
                        return .failure(error as? ApusError ?? ApusError(.cancelled))
                    }
                } onCancel: {
                    task.cancel()
                }
            }
        }
        guard let arrival else { throw ApusError(.cancelled) }
        return try arrival.value.get()
    }

    func cancel() { running.withLock { $0 }?.cancel() }

    private func obtain(_ client: OAuth2Client) async throws -> OAuth2Token {
        switch plan.grant {
        case .clientCredentials: return try await client.clientCredentials()
        case .password:
            return try await client.password(
                user: plan.user ?? "",
                password: plan.password ?? Apus.Secret("")
            )
        case .authorizationCode, .deviceCode: break
        }
        if let refusal = prompt.refusal(plan) { throw ApusError(.vetoed(reason: refusal)) }
        defer { prompt.end(plan) }
        guard plan.grant == .deviceCode else {
            let until = now().addingTimeInterval(SignIns.patience / .seconds(1))
            return try await client.authorizationCode(
                host: plan.redirect.host,
                port: plan.redirect.port,
                path: plan.redirect.path,
                timeout: SignIns.patience,
                clock: clock
            ) { [plan, prompt] in prompt.show(plan, .page(url: $0, until: until)) }
        }
        let device = try await client.deviceAuthorization()
        let step = SignInStep.code(
            device.userCode,
            page: device.page,
            completePage: device.completePage,
            until: device.expires
        )
        prompt.show(plan, step)
        return try await client.token(for: device, clock: clock)
    }
}
