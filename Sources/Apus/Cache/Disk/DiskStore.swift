import Dispatch
import FoundationEssentials
import Glibc
import SQLite
import Synchronization

/// The disk store, which processes share.
///
/// Reads are single statements on a separate connection. Writes that arrive during a transaction go into the
/// next one together. Nothing is opened before the first use, and a read never creates the file.
final class DiskStore: Sendable {
    /// A failed write: a text, and the error for the caller.
    struct Fault: Error {
        let detail: String
        let error: ApusError
    }

    /// Why the database could not be read.
    struct DiskReadError: Error {
        /// Whether the file was damaged and has been set aside.
        let isDamage: Bool
        let detail: String
    }

    /// A file that another process held when it was needed.
    struct Held: Error {
        let path: String
        let since: Date

        /// Whether to skip the disk: for a minute, because each attempt blocks a thread for seconds.
        func holds(at now: Date) -> Bool {
            let seconds = now.timeIntervalSince(since)
            return seconds >= 0 && seconds < 60
        }
    }

    /// A write that waits for a transaction.
    struct Write: Sendable {
        /// Performs the write; the returned closure is called after the commit.
        let run: @Sendable (DiskTable) throws -> @Sendable () -> Void
        let fail: @Sendable (Fault) -> Void
    }

    struct State {
        var database: DiskDatabase?
        /// What prevented the last attempt to open the file; nil if nothing did.
        var held: Held?
        var pending: [Write] = []
        var uses: [KeyName: PendingUses] = [:]
        /// Whether a transaction has been scheduled because there are many uses.
        var isDrainDue = false
        /// The bytes of the bodies that unwaited writes hold in memory.
        var unwaitedBytes = 0
        /// Whether the process waits for this store at exit.
        var isKnownAtExit = false
        /// The number of pending unwaited writes by row; an unwaited write is one that no caller waits for.
        var unwaited: [Int64: Int] = [:]
    }

    let folder: String
    /// False for a cache in memory alone: then there is no file, and none is made.
    let isUsed: Bool
    let limits: DiskLimits
    let serializer: (any CacheSerializer)?
    let pageLimit: Int?
    let isForeign: Bool
    let patience: Duration
    let counters: CacheCounters
    let clock: @Sendable () -> Date
    let notice: @Sendable (CacheNotice) -> Void
    let bodies: BodyFolder
    let lending: BodyLeases
    let state = Mutex(State())
    // Opening, writing and syncing block, so they run on their own thread. Bodies are synced on another one,
    // so that small entries need not wait for them.
    let writer = DispatchQueue(label: "apus.cache.writer")
    let stager = DispatchQueue(label: "apus.cache.bodies")

    init(
        folder: String,
        isUsed: Bool = true,
        limits: DiskLimits,
        serializer: (any CacheSerializer)?,
        pageLimit: Int? = nil,
        isForeign: Bool = false,
        patience: Duration = FolderLock.patience,
        counters: CacheCounters,
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.folder = folder
        self.isUsed = isUsed
        self.limits = limits
        self.serializer = serializer
        self.pageLimit = pageLimit
        self.isForeign = isForeign
        self.patience = patience
        self.counters = counters
        self.clock = clock
        self.notice = notice
        bodies = BodyFolder(path: "\(folder)/bodies")
        lending = BodyLeases(folder: folder)
    }
}

