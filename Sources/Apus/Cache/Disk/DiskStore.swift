import Dispatch
import FoundationEssentials
import GRDB
import Synchronization

/// The entries on disk, shared with other processes.
///
/// Reads are single statements on a connection of their own. Writes are
/// gathered: what comes while a transaction is under way goes together into the
/// next. Nothing is opened before the first use, and a read makes no file.
final class DiskStore: Sendable {
    /// A write that failed, in words.
    struct Fault: Error, Sendable, Hashable {
        let detail: String
    }

    /// A read that failed.
    struct ReadFault: Error {
        /// Whether the file is damaged, and has been set aside.
        let isDamage: Bool
        let detail: String
    }

    /// A write that waits for its transaction.
    struct Write: Sendable {
        /// Does it; what it returns is called once it is committed.
        let run: @Sendable (DiskTable) throws -> @Sendable () -> Void
        let fail: @Sendable (Fault) -> Void
    }

    struct State {
        var database: DiskDatabase?
        var pending: [Write] = []
        var uses: [KeyName: EntryUse] = [:]
        /// Whether a transaction is about to begin because there are many uses.
        var isDrainDue = false
        /// How many bytes of bodies these writes hold.
        var unwaitedBytes = 0
        /// Whether the process waits for this store when it ends.
        var isKnownAtExit = false
        /// How many writes nobody waits for are under way, by the rows they change.
        var unwaited: [Int64: Int] = [:]
    }

    let folder: String
    let limits: DiskLimits
    let serializer: (any CacheSerializer)?
    let pageLimit: Int?
    let counters: CacheCounters
    let clock: @Sendable () -> Date
    let notice: @Sendable (CacheNotice) -> Void
    let bodies: BodyFolder
    let lending: LendingFolder
    let state = Mutex(State())
    // Opening, writing and syncing block, so they have a thread of their own; a
    // body is synced on another, so that small entries need not wait for it.
    let writer = DispatchQueue(label: "apus.cache.writer")
    let stager = DispatchQueue(label: "apus.cache.bodies")

    init(
        folder: String,
        limits: DiskLimits,
        serializer: (any CacheSerializer)?,
        pageLimit: Int? = nil,
        counters: CacheCounters,
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.folder = folder
        self.limits = limits
        self.serializer = serializer
        self.pageLimit = pageLimit
        self.counters = counters
        self.clock = clock
        self.notice = notice
        bodies = BodyFolder(path: "\(folder)/bodies")
        lending = LendingFolder(path: "\(folder)/lent")
    }
}
