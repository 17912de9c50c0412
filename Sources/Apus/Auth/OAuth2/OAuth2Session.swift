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
    private let store: any OAuth2TokenStore

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
        self.store = store
        let renewal = OAuth2Renewal(client: client, store: store, leeway: leeway, grant: grant)
        refresher = TokenRefresher(account: account, leeway: leeway, now: client.now) { old, _ in
            try await renewal.token(after: old)
        }
    }

    /// The interceptor that adds the token to a provider's requests.
    public var interceptor: RefreshInterceptor { RefreshInterceptor(refresher) }

    /// Stores a token that was obtained in another way; `account` is its owner, for cache keys.
    public func signIn(_ token: OAuth2Token, account: String? = nil) async throws {
        try await store.save(token)
        refresher.token = token.access
        if let account { refresher.account = account }
    }

    /// Removes the token from memory and from the store.
    public func signOut() async throws {
        refresher.token = nil
        try await store.save(nil)
    }
}

/// Obtains the next token of a session.
struct OAuth2Renewal: Sendable {
    let client: OAuth2Client
    let store: any OAuth2TokenStore
    let leeway: Duration
    let grant: OAuth2Session.Grant?

    /// The stored token if it differs from the old one and is good, for example because another process has
    /// renewed it; else a new one.
    func token(after old: AccessToken?) async throws -> AccessToken {
        let stored = try await store.load()
        if let stored, stored.accessToken != old?.value,
            stored.access.isGood(at: client.now(), leeway: leeway)
        {
            return stored.access
        }
        let new = try await renewed(stored)
        try await store.save(new)
        return new.access
    }

    private func renewed(_ stored: OAuth2Token?) async throws -> OAuth2Token {
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
                try await store.save(nil)
                if grant == nil { throw error }
            }
        }
        guard let grant else { throw ApusError(.noToken) }
        return try await grant(client)
    }
}
