public import FoundationEssentials
import Synchronization

/// A description of a cache entry, without its body.
public struct CacheEntry: Sendable, Hashable {
    /// The key, with its recipe.
    public var key: CacheKey
    /// The request's method and URL, with secrets masked.
    public var request: ApusError.RequestLine
    /// The response's status code.
    public var status: Int
    /// The size of the body in bytes.
    public var size: Int
    /// Where the entry is stored.
    public var storage: CachePolicy.Storage
    /// When the entry was stored.
    public var stored: Date
    /// When the entry expires; nil if it never does.
    ///
    /// An entry with a store date in the future, because the clock has been set back, counts as expired now.
    public var expires: Date?
    /// When the entry was last served.
    public var lastAccess: Date
    /// How often the entry was served.
    public var hits: Int
    /// Until when the response is fresh by HTTP's rules; nil for an entry of another policy, or if it must be
    /// validated before each use.
    public var freshUntil: Date?
    /// The path of the body's file; nil for a body in memory or small enough for the database.
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

    /// The time since the entry was stored; at least 0.
    public func age(at now: Date) -> Duration {
        .seconds(max(0, now.timeIntervalSince(stored)))
    }
}

/// Facts about the entry that answered a lookup.
public struct CacheHit: Sendable, Hashable {
    /// The entry's key.
    public let key: CacheKey
    /// When the entry was stored.
    public let stored: Date
    /// When the entry expires; nil if it never does.
    public let expires: Date?
    /// When the lookup happened, by the cache's clock.
    public let read: Date
    /// How often the entry has been served, including this time.
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

/// What a cache has done since it was made, and what it holds now.
public struct CacheStatistics: Sendable, Hashable {
    /// Hits in memory.
    public var memoryHits = 0
    /// Hits on disk.
    public var diskHits = 0
    /// Hits in the shared store.
    public var sharedHits = 0
    /// Lookups that found nothing usable.
    public var misses = 0
    /// Responses stored.
    public var stores = 0
    /// Damaged entries that were removed from disk.
    public var damaged = 0
    /// The number of entries in memory.
    public var memoryCount = 0
    /// The approximate bytes that the entries in memory take.
    public var memoryCost = 0
    /// The number of entries on disk.
    public var diskCount = 0
    /// The bytes that the entries on disk take.
    public var diskSize = 0

    /// Makes statistics with all counts 0.
    public init() {}
}

/// A cache's counters; atomics, so that hits do not wait for a lock.
final class CacheCounters: Sendable {
    private let memoryHits = Atomic(0)
    private let diskHits = Atomic(0)
    private let sharedHits = Atomic(0)
    private let misses = Atomic(0)
    private let stores = Atomic(0)
    private let damaged = Atomic(0)

    func countMemoryHit() { memoryHits.add(1, ordering: .relaxed) }
    func countDiskHit() { diskHits.add(1, ordering: .relaxed) }
    func countSharedHit() { sharedHits.add(1, ordering: .relaxed) }
    func countMiss() { misses.add(1, ordering: .relaxed) }
    func countStore() { stores.add(1, ordering: .relaxed) }

    func countDamaged() { damaged.add(1, ordering: .relaxed) }

    var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        statistics.memoryHits = memoryHits.load(ordering: .relaxed)
        statistics.diskHits = diskHits.load(ordering: .relaxed)
        statistics.sharedHits = sharedHits.load(ordering: .relaxed)
        statistics.misses = misses.load(ordering: .relaxed)
        statistics.stores = stores.load(ordering: .relaxed)
        statistics.damaged = damaged.load(ordering: .relaxed)
        return statistics
    }
}
