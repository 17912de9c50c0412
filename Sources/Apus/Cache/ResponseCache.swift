import Dispatch
import Documents
public import FoundationEssentials
import Glibc
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
    let invalidations = Mutex(InvalidationLog())

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
        patience: Duration = FolderLock.patience,
        timers: any Clock<Duration> = ContinuousClock(),
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.configuration = configuration
        self.clock = clock
        counters = CacheCounters()
        memory = MemoryStore(
            costLimit: configuration.memoryCostLimit,
            countLimit: configuration.memoryCountLimit,
            clock: clock,
            timers: timers
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
            isForeign: configuration.isForeign,
            patience: patience,
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

    /// The same key, for which a body in a file is read on a thread that is no task's, one such
    /// body after the other, and only until the task is cancelled.
    ///
    /// That may take seconds: SHA-256 comes to some hundred megabytes a second.
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

extension ResponseCache {
    /// Where a cache is, and how large it may become.
    public struct Configuration: Sendable, Hashable {
        /// Tells caches in one folder apart; the default is the unnamed one.
        public var name: String
        /// The folder; the default is `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
        public var directory: String
        /// Bytes that entries in memory may take.
        ///
        /// The default is 64 MiB.
        public var memoryCostLimit: Int
        /// How many entries there may be in memory.
        ///
        /// The default is 10,000.
        public var memoryCountLimit: Int
        /// Bytes that entries on disk may take.
        ///
        /// The default is 512 MiB.
        public var diskLimit: Int
        /// How many entries there may be on disk; by default as many as fit.
        public var diskCountLimit: Int
        /// The part of a limit of the disk's that is left when it was passed.
        ///
        /// The default is 0.9; memory always gives up just what it must.
        public var evictionFraction: Double
        /// Whether somebody else may have made the folder: then all pages of its file are looked at
        /// when it is opened, which takes 0.4 ms for each megabyte.
        package var isForeign = false

        /// Makes a configuration; what is not given has its default.
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

        /// `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
        public static var standardDirectory: String {
            StandardFolders.cache
        }

        /// The folder of the cache of this name.
        var folder: String {
            // Escaped, so that a name with a slash or dots stays one folder.
            name.isEmpty ? directory : "\(directory)/cache-\(PercentEncoding.component(name))"
        }
    }
}

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
    /// Another program holds the file at `path`, or the lock there: for a minute nothing on disk
    /// is used, or what was to be written then is not kept.
    case held(path: String)
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
        case .held(let path):
            "Another program holds the cache (\(path)): it is not used until that has ended."
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
