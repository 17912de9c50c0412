import Synchronization

/// Authorizes requests with OAuth 2: with a stored token, a refreshed one or a new one.
///
/// ```swift
/// let session = OAuth2Session(client, store: FileTokenStore(path: file)) {
///     try await $0.clientCredentials()
/// }
/// let provider = Provider<API>(interceptors: [session.interceptor])
/// ```
public final class OAuth2Session: Sendable {
    /// Obtains a token when refreshing is not possible; it may ask a person to sign in.
    public typealias Grant = @Sendable (OAuth2Client) async throws -> OAuth2Token

    /// Holds the token that requests carry, and refreshes it when needed.
    public let refresher: TokenRefresher
    private let store: SessionStore

    /// Creates a session; the store is not read before the first request.
    ///
    /// - Parameters:
    ///   - client: talks to the authorization server.
    ///   - store: keeps the token.
    ///   - account: the owner of the token, for cache keys, as in `TokenRefresher`.
    ///   - leeway: how long before its expiry a token is replaced.
    ///   - grant: obtains a token if there is none; nil fails with `.authorization(.noToken)`.
    public init(
        _ client: OAuth2Client,
        store: any OAuth2TokenStore = MemoryTokenStore(),
        account: String? = nil,
        leeway: Duration = .seconds(30),
        grant: Grant? = nil
    ) {
        let store = SessionStore(store)
        self.store = store
        let renewal = OAuth2Renewal(client: client, store: store, leeway: leeway, grant: grant)
        refresher = TokenRefresher(account: account, leeway: leeway, now: client.now) { old, _ in
            try await renewal.token(after: old)
        }
    }

    /// The interceptor that adds the token to a provider's requests.
    public var interceptor: RefreshInterceptor { RefreshInterceptor(refresher) }

    /// Stores a token that was obtained elsewhere; `account` is its owner, for cache keys.
    ///
    /// The result of a refresh that is running then is dropped.
    public func signIn(_ token: OAuth2Token, account: String? = nil) async throws {
        try await store.replace(with: token) { [refresher] in
            refresher.replaceToken(by: token.access, of: account)
        }
    }

    /// Removes the token from memory and from the store.
    ///
    /// The result of a refresh that is running then is dropped.
    public func signOut() async throws {
        refresher.token = nil
        // Again with the store, because a request may have found the stored token until then.
        try await store.replace(with: nil) { [refresher] in refresher.token = nil }
    }
}

/// The token store of a session, used by one task at a time.
///
/// A renewal does not undo what somebody has stored by signing in or out while it ran.
final class SessionStore: Sendable {
    private let store: any OAuth2TokenStore
    private let semaphore = AsyncSemaphore(1)
    /// Counts how often somebody has signed in or out.
    private let session = Mutex(0)

    init(_ store: any OAuth2TokenStore) { self.store = store }

    /// The stored token, with the number of the session that it belongs to.
    func load() async throws -> (token: OAuth2Token?, session: Int) {
        try await exclusively { [self] in (try await store.load(), session.withLock { $0 }) }
    }

    /// Saves the result of a renewal; throws `.cancelled` if its session has ended.
    func save(_ token: OAuth2Token?, in session: Int) async throws {
        try await exclusively { [self] in
            guard self.session.withLock({ $0 }) == session else { throw ApusError(.cancelled) }
            try await store.save(token)
        }
    }

    /// Begins another session with its token, or with none.
    ///
    /// `then` is called after saving, before anybody can load the token.
    func replace(
        with token: OAuth2Token?,
        then: @escaping @Sendable () -> Void
    ) async throws {
        try await exclusively { [self] in
            session.withLock { $0 += 1 }
            try await store.save(token)
            then()
        }
    }

    private func exclusively<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // In a task of its own, because a cancelled one must still store what replaces a used refresh token.
        let task = Task {
            _ = await semaphore.wait()
            defer { semaphore.signal() }
            return try await work()
        }
        return try await task.value
    }
}

/// Obtains the next token of a session.
struct OAuth2Renewal: Sendable {
    let client: OAuth2Client
    let store: SessionStore
    let leeway: Duration
    let grant: OAuth2Session.Grant?

    /// The stored token if it differs from the old one and is good, for example because another process has
    /// renewed it; else a new one.
    func token(after old: AccessToken?) async throws -> AccessToken {
        let (stored, session) = try await store.load()
        if let stored, stored.accessToken != old?.value,
            stored.access.isGood(at: client.now(), leeway: leeway)
        {
            return stored.access
        }
        let new = try await renewed(stored, in: session)
        try await store.save(new, in: session)
        return new.access
    }

    private func renewed(_ stored: OAuth2Token?, in session: Int) async throws -> OAuth2Token {
        if let stored, let refreshToken = stored.refreshToken {
            do throws(ApusError) {
                var token = try await client.refresh(refreshToken)
                // The server leaves them out if nothing has changed (RFC 6749 section 5.1).
                token.scopes = token.scopes ?? stored.scopes
                token.identityToken = token.identityToken ?? stored.identityToken
                return token
            } catch {
                guard case .authorization(.refused(let refusal)) = error.reason,
                    refusal.code == "invalid_grant"
                else { throw error }
                // The refresh token will never work again, so no later request should try it.
                try await store.save(nil, in: session)
                if grant == nil { throw error }
            }
        }
        guard let grant else { throw ApusError(.noToken) }
        return try await grant(client)
    }
}
