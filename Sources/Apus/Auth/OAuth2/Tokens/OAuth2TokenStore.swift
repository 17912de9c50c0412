/// Where a token is kept between requests, and between runs.
public protocol OAuth2TokenStore: Sendable {
    /// The token that was saved last; nil if there is none.
    func load() async throws -> OAuth2Token?
    /// Keeps a token in place of the last one; nil forgets it.
    func save(_ token: OAuth2Token?) async throws
}