extension DiskStore {
    func write<T: Sendable>(
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async -> Result<T, Fault> {
        await withCheckedContinuation { continuation in
            let write = Write(
                run: { table in
                    let value = try body(table)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { continuation.resume(returning: .failure($0)) }
            )
            state.withLock { $0.pending.append(write) }
            writer.async { [self] in drain() }
        }
    }

    /// Performs all pending writes in one transaction, after those of many uses.
    ///
    /// Runs on `writer`.
    func drain() {
        let (writes, uses) = state.withLock { state in
            defer { (state.pending, state.uses, state.isDrainDue) = ([], [:], false) }
            return (state.pending, state.uses)
        }
        guard !writes.isEmpty || !uses.isEmpty else { return }
        // In row order, so that a page with several of the rows is written once.
        var pieces = uses.sorted { $0.key.row < $1.key.row }[...]
        do {
            while pieces.count > Self.usesAtOnce {
                try commit([Self.write(of: pieces.prefix(Self.usesAtOnce))])
                pieces = pieces.dropFirst(Self.usesAtOnce)
            }
            try commit(pieces.isEmpty ? writes : [Self.write(of: pieces)] + writes)
        } catch {
            // If another process holds the file, each further transaction would wait as long as this one.
            if let held = held(error) { return fail(writes, held) }
            if DiskDatabase.reasonToSetAside(error) != nil { setAside(error) }
            // One by one, so that a failing write does not fail the others.
            for write in writes { commitAlone(write) }
        }
    }

    private static func write(of uses: ArraySlice<(key: KeyName, value: PendingUses)>) -> Write {
        Write(
            run: { table in
                try table.note(uses)
                return {}
            },
            fail: { _ in }
        )
    }

    private func commitAlone(_ write: Write) {
        do {
            try commit([write])
        } catch {
            fail([write], held(error) ?? error)
        }
    }

    private func fail(_ writes: [Write], _ error: any Error) {
        let fault = fault(error)
        if !(error is Held) { notice(.writeFailed(detail: fault.detail)) }
        for write in writes { write.fail(fault) }
    }

    func fault(_ error: any Error) -> Fault {
        Fault(detail: Self.detail(error), error: apusError(error))
    }

    /// Converts an error to one with the path that it is about.
    func apusError(_ error: any Error) -> ApusError {
        if let fault = error as? Fault { return fault.error }
        if let fault = error as? PrivateFileError {
            return ApusError(.file(path: fault.path, errno: fault.errno))
        }
        if let held = error as? Held { return ApusError(.file(path: held.path, errno: EBUSY)) }
        if let path = DiskDatabase.held(error, in: folder) {
            return ApusError(.file(path: path, errno: EBUSY))
        }
        let number: Int32 =
            switch (error as? DatabaseError)?.extendedResultCode {
            // There was no room for the shared-memory file of the log.
            case .full?, .ioErrorSharedMemorySize?: ENOSPC
            // Damage has its own error number: "Structure needs cleaning".
            default: DiskDatabase.reasonToSetAside(error) != nil ? EUCLEAN : EIO
            }
        return ApusError(.file(path: "\(folder)/\(DiskFolder.database)", errno: number))
    }

    /// Converts an error to `Held` and posts a notice; nil if no other process holds the file.
    private func held(_ error: any Error) -> Held? {
        if let held = error as? Held { return held }
        guard let path = DiskDatabase.held(error, in: folder) else { return nil }
        notice(.held(path: path))
        return Held(path: path, since: clock())
    }

    private func commit(_ writes: [Write]) throws {
        let database = try opened()
        let (completions, cleaned) = try database.pool.writeWithoutTransaction { db in
            let table = DiskTable(db: db, bodies: bodies, serializer: serializer)
            var completions: [@Sendable () -> Void] = []
            var cleaned = 0
            do {
                // Immediate, so that the lock is taken before body files are touched.
                try db.inTransaction(.immediate) {
                    completions = try writes.map { try $0.run(table) }
                    let now = clock()
                    cleaned = try table.trim(to: limits, at: now)
                    cleaned += try table.cleanIfDue(at: now)
                    return .commit
                }
            } catch {
                takeBack(table.changes.adopted, db)
                throw error
            }
            removeBodies(table.changes.obsolete, db)
            return (completions, cleaned)
        }
        // First, so that callers waiting for a write see the notice before it returns.
        if cleaned > 0 { notice(.cleaned(cleaned)) }
        for complete in completions { complete() }
    }

    /// Takes back adopted bodies after a rollback, unless another process has stored the same ones meanwhile.
    private func takeBack(_ adopted: [BodyFolder.Staged], _ db: Database) {
        guard !adopted.isEmpty else { return }
        do {
            try db.inTransaction(.immediate) {
                let table = DiskTable(db: db, bodies: bodies, serializer: nil)
                for staged in adopted where try !table.isReferred(staged.digest) {
                    bodies.takeBack(staged)
                }
                return .commit
            }
        } catch {
            // The database cannot say whether another process needs one of them. That process would find the
            // body missing, but keeping them all would pile up files outside of every limit.
            for staged in adopted { bodies.takeBack(staged) }
        }
    }

    private func removeBodies(_ digests: Set<String>, _ db: Database) {
        guard !digests.isEmpty else { return }
        // If this fails, `cleanIfDue` finds the remaining files later.
        try? db.inTransaction(.immediate) {
            try DiskTable(db: db, bodies: bodies, serializer: nil).removeBodies(digests)
            return .commit
        }
    }

    /// The database; opens it if it is not open.
    ///
    /// Runs on `writer`.
    ///
    /// - Throws: `Held` if another process holds the file; for the next minute without trying again.
    func opened() throws -> DiskDatabase {
        if let database = state.withLock({ $0.database }) { return database }
        if let held = state.withLock({ $0.held }), held.holds(at: clock()) { throw held }
        let database: DiskDatabase
        do {
            database = try DiskDatabase(
                folder: folder,
                at: clock(),
                pageLimit: pageLimit,
                isForeign: isForeign,
                patience: patience
            )
        } catch {
            guard let held = held(error) else { throw error }
            state.withLock { $0.held = held }
            throw held
        }
        // A process that died between naming a body and writing its row left the file behind.
        if lending.sweep() { database.makeCleaningDue() }
        state.withLock { $0.database = database }
        if let found = database.notice { notice(found) }
        return database
    }

    /// Closes and sets aside a file that turned out to be damaged.
    ///
    /// Runs on `writer`.
    func setAside(_ error: any Error) {
        guard let reason = DiskDatabase.reasonToSetAside(error),
            let database = state.withLock({ $0.database.take() })
        else { return }
        database.reader.close()
        try? database.pool.close()
        do {
            if let found = try database.setAside(folder, reason, at: clock()) { notice(found) }
        } catch {
            notice(.writeFailed(detail: Self.detail(error)))
        }
    }

    static func detail(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.description
        case let error as PrivateFileError: error.description
        case let held as Held: "another program is using \(held.path)"
        default: String(describing: error)
        }
    }
}

/// The limits on disk, and the fraction of them that eviction keeps.
struct DiskLimits: Sendable, Hashable {
    let bytes: Int
    let count: Int
    /// The fraction of an exceeded limit that eviction keeps.
    let fraction: Double

    func areExceeded(by size: (count: Int, bytes: Int)) -> Bool {
        size.bytes > bytes || size.count > count
    }

    /// What must be removed; 0 or less if nothing must.
    func excess(of size: (count: Int, bytes: Int)) -> (count: Int, bytes: Int) {
        (
            size.count > count ? size.count - Int(Double(count) * fraction) : 0,
            size.bytes > bytes ? size.bytes - Int(Double(bytes) * fraction) : 0
        )
    }
}

/// The body files that a transaction changes.
///
/// Obsolete files, which no entry refers to any more, are removed only after the commit: if the transaction
/// is rolled back or the process killed, entries still refer to them. Adopted files lose their names again if
/// the transaction is rolled back, because nothing would refer to them.
final class BodyChanges {
    private(set) var obsolete: Set<String> = []
    private(set) var adopted: [BodyFolder.Staged] = []

    func add(obsolete digest: String) { obsolete.insert(digest) }
    func add(_ adopted: BodyFolder.Staged) { self.adopted.append(adopted) }
}
