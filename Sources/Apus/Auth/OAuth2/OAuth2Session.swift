/// Keeps requests authorized by OAuth 2: with a stored token, a refreshed one, or a
/// new one.
///
/// ```swift
/// let session = OAuth2Session(client, store: FileTokenStore(path: file)) {
///     try await $0.clientCredentials()
/// }
/// let provider = Provider<API>(interceptors: [session.interceptor])
/// ```
public final class OAuth2Session: Sendable {
    /// Gets a token where no refresh token helps; it may ask a person.
    public typealias Grant = @Sendable (OAuth2Client) async throws -> OAuth2Token

    /// The token that requests carry, refreshed when it has to be.
    public let refresher: TokenRefresher
    private let store: any OAuth2TokenStore

    /// Makes a session; nothing is read before the first request.
    ///
    /// - Parameters:
    ///   - client: talks to the authorization server.
    ///   - store: where the token is kept.
    ///   - account: whose it is, for caches, as in `TokenRefresher`.
    ///   - leeway: a token is replaced so long before it ends.
    ///   - grant: gets a token where there is none; nil fails with
    ///     `.authorization(.noToken)`.
    public init(
        _ client: OAuth2Client,
        store: any OAuth2TokenStore = MemoryTokenStore(),
        account: String? = nil,
        leeway: Duration = .seconds(30),
        grant: Grant? = nil
    ) {
        self.store = store
        let renewal = OAuth2Renewal(client: client, store: store, leeway: leeway, grant: grant)
        refresher = TokenRefresher(account: account, leeway: leeway, now: client.now) { old, _ in
            try await renewal.token(after: old)
        }
    }

    /// What makes a provider's requests carry the token.
    public var interceptor: RefreshInterceptor { RefreshInterceptor(refresher) }

    /// Keeps a token that was got in another way; `account` says whose it is, to caches.
    public func signIn(_ token: OAuth2Token, account: String? = nil) async throws {
        try await store.save(token)
        refresher.token = token.access
        if let account { refresher.account = account }
    }

    /// Forgets the token.
    public func signOut() async throws {
        refresher.token = nil
        try await store.save(nil)
    }
}
