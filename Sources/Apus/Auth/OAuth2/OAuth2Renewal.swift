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
