import Dispatch
import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// The entries on disk, shared with other processes.
///
/// Reads are single statements on a connection of their own. Writes are
/// gathered: what comes while a transaction is under way goes together into the
/// next. Nothing is opened before the first use, and a read makes no file.
final class DiskStore: Sendable {
    /// A write that failed, in words, and as the error of who asked for it.
    struct Fault: Error {
        let detail: String
        let error: ApusError
    }

    /// A read that failed.
    struct ReadFault: Error {
        /// Whether the file is damaged, and has been set aside.
        let isDamage: Bool
        let detail: String
    }

    /// What another process held when it was needed.
    struct Held: Error {
        let path: String
        let since: Date

        /// Whether to do without the disk at a moment: each try has a thread wait for seconds.
        func holds(at now: Date) -> Bool {
            let seconds = now.timeIntervalSince(since)
            return seconds >= 0 && seconds < 60
        }
    }

    /// A write that waits for its transaction.
    struct Write: Sendable {
        /// Does it; what it returns is called once it is committed.
        let run: @Sendable (DiskTable) throws -> @Sendable () -> Void
        let fail: @Sendable (Fault) -> Void
    }

    struct State {
        var database: DiskDatabase?
        /// Why the file was not opened when it was tried last.
        var held: Held?
        var pending: [Write] = []
        var uses: [KeyName: PendingUses] = [:]
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
    let isForeign: Bool
    let patience: Duration
    let counters: CacheCounters
    let clock: @Sendable () -> Date
    let notice: @Sendable (CacheNotice) -> Void
    let bodies: BodyFolder
    let lending: BodyLeases
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
        isForeign: Bool = false,
        patience: Duration = FolderLock.patience,
        counters: CacheCounters,
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.folder = folder
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

    /// Writes all that waits, in one transaction.
    ///
    /// Runs on `writer`.
    func drain() {
        let (writes, uses) = state.withLock { state in
            defer { (state.pending, state.uses, state.isDrainDue) = ([], [:], false) }
            return (state.pending, state.uses)
        }
        guard !writes.isEmpty || !uses.isEmpty else { return }
        // In the order of the rows, so that a page that several have is written once.
        var pieces = uses.sorted { $0.key.row < $1.key.row }[...]
        while pieces.count > Self.usesAtOnce {
            commitAlone(Self.write(of: pieces.prefix(Self.usesAtOnce)))
            pieces = pieces.dropFirst(Self.usesAtOnce)
        }
        do {
            try commit(pieces.isEmpty ? writes : [Self.write(of: pieces)] + writes)
        } catch {
            // Who holds the file would have each by itself wait as long as all have.
            if let held = held(error) { return fail(writes, held) }
            if DiskDatabase.reasonToSetAside(error) != nil { setAside(error) }
            // Each by itself: one that cannot be written does not spoil the rest.
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

    /// What an error says of the path that it is about.
    func apusError(_ error: any Error) -> ApusError {
        if let fault = error as? Fault { return fault.error }
        if let fault = error as? PrivateFiles.Fault {
            return ApusError(.file(path: fault.path, errno: fault.errno))
        }
        if let held = error as? Held { return ApusError(.file(path: held.path, errno: EBUSY)) }
        if let path = DiskDatabase.held(error, in: folder) {
            return ApusError(.file(path: path, errno: EBUSY))
        }
        let number: Int32 =
            switch (error as? DatabaseError)?.extendedResultCode {
            // The file that processes share beside the log has no room either.
            case .SQLITE_FULL?, .SQLITE_IOERR_SHMSIZE?: ENOSPC
            // Damage has a number of its own: "Structure needs cleaning".
            default: DiskDatabase.reasonToSetAside(error) != nil ? EUCLEAN : EIO
            }
        return ApusError(.file(path: "\(folder)/responses.sqlite", errno: number))
    }

    /// The error as that of a file that another process holds, with a notice; nil if it is none.
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
                // Immediate: the lock is had before anything is done to body files.
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
        // First, so that who waits for a write has heard of it.
        if cleaned > 0 { notice(.cleaned(cleaned)) }
        for complete in completions { complete() }
    }

    /// Takes bodies back whose transaction was rolled back, unless another process has stored the
    /// same meanwhile.
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
            // Who cannot be asked may lose one that it would find missing; left where they are,
            // they would pile up outside of every limit.
            for staged in adopted { bodies.takeBack(staged) }
        }
    }

    private func removeBodies(_ digests: Set<String>, _ db: Database) {
        guard !digests.isEmpty else { return }
        // A file that stays for a fault here is found again by `cleanIfDue`.
        try? db.inTransaction(.immediate) {
            try DiskTable(db: db, bodies: bodies, serializer: nil).removeBodies(digests)
            return .commit
        }
    }

    /// The open database.
    ///
    /// Runs on `writer`.
    ///
    /// - Throws: `Held` if another process does not let it be opened, and for a minute then.
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
        // Who died between a body's name and its row left the file.
        if lending.sweep() { database.makeCleaningDue() }
        state.withLock { $0.database = database }
        if let found = database.notice { notice(found) }
        return database
    }

    /// Takes a file out of use that has shown itself damaged.
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
        case let error as DatabaseError:
            "\(error.message ?? "SQLite error") (\(error.extendedResultCode.rawValue))"
        case let error as PrivateFiles.Fault: error.description
        case let held as Held: "another program is using \(held.path)"
        default: String(describing: error)
        }
    }
}

/// How much there may be on disk, and how much is left when it was too much.
struct DiskLimits: Sendable, Hashable {
    let bytes: Int
    let count: Int
    /// The part of a limit that is left.
    let fraction: Double

    func areExceeded(by size: (count: Int, bytes: Int)) -> Bool {
        size.bytes > bytes || size.count > count
    }

    /// What must go; not positive where nothing must.
    func excess(of size: (count: Int, bytes: Int)) -> (count: Int, bytes: Int) {
        (
            size.count > count ? size.count - Int(Double(count) * fraction) : 0,
            size.bytes > bytes ? size.bytes - Int(Double(bytes) * fraction) : 0
        )
    }
}

/// What a transaction does to the files of bodies.
///
/// Those it leaves without an entry go when it is committed: were it rolled back, or the process
/// killed, their entries would still refer to them. Those it has given their names lose them if it
/// is rolled back: nothing would refer to them.
final class BodyChanges {
    private(set) var obsolete: Set<String> = []
    private(set) var adopted: [BodyFolder.Staged] = []

    func add(obsolete digest: String) { obsolete.insert(digest) }
    func add(_ adopted: BodyFolder.Staged) { self.adopted.append(adopted) }
}
