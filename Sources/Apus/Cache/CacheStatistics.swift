/// What a cache has done since it was made, and what it holds.
public struct CacheStatistics: Sendable, Hashable {
    /// Lookups that memory answered.
    public var memoryHits = 0
    /// Lookups that the disk answered.
    public var diskHits = 0
    /// Lookups without an answer.
    public var misses = 0
    /// Responses stored.
    public var stores = 0
    /// Entries on disk that were damaged, and have been removed.
    public var damaged = 0
    /// Entries in memory.
    public var memoryCount = 0
    /// What the entries in memory weigh, in bytes.
    public var memoryCost = 0
    /// Entries on disk.
    public var diskCount = 0
    /// Bytes of the entries on disk.
    public var diskSize = 0

    /// Makes statistics of nothing.
    public init() {}
}
