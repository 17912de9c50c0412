public import FoundationEssentials

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
