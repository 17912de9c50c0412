import Dispatch
import FoundationEssentials
import GRDB
import Synchronization

/// The entries on disk, shared with other processes.
///
/// Reads are single statements on connections of their own, without a
/// transaction. Writes are gathered: what comes while a transaction is under
/// way goes together into the next. Nothing is opened before the first use, and
/// a read makes no file.
final class DiskStore: Sendable {
    /// A write that failed, in words.
    struct Fault: Error, Sendable, Hashable {
        let detail: String
    }

    /// A read that failed.
    private struct ReadFault: Error {
        /// Whether the file is damaged, and has been set aside.
        let isDamage: Bool
        let detail: String
    }

    /// A write that waits for its transaction.
    private struct Write: Sendable {
        /// Does it; what it returns is called once it is committed.
        let run: @Sendable (DiskTable) throws -> @Sendable () -> Void
        let fail: @Sendable (Fault) -> Void
    }

    private struct State {
        var database: DiskDatabase?
        var pending: [Write] = []
        var uses: [CacheKey: EntryUse] = [:]
    }

    private let folder: String
    private let limit: Int
    private let pageLimit: Int?
    private let clock: @Sendable () -> Date
    private let notice: @Sendable (CacheNotice) -> Void
    private let bodies: BodyFolder
    private let lending: LendingFolder
    private let state = Mutex(State())
    // Opening, writing and syncing block, so they have a thread of their own; a
    // body is synced on another, so that small entries need not wait for it.
    private let writer = DispatchQueue(label: "apus.cache.writer")
    private let stager = DispatchQueue(label: "apus.cache.bodies")

    init(
        folder: String,
        limit: Int,
        pageLimit: Int? = nil,
        clock: @escaping @Sendable () -> Date,
        notice: @escaping @Sendable (CacheNotice) -> Void
    ) {
        self.folder = folder
        self.limit = limit
        self.pageLimit = pageLimit
        self.clock = clock
        self.notice = notice
        bodies = BodyFolder(path: "\(folder)/bodies")
        lending = LendingFolder(path: "\(folder)/lent")
    }
}

// MARK: - Reading

extension DiskStore {
    /// What a read found.
    enum Found: Sendable {
        case entry(StoredResponse)
        case corrupt(detail: String)
        case unavailable(detail: String)
        case nothing
    }

    /// The entry of a key.
    ///
    /// Its body is in memory up to `memoryLimit` bytes, else in a file that
    /// eviction cannot take away.
    ///
    /// A damaged entry is removed, and said to be corrupt.
    func find(_ key: CacheKey, memoryLimit: Int) async -> Found {
        switch await read({ try $0.find(key) }) {
        case .success(nil), .success(.nothing): return .nothing
        case .success(.corrupt(let detail)):
            return await removeCorrupt(key, detail) { try $0.remove(key) }
        case .success(.entry(let entry, nil)): return .entry(withUnsavedUse(entry))
        case .success(.entry(var entry, let file?)):
            guard let body = await body(file, memoryLimit) else {
                // It may have been stored anew meanwhile: only the entry read goes.
                let stored = entry.life.stored
                return await removeCorrupt(
                    key,
                    "the file of its body is missing or has another size"
                ) {
                    try $0.remove(key, storedAt: stored)
                }
            }
            entry.body = body
            return .entry(withUnsavedUse(entry))
        case .failure(let fault):
            return fault.isDamage
                ? .corrupt(detail: fault.detail) : .unavailable(detail: fault.detail)
        }
    }

    /// All entries; none if the disk cannot be read.
    func entries() async -> [CacheEntry] {
        (try? await read { try $0.entries() }.get()) ?? []
    }

    /// How many entries there are, and their bytes.
    func size() async -> (count: Int, bytes: Int) {
        (try? await read { try $0.size() }.get()) ?? (0, 0)
    }

    private func withUnsavedUse(_ entry: StoredResponse) -> StoredResponse {
        guard let use = state.withLock({ $0.uses[entry.key] }) else { return entry }
        var entry = entry
        entry.hits += use.hits
        entry.life.expires = use.expires ?? entry.life.expires
        return entry
    }

