public import FoundationEssentials

/// Where an answer came from.
public enum ResponseSource: Sendable, Hashable {
    /// The server, just now.
    case server
    /// The cache in this process's memory.
    case memory(CacheHit)
    /// The cache on disk.
    case disk(CacheHit)
    /// A stub.
    case stub
    /// A recorded session.
    case replay

    /// What the cache knew of the entry, if it came from there.
    public var cacheHit: CacheHit? {
        switch self {
        case .memory(let hit), .disk(let hit): hit
        case .server, .stub, .replay: nil
        }
    }
}

/// What a cache knew of the entry that it answered with.
public struct CacheHit: Sendable, Hashable {
    /// The entry's key.
    public let key: CacheKey
    /// When it was stored.
    public let stored: Date
    /// When it stops being served; nil for never.
    public let expires: Date?
    /// When it was asked for, by the cache's clock.
    public let read: Date
    /// How often it has been served, this time included.
    public let hits: Int

    /// Makes a record of a hit.
    public init(key: CacheKey, stored: Date, expires: Date?, read: Date, hits: Int) {
        self.key = key
        self.stored = stored
        self.expires = expires
        self.read = read
        self.hits = hits
    }

    /// How old the entry was when it was read.
    public var age: Duration { .seconds(max(0, read.timeIntervalSince(stored))) }
}
