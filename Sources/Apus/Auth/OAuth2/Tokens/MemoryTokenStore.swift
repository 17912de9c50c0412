import Synchronization

/// Keeps a token for the life of the process.
public final class MemoryTokenStore: OAuth2TokenStore {
    private let token: Mutex<OAuth2Token?>

    /// Makes a store that holds a token, or none.
    public init(_ token: OAuth2Token? = nil) { self.token = Mutex(token) }

    /// The token.
    public func load() async -> OAuth2Token? { token.withLock { $0 } }

    /// Keeps a token.
    public func save(_ token: OAuth2Token?) async { self.token.withLock { $0 = token } }
}
