import Documents
import FoundationEssentials
import Glibc

/// Keeps a token in a file of JSON that only its owner may read.
///
/// A new one takes the old one's place in one step, so that no crash leaves half a
/// token.
public struct FileTokenStore: OAuth2TokenStore {
    /// The file's path.
    public let path: String

    /// Names the file; folders that are missing are made when it is written.
    public init(path: String) { self.path = path }

    /// Reads the token; the file is closed to others by it.
    ///
    /// - Throws: `ApusError`: `.file`, also for a file of another user's, or `.authorization(.unreadableStore)` for a file
    ///   that holds no token.
    @concurrent
    public func load() async throws -> OAuth2Token? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = try PrivateFiles.read(path)
        // The decoder's error may quote the file.
        guard let token = try? DocumentDecoder().decode(OAuth2Token.self, from: bytes) else {
            throw ApusError(.unreadableStore(detail: "\(path) holds no token"))
        }
        return token
    }

    /// Writes the token; nil removes the file.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    @concurrent
    public func save(_ token: OAuth2Token?) async throws {
        guard let token else { return PrivateFiles.remove(path) }
        let bytes = Array(try JSONEncoder().encode(token))
        do throws(PrivateFiles.Fault) {
            try PrivateFiles.replace(path, with: bytes)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }
}
