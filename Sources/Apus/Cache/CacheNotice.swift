/// Something that a cache could not do as it should, and went on without.
public enum CacheNotice: Sendable, Hashable, CustomStringConvertible {
    /// Why a file was set aside.
    public enum SetAsideReason: Sendable, Hashable {
        /// SQLite cannot read it.
        case corrupt(detail: String)
        /// A later Apus wrote it.
        case newer(version: Int)
    }

    /// The file at `path` could not be used: it stands at `to` now, and a new
    /// one was begun.
    case setAside(path: String, to: String, SetAsideReason)
    /// Entries could not be written to disk, for example because it is full.
    case writeFailed(detail: String)
    /// The disk could not be read.
    case readFailed(detail: String)
    /// So many entries were removed from disk, because they had expired long ago or others
    /// needed their room.
    case cleaned(Int)
    /// A damaged entry was removed.
    case removedCorrupt(CacheKey, detail: String)

    /// What happened, in words for people.
    public var description: String {
        switch self {
        // What was done comes first: a status line may have room for no more.
        case .setAside(let path, let to, .corrupt(let detail)):
            "The cache is damaged: set aside as \(Self.name(of: to)), a new one begun (\(path): \(detail))."
        case .setAside(let path, let to, .newer(let version)):
            "The cache is of a newer version (\(version)): set aside as \(Self.name(of: to)), a new one begun (\(path))."
        case .writeFailed(let detail): "The cache could not be written: \(detail)."
        case .readFailed(let detail): "The cache could not be read: \(detail)."
        case .cleaned(let count):
            "\(count) \(count == 1 ? "entry was" : "entries were") removed from the cache to make room."
        case .removedCorrupt(let key, let detail):
            "A damaged entry was removed from the cache (\(detail)): \(key)."
        }
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? path[...]
    }
}
