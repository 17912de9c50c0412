import Dispatch
import Documents
public import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// A cache of responses, in memory and on disk.
///
/// ```
/// lookup: memory ─▶ disk ─▶ shared store ─▶ (back to memory and disk, for the rest of its lifetime)
/// store:  memory, then disk; returns when both have it; the shared store gets it later
/// ```
/// Memory belongs to this process; other processes share the disk, and other machines the shared store, if
/// there is one. Nothing is opened before the first use.
/// A disk fault never fails a request: it becomes a miss or a response that is not stored, plus a notice.
public final class ResponseCache: Sendable {
    /// The cache's location and limits.
    public let configuration: Configuration

    let memory: MemoryStore
    let disk: DiskStore
    /// Whether a provider with stubs uses a cache in memory instead.
    let isAutomatic: Bool
    private let clock: @Sendable () -> Date
    private let used = Mutex<Set<Int64>>([])
    let counters: CacheCounters
    let notice: @Sendable (CacheNotice) -> Void
    let sharing = Mutex<SharedTier?>(nil)
    let invalidations = Mutex(InvalidationLog())

    /// Makes a cache; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: the location and the limits.
    ///   - serializer: encodes what is written to disk; nil writes it unchanged.
    ///   - clock: returns the time by which entries expire.
    ///   - notice: called on one of the cache's threads; it must not block.
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

    /// Makes a cache that shares responses with other machines; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: the location and the limits.
    ///   - serializer: encodes what is written to disk and to the store; nil writes it unchanged.
    ///   - store: the store that other machines use, too.
    ///   - clock: returns the time by which entries expire.
    ///   - notice: called on one of the cache's threads; it must not block.
    public convenience init(
        configuration: Configuration = Configuration(),
        serializer: (any CacheSerializer)? = nil,
        shared store: some SharedStore,
        clock: @escaping @Sendable () -> Date = { Date() },
        notice: @escaping @Sendable (CacheNotice) -> Void = { _ in }
    ) {
        self.init(
            configuration: configuration,
            serializer: serializer,
            clock: clock,
            notice: notice
        )
        share(through: store)
    }

    init(
        _ configuration: Configuration,
        isAutomatic: Bool = false,
        serializer: (any CacheSerializer)? = nil,
        diskPageLimit: Int?,
        patience: Duration = FolderLock.patience,
        timers: any Clock<Duration> = ContinuousClock(),
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.configuration = configuration
        self.isAutomatic = isAutomatic
        self.clock = clock
        self.notice = notice
        counters = CacheCounters()
        memory = MemoryStore(
            costLimit: configuration.memoryCostLimit,
            countLimit: configuration.memoryCountLimit,
            clock: clock,
            timers: timers
        )
        disk = DiskStore(
            folder: configuration.folder,
            isUsed: configuration.storage?.usesDisk == true,
            limits: DiskLimits(
                bytes: configuration.diskLimit,
                count: configuration.diskCountLimit,
                fraction: configuration.evictionFraction
            ),
            serializer: serializer,
            pageLimit: diskPageLimit,
            isForeign: configuration.isForeign,
            patience: patience,
            counters: counters,
            clock: clock,
            notice: notice
        )
    }

    var now: Date { clock() }

    /// The store that is shared; nil if there is none.
    var shared: SharedTier? { sharing.withLock { $0 } }

    /// The key of a request in this cache, for example to look it up or to remove its entry.
    public func key(for request: PreparedRequest, policy: CachePolicy) -> CacheKey {
        CacheKey(for: request, policy: policy, namespace: configuration.name)
    }