    private func body(_ file: BodyReference, _ memoryLimit: Int) async -> ResponseBody? {
        let path = bodies.file(file.digest)
        return await withCheckedContinuation { continuation in
            stager.async { [lending] in
                guard PrivateFiles.size(of: path) == file.count else {
                    return continuation.resume(returning: nil)
                }
                if file.count > memoryLimit {
                    let lent = try? lending.lend(path, count: file.count)
                    return continuation.resume(returning: lent.map(ResponseBody.file))
                }
                let bytes = try? FileBytes.read(path)
                continuation.resume(
                    returning: bytes?.count == file.count ? bytes.map(ResponseBody.bytes) : nil
                )
            }
        }
    }

    private func removeCorrupt(
        _ key: CacheKey,
        _ detail: String,
        _ removal: @escaping @Sendable (DiskTable) throws -> Bool
    ) async -> Found {
        if case .success(true) = await write(removal) {
            notice(.removedCorrupt(key, detail: detail))
        }
        return .corrupt(detail: detail)
    }

    /// Reads on a connection of the pool's readers; nil if there is no file yet.
    ///
    /// A row comes from the system's page cache in microseconds, about what a
    /// change of threads takes, so it is read on the calling thread of the pool,
    /// never on an actor's. Bodies in files are read on a thread of their own.
    @concurrent
    private func read<T: Sendable>(
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async -> Result<T?, ReadFault> {
        do {
            guard let database = try await openedForReading() else { return .success(nil) }
            return .success(try row(of: database, body))
        } catch {
            return .failure(await readFailed(error))
        }
    }

    /// Not async, so that GRDB's synchronous read is meant.
    private func row<T>(
        of database: DiskDatabase,
        _ body: (DiskTable) throws -> T
    ) throws -> T {
        try database.pool.unsafeRead { try body(DiskTable(db: $0, bodies: bodies)) }
    }

    /// The open database; nil if there is no file yet.
    private func openedForReading() async throws -> DiskDatabase? {
        if let database = state.withLock({ $0.database }) { return database }
        return try await withCheckedThrowingContinuation { continuation in
            writer.async { [self] in
                let hasFile = PrivateFiles.size(of: "\(folder)/responses.sqlite") != nil
                continuation.resume(with: Result { hasFile ? try opened() : nil })
            }
        }
    }

    private func readFailed(_ error: any Error) async -> ReadFault {
        let detail = Self.detail(error)
        guard DiskDatabase.reasonToSetAside(error) != nil else {
            notice(.readFailed(detail: detail))
            return ReadFault(isDamage: false, detail: detail)
        }
        await withCheckedContinuation { continuation in
            writer.async { [self] in
                setAside(error)
                continuation.resume()
            }
        }
        return ReadFault(isDamage: true, detail: detail)
    }
}

// MARK: - Writing

extension DiskStore {
    /// Puts an entry in; returns when it is committed.
    func insert(_ entry: StoredResponse) async -> Result<Void, Fault> {
        guard entry.body.count > Self.largestRowBody else {
            return await write { try $0.insert(entry, nil) }
        }
        let staged: Result<BodyFolder.Staged, PrivateFiles.Fault> =
            await withCheckedContinuation { continuation in
                stager.async { [bodies] in
                    continuation.resume(
                        returning: Result { () throws(PrivateFiles.Fault) in
                            try bodies.stage(entry.body)
                        }
                    )
                }
            }
        switch staged {
        case .success(let staged): return await write { try $0.insert(entry, staged) }
        case .failure(let fault):
            notice(.writeFailed(detail: fault.description))
            return .failure(Fault(detail: fault.description))
        }
    }

    /// A body of more bytes gets a file of its own.
    static let largestRowBody = 64 << 10

    /// Removes the entry of a key; whether there was one.
    func remove(_ key: CacheKey) async -> Bool {
        state.withLock { $0.uses[key] = nil }
        return await removing(false) { try $0.remove(key) }
    }

    /// Removes what has expired; how many entries.
    func removeExpired(at now: Date) async -> Int {
        await removing(0) { try $0.removeExpired(at: now) }
    }

    /// Removes everything.
    func removeAll() async {
        state.withLock { $0.uses = [:] }
        await removing(()) { try $0.removeAll() }
    }

