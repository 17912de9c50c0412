/// Where an answer came from.
public enum ResponseSource: Sendable, Hashable {
    /// The server, just now.
    case server
    /// The cache in this process's memory.
    case memory(CacheHit)
    /// The cache on disk.
    case disk(CacheHit)
    /// The cache itself: a 504, because the request says `only-if-cached` and the cache has
    /// nothing that it may serve.
    case gateway
    /// A stub.
    case stub
    /// A recorded session.
    case replay
    /// A plugin, which made it of a failure; the original answer, if there was
    /// one, is in the error.
    indirect case synthetic(ApusError)

    /// What the cache knew of the entry, if it came from there.
    public var cacheHit: CacheHit? {
        switch self {
        case .memory(let hit), .disk(let hit): hit
        case .server, .gateway, .stub, .replay, .synthetic: nil
        }
    }
}