    /// Makes the same key, but reads body files on a serial background queue, until the task is cancelled.
    ///
    /// Reading may take seconds, because SHA-256 processes only some hundred megabytes a second.
    func keyReadingFiles(
        for request: PreparedRequest,
        policy: CachePolicy
    ) async -> CacheKey {
        guard request.body.hasFile else { return key(for: request, policy: policy) }
        let name = configuration.name
        let cancellation = CancellationFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.fileReader.async {
                    continuation.resume(
                        returning: CacheKey(for: request, policy: policy, namespace: name) {
                            !cancellation.isSet.load(ordering: .relaxed)
                        }
                    )
                }
            }
        } onCancel: {
            cancellation.isSet.store(true, ordering: .relaxed)
        }
    }

    private static let fileReader = DispatchQueue(label: "apus.cache.files")

    private final class CancellationFlag: Sendable {
        let isSet = Atomic(false)
    }

    /// Returns whether this is the first call with this key in this process.
    public func isFirstUse(_ key: CacheKey) -> Bool {
        used.withLock { $0.insert(key.row).inserted }
    }

    /// The hits, misses and stores so far, and the current number and size of the entries.
    public func statistics() async -> CacheStatistics {
        var statistics = counters.statistics
        (statistics.memoryCount, statistics.memoryCost) = memory.size
        (statistics.diskCount, statistics.diskSize) = await disk.size()
        return statistics
    }
}

extension ResponseCache {
    /// The primary key, under which `CachePolicy.http` keeps all responses for a URL.
    func httpKey(for head: HTTPRequest, policy: CachePolicy) -> CacheKey {
        CacheKey(httpFor: head, policy: policy, namespace: configuration.name)
    }
}

extension ResponseCache {
    /// The location and limits of a cache.
    public struct Configuration: Sendable, Hashable {
        /// Distinguishes caches in the same folder; the default is the unnamed cache.
        public var name: String
        /// The folder; the default is ``standardDirectory``.
        public var directory: String
        /// Where entries may be; nil for a cache that stores nothing.
        ///
        /// The default is memory and disk, as each policy says. Without disk, what a policy would store there
        /// is stored in memory.
        public private(set) var storage: CachePolicy.Storage? = .memoryAndDisk
        /// The most bytes that the entries in memory may take.
        ///
        /// The default is 64 MiB.
        public var memoryCostLimit: Int
        /// The most entries in memory.
        ///
        /// The default is 10,000.
        public var memoryCountLimit: Int
        /// The most bytes that the entries on disk may take.
        ///
        /// The default is 512 MiB.
        public var diskLimit: Int
        /// The most entries on disk; by default only `diskLimit` counts.
        public var diskCountLimit: Int
        /// The fraction of an exceeded disk limit that eviction keeps, from 0 to 1.
        ///
        /// The default is 0.9. Memory evicts only as much as it must.
        public var evictionFraction: Double
        /// Whether someone else may have made the folder.
        ///
        /// If so, the whole database is checked when it is opened, which takes 0.4 ms per megabyte.
        package var isForeign = false

        /// Makes a configuration; omitted values have their defaults.
        public init(
            name: String = "",
            directory: String? = nil,
            memoryCostLimit: Int = 64 << 20,
            memoryCountLimit: Int = 10_000,
            diskLimit: Int = 512 << 20,
            diskCountLimit: Int = .max,
            evictionFraction: Double = 0.9
        ) {
            self.name = name
            self.directory = directory ?? Self.standardDirectory
            self.memoryCostLimit = memoryCostLimit
            self.memoryCountLimit = memoryCountLimit
            self.diskLimit = diskLimit
            self.diskCountLimit = diskCountLimit
            self.evictionFraction = min(max(evictionFraction, 0), 1)
        }

        /// The default folder: `$XDG_CACHE_HOME/PROGRAM/apus`, or `~/.cache/PROGRAM/apus` if the variable is not
        /// set; PROGRAM is the name of the executable.
        ///
        /// So programs do not read, or empty, each other's cache, unless both are given the same folder.
        public static var standardDirectory: String { RunningProgram.cacheFolder }

        /// A cache in this process's memory alone, with the default limits.
        public static let inMemory = inMemory()

        /// A cache in this process's memory alone.
        public static func inMemory(
            name: String = "",
            memoryCostLimit: Int = 64 << 20,
            memoryCountLimit: Int = 10_000
        ) -> Configuration {
            // Nothing can be in this folder, so not even a mistake of ours could write there.
            var configuration = Configuration(
                name: name,
                directory: "/dev/null/apus",
                memoryCostLimit: memoryCostLimit,
                memoryCountLimit: memoryCountLimit
            )
            configuration.storage = .memory
            return configuration
        }