    /// Uses that a transaction is begun for, if no write comes before.
    private static let manyUses = 16_384

    /// Keeps uses for the next transaction; with very many, it begins one.
    func note(_ uses: [CacheKey: EntryUse]) {
        guard !uses.isEmpty else { return }
        let hasMany = state.withLock { state in
            for (key, use) in uses {
                state.uses[key, default: EntryUse(lastAccess: use.lastAccess)].merge(use)
            }
            return state.uses.count >= Self.manyUses
        }
        if hasMany { writer.async { [self] in drain() } }
    }

    /// Returns when all that was noted is written.
    func flush() async {
        guard state.withLock({ !$0.uses.isEmpty || !$0.pending.isEmpty }) else { return }
        _ = await write { _ in }
    }

    /// Writes what waits, and closes the file; the next use opens it again.
    func close() async {
        await flush()
        await withCheckedContinuation { continuation in
            writer.async { [self] in
                let database = state.withLock { $0.database.take() }
                // A reader that is still at work closes it when it is done.
                try? database?.pool.close()
                continuation.resume()
            }
        }
    }

    private func removing<T: Sendable>(
        _ none: T,
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async -> T {
        guard PrivateFiles.size(of: "\(folder)/responses.sqlite") != nil else { return none }
        let removed = await write(body)
        writer.async { [self] in
            // Space given up goes back to the file system; a fault here costs nothing else.
            let database = state.withLock { $0.database }
            try? database?.pool
                .writeWithoutTransaction { try $0.execute(sql: "PRAGMA incremental_vacuum") }
        }
        return (try? removed.get()) ?? none
    }

    private func write<T: Sendable>(
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
    private func drain() {
        let (writes, uses) = state.withLock { state in
            defer { (state.pending, state.uses) = ([], [:]) }
            return (state.pending, state.uses)
        }
        guard !writes.isEmpty || !uses.isEmpty else { return }
        let noting = Write(
            run: { table in
                try table.note(uses)
                return {}
            },
            fail: { _ in }
        )
        do {
            try commit(uses.isEmpty ? writes : [noting] + writes)
        } catch {
            if DiskDatabase.reasonToSetAside(error) != nil { setAside(error) }
            // Each by itself: one that cannot be written does not spoil the rest.
            for write in writes { commitAlone(write) }
        }
    }

    private func commitAlone(_ write: Write) {
        do {
            try commit([write])
        } catch {
            let detail = Self.detail(error)
            notice(.writeFailed(detail: detail))
            write.fail(Fault(detail: detail))
        }
    }

    private func commit(_ writes: [Write]) throws {
        let pool = try opened().pool
        let completions = try pool.writeWithoutTransaction { db in
            var completions: [@Sendable () -> Void] = []
            // Immediate: the lock is had before anything is done to body files.
            try db.inTransaction(.immediate) {
                let table = DiskTable(db: db, bodies: bodies)
                completions = try writes.map { try $0.run(table) }
                let now = clock()
                try table.trim(to: limit, at: now)
                try table.cleanIfDue(at: now)
                return .commit
            }
            return completions
        }
        for complete in completions { complete() }
    }

    /// The open database.
    ///
    /// Runs on `writer`.
    private func opened() throws -> DiskDatabase {
        if let database = state.withLock({ $0.database }) { return database }
        let database = try DiskDatabase(folder: folder, at: clock(), pageLimit: pageLimit)
        state.withLock { $0.database = database }
        if let found = database.notice { notice(found) }
        return database
    }

    /// Takes a file out of use that has shown itself damaged.
    ///
    /// Runs on `writer`.
    private func setAside(_ error: any Error) {
        guard let reason = DiskDatabase.reasonToSetAside(error),
            let database = state.withLock({ $0.database.take() })
        else { return }
        try? database.pool.close()
        do {
            if let found = try database.setAside(folder, reason, at: clock()) { notice(found) }
        } catch {
            notice(.writeFailed(detail: Self.detail(error)))
        }
    }

    private static func detail(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError:
            "\(error.message ?? "SQLite error") (\(error.extendedResultCode.rawValue))"
        case let error as PrivateFiles.Fault: error.description
        default: String(describing: error)
        }
    }
}
