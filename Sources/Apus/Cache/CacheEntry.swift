public import FoundationEssentials
import Synchronization

/// What there is to know of an entry without reading its body.
public struct CacheEntry: Sendable, Hashable {
    /// The key, with its recipe.
    public var key: CacheKey
    /// The method and URL.
    public var request: ApusError.RequestLine
    /// The status.
    public var status: Int
    /// Bytes of the body.
    public var size: Int
    /// Where it is.
    public var storage: CachePolicy.Storage
    /// When it was stored.
    public var stored: Date
    /// When it stops being served; nil for never.
    ///
    /// What was stored later than now, because the clock has been set back since, has ended now.
    public var expires: Date?
    /// When it was last served.
    public var lastAccess: Date
    /// How often it was served.
    public var hits: Int
    /// Until when HTTP lets it be served unasked; nil for an entry of a policy of
    /// its own, or if it must always be asked about.
    public var freshUntil: Date?
    /// The file on disk that holds the body; nil for a small one, which is in the database.
    public var path: String?

    /// Makes a description of an entry.
    public init(
        key: CacheKey,
        request: ApusError.RequestLine,
        status: Int,
        size: Int,
        storage: CachePolicy.Storage,
        stored: Date,
        expires: Date?,
        lastAccess: Date,
        hits: Int,
        freshUntil: Date? = nil,
        path: String? = nil
    ) {
        self.key = key
        self.request = request
        self.status = status
        self.size = size
        self.storage = storage
        self.stored = stored
        self.expires = expires
        self.lastAccess = lastAccess
        self.hits = hits
        self.freshUntil = freshUntil
        self.path = path
    }

    /// How old it is at a moment.
    public func age(at now: Date) -> Duration {
        .seconds(max(0, now.timeIntervalSince(stored)))
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

/// What a cache counts, without a lock that every hit would wait for.
final class CacheCounters: Sendable {
    private let memoryHits = Atomic(0)
    private let diskHits = Atomic(0)
    private let misses = Atomic(0)
    private let stores = Atomic(0)
    private let damaged = Atomic(0)

    func countMemoryHit() { memoryHits.add(1, ordering: .relaxed) }
    func countDiskHit() { diskHits.add(1, ordering: .relaxed) }
    func countMiss() { misses.add(1, ordering: .relaxed) }
    func countStore() { stores.add(1, ordering: .relaxed) }

    func countDamaged() { damaged.add(1, ordering: .relaxed) }

    /// The counts so far.
    var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        statistics.memoryHits = memoryHits.load(ordering: .relaxed)
        statistics.diskHits = diskHits.load(ordering: .relaxed)
        statistics.misses = misses.load(ordering: .relaxed)
        statistics.stores = stores.load(ordering: .relaxed)
        statistics.damaged = damaged.load(ordering: .relaxed)
        return statistics
    }
}