        /// A cache that stores nothing and never has a response.
        public static let none: Configuration = {
            var configuration = Configuration.inMemory
            configuration.storage = nil
            return configuration
        }()

        /// The folder of the cache with this name.
        var folder: String {
            // Escaped so that a name with a slash or dots stays a single folder name.
            name.isEmpty ? directory : "\(directory)/cache-\(PercentEncoding.component(name))"
        }
    }
}

extension ResponseCache {
    /// A new cache in memory alone, for tests and for programs that must leave nothing on disk.
    ///
    /// ```swift
    /// let provider = Provider<GitHub>(cache: .inMemory)
    /// ```
    /// Each use makes a cache of its own. What a policy would store on disk is stored in memory.
    public static var inMemory: ResponseCache { ResponseCache(configuration: .inMemory) }

    /// A new cache in the program's own folder, as `ResponseCache()`; for a provider with stubs one in memory alone,
    /// so that a test never reads what is on this machine's disk.
    public static var automatic: ResponseCache {
        ResponseCache(
            Configuration(),
            isAutomatic: true,
            diskPageLimit: nil,
            clock: { Date() },
            notice: { _ in }
        )
    }

    /// A cache that stores nothing, whatever the policies say.
    public static let none = ResponseCache(configuration: .none)

    /// Whether it may have entries on disk.
    var isOnDisk: Bool { configuration.storage?.usesDisk == true }

    /// The policy as far as this cache can follow it.
    func possible(_ policy: CachePolicy) -> CachePolicy {
        switch configuration.storage {
        case .memoryAndDisk?: policy
        case let storage: policy.stored(in: storage)
        }
    }
}

/// A problem that a cache has worked around.
public enum CacheNotice: Sendable, Hashable, CustomStringConvertible {
    /// Why a database file was set aside.
    public enum SetAsideReason: Sendable, Hashable {
        /// The file is damaged or is not the cache's database.
        case corrupt(detail: String)
        /// A later version of Apus wrote the file.
        case newer(version: Int)
    }

    /// The file at `path` could not be used; it was moved to `to`, and a new one was started.
    case setAside(path: String, to: String, SetAsideReason)
    /// Entries could not be written to disk, for example because the disk is full.
    case writeFailed(detail: String)
    /// Another program holds the file at `path`, or the lock there.
    ///
    /// Either the disk is not used for a minute, or the writes that were due then are dropped.
    case held(path: String)
    /// The disk could not be read.
    case readFailed(detail: String)
    /// This many entries were removed from disk because they had expired long ago or to make room.
    case cleaned(Int)
    /// A damaged entry was removed.
    case removedCorrupt(CacheKey, detail: String)
    /// Something happened to the shared store with this name.
    case shared(String, SharedStoreNotice)

    /// A message for people.
    public var description: String {
        switch self {
        // The action comes first because a status line may have no room for more.
        case .setAside(let path, let to, .corrupt(let detail)):
            """
            The cache was damaged. It was moved to \(Self.name(of: to)), and a new one was started \
            (\(path): \(detail)).
            """
        case .setAside(let path, let to, .newer(let version)):
            """
            The cache was written by a newer version (\(version)). It was moved to \(Self.name(of: to)), \
            and a new one was started (\(path)).
            """
        case .writeFailed(let detail): "The cache could not be written: \(detail)."
        case .held(let path):
            "Another program has locked the cache (\(path)). It is tried again after a minute."
        case .readFailed(let detail): "The cache could not be read: \(detail)."
        case .cleaned(let count):
            "\(count) \(count == 1 ? "entry was" : "entries were") removed from the cache to make room."
        case .removedCorrupt(let key, let detail):
            "A damaged entry was removed from the cache (\(detail)): \(key)."
        case .shared(let name, let notice): notice.text(of: name)
        }
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? path[...]
    }
}
