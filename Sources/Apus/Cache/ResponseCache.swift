public import FoundationEssentials
import HTTPTypes
import Synchronization

/// Answers, kept in memory and on disk.
///
/// ```
/// lookup: memory ─▶ disk ─▶ (back to memory, for what is left of its life)
/// store:  memory, then disk; returns when both have it
/// ```
/// Memory belongs to this process, the disk is shared with others. Nothing is
/// opened before the first use. A fault of the disk is never one of the request:
/// it is a miss or a response not stored, and a notice.
public final class ResponseCache: Sendable {
    /// Where it is, and how large it may become.
    public let configuration: Configuration

    let memory: MemoryStore
    let disk: DiskStore
    private let clock: @Sendable () -> Date
    private let used = Mutex<Set<Int64>>([])
    let counters: CacheCounters

    /// Makes a cache; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: where it is, and how large it may become.
    ///   - serializer: gives what is on disk its form; nil leaves it as it is.
    ///   - clock: tells the time by which entries expire.
    ///   - notice: called on a thread of the cache's; it must not block.
    public convenience init(
        configuration: Configuration = Configuration(),
        serializer: (any CacheSerializer)? = nil,
        clock: @escaping @Sendable () -> Date = { Date() },
        notice: @escaping @Sendable (CacheNotice) -> Void = { _ in }
    ) {
        self.init(
            configuration,
            serializer: serializer,
            diskPageLimit: nil,
            clock: clock,
            notice: notice
        )
    }

    init(
        _ configuration: Configuration,
        serializer: (any CacheSerializer)? = nil,
        diskPageLimit: Int?,
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.configuration = configuration
        self.clock = clock
        counters = CacheCounters()
        memory = MemoryStore(
            costLimit: configuration.memoryCostLimit,
            countLimit: configuration.memoryCountLimit
        )
        disk = DiskStore(
            folder: configuration.folder,
            limits: DiskLimits(
                bytes: configuration.diskLimit,
                count: configuration.diskCountLimit,
                fraction: configuration.evictionFraction
            ),
            serializer: serializer,
            pageLimit: diskPageLimit,
            counters: counters,
            clock: clock,
            notice: notice
        )
    }

    var now: Date { clock() }

    /// The key of a request in this cache.
    public func key(for request: PreparedRequest, policy: CachePolicy) -> CacheKey {
        CacheKey(for: request, policy: policy, namespace: configuration.name)
    }

    /// Whether the key is asked about for the first time in this process.
    public func isFirstUse(_ key: CacheKey) -> Bool {
        used.withLock { $0.insert(key.row).inserted }
    }

    /// What has been counted so far, and what the cache holds.
    public func statistics() async -> CacheStatistics {
        var statistics = counters.statistics
        (statistics.memoryCount, statistics.memoryCost) = memory.size
        (statistics.diskCount, statistics.diskSize) = await disk.size()
        return statistics
    }
}

extension ResponseCache {
    /// The key under which all answers for a URL are kept with `CachePolicy.http`.
    func httpKey(for head: HTTPRequest, policy: CachePolicy) -> CacheKey {
        CacheKey(httpFor: head, policy: policy, namespace: configuration.name)
    }
}
