import Synchronization

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
