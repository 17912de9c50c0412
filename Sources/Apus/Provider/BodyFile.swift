import Glibc

/// A file that holds an answer's body.
///
/// A spooled file is removed when nothing refers to it any more; a file that
/// the user asked for (a download) or that the cache owns stays.
public final class BodyFile: Sendable, Hashable {
    /// Whose file it is.
    public enum Ownership: Sendable, Hashable {
        /// Ours, for as long as this value lives.
        case temporary
        /// Somebody else's; it is never removed by this value.
        case borrowed
    }

    /// The file's path.
    public let path: String
    /// How many bytes it holds.
    public let count: Int
    /// Whose it is.
    public let ownership: Ownership

    /// Refers to a file.
    public init(path: String, count: Int, ownership: Ownership) {
        self.path = path
        self.count = count
        self.ownership = ownership
    }

    deinit {
        if ownership == .temporary { unlink(path) }
    }

    /// All bytes of the file.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    public func load() throws(ApusError) -> [UInt8] {
        try FileBytes.read(path)
    }

    /// Whether two values name the same file.
    public static func == (a: BodyFile, b: BodyFile) -> Bool {
        a.path == b.path && a.count == b.count
    }
    /// Hashes the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
