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

/// Gets the next token of a session.
struct OAuth2Renewal: Sendable {
    let client: OAuth2Client
    let store: any OAuth2TokenStore
    let leeway: Duration
    let grant: OAuth2Session.Grant?

    /// The stored token if it is another and good, as after another process has
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
                // Left out when nothing has changed (RFC 6749 section 5.1).
                token.scopes = token.scopes ?? stored.scopes
                token.identityToken = token.identityToken ?? stored.identityToken
                return token
            } catch {
                guard case .authorization(.refused(let refusal)) = error.reason,
                    refusal.code == "invalid_grant"
                else { throw error }
                // It will never work again: the next request must not try it.
                try await store.save(nil)
                if grant == nil { throw error }
            }
        }
        guard let grant else { throw ApusError(.noToken) }
        return try await grant(client)
    }
}
