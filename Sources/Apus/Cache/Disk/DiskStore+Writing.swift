import Dispatch
import FoundationEssentials
import GRDB
import Synchronization

extension DiskStore {
    /// Puts an entry in; returns when it is committed.
    func insert(_ entry: StoredResponse) async -> Result<Void, Fault> {
        switch await staged(entry) {
        case .success(let staged): return await write { try $0.insert(entry, staged) }
        case .failure(let fault): return .failure(fault)
        }
    }

    /// Puts an entry in and the older ones out whose place it takes, later; a failure is a notice.
    ///
    /// Reads of the same key from now on find it.
    func insertUnwaited(
        _ entry: StoredResponse,
        inPlaceOf superseded: (@Sendable (DiskTable) throws -> [Int])? = nil
    ) {
        let digests = [entry.key.digest] + (entry.http.map { [$0.primary] } ?? [])
        begin(digests)
        stage(entry) { [self] staged in
            switch staged {
            case .failure: end(digests)
            case .success(let staged):
                enqueue(digests) { table in
                    for row in try superseded?(table) ?? [] {
                        _ = try table.remove(row: Int64(row))
                    }
                    try table.insert(entry, staged)
                }
            }
        }
    }

    /// Does something to the entries with these digests, later; a failure is a notice.
    func writeUnwaited(
        changing digests: [String],
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        // A write under way is about to make the file.
        let isWriting = state.withLock { !$0.unwaited.isEmpty }
        guard isWriting || PrivateFiles.size(of: "\(folder)/responses.sqlite") != nil else {
            return
        }
        begin(digests)
        // Bodies under way come first: what is removed here may be among them.
        stager.async { [self] in enqueue(digests, body) }
    }

    private func begin(_ digests: [String]) {
        state.withLock { state in for digest in digests { state.unwaited[digest, default: 0] += 1 }
        }
    }

    private func end(_ digests: [String]) {
        state.withLock { state in
            for digest in digests {
                let count = (state.unwaited[digest] ?? 1) - 1
                state.unwaited[digest] = count > 0 ? count : nil
            }
        }
    }

    private func enqueue(
        _ digests: [String],
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        let write = Write(
            run: { [self] table in
                try body(table)
                return { self.end(digests) }
            },
            fail: { [self] _ in end(digests) }
        )
        state.withLock { $0.pending.append(write) }
        writer.async { [self] in drain() }
    }

    private func staged(_ entry: StoredResponse) async -> Result<BodyFolder.Staged?, Fault> {
        guard entry.body.count > Self.largestRowBody else { return .success(nil) }
        return await withCheckedContinuation { continuation in
            stage(entry) { continuation.resume(returning: $0) }
        }
    }

    /// Writes a large body to its file; all on one thread, in the order of the calls.
    private func stage(
        _ entry: StoredResponse,
        _ then: @escaping @Sendable (Result<BodyFolder.Staged?, Fault>) -> Void
    ) {
        stager.async { [self] in
            guard entry.body.count > Self.largestRowBody else { return then(.success(nil)) }
            do throws(PrivateFiles.Fault) {
                then(.success(try bodies.stage(entry.body)))
            } catch {
                notice(.writeFailed(detail: error.description))
                then(.failure(Fault(detail: error.description)))
            }
        }
    }

    /// Returns when the writes that nobody waits for are done.
    func settle() async {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        await withCheckedContinuation { continuation in
            stager.async { [self] in writer.async { continuation.resume() } }
        }
    }

    /// A body of more bytes gets a file of its own.
    static let largestRowBody = 64 << 10

    /// Removes the entry of a key; whether there was one.
    func remove(_ key: CacheKey) async -> Bool {
        state.withLock { $0.uses[key] = nil }
        return await removing(false) { table in
            let variants = try table.removeVariants(of: key)
            return try table.remove(key) || variants > 0
        }
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

    /// Keeps one use for the next transaction.
    func note(_ use: EntryUse, of key: CacheKey) {
        let hasMany = state.withLock { state in
            state.uses[key, default: EntryUse(lastAccess: use.lastAccess)].merge(use)
            return state.uses.count >= Self.manyUses
        }
        if hasMany { writer.async { [self] in drain() } }
    }

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
        await settle()
        guard state.withLock({ !$0.uses.isEmpty || !$0.pending.isEmpty }) else { return }
        _ = await write { _ in }
    }

    /// Writes what waits, and closes the file; the next use opens it again.
    func close() async {
        await flush()
        await withCheckedContinuation { continuation in
            writer.async { [self] in
                let database = state.withLock { $0.database.take() }
                database?.reader.close()
                // A write that is still at work closes it when it is done.
                try? database?.pool.close()
                continuation.resume()
            }
        }
    }

    private func removing<T: Sendable>(
        _ none: T,
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async -> T {
        await settle()
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
        let (completions, cleaned) = try pool.writeWithoutTransaction { db in
            var completions: [@Sendable () -> Void] = []
            var cleaned = 0
            var obsolete: Set<String> = []
            // Immediate: the lock is had before anything is done to body files.
            try db.inTransaction(.immediate) {
                let table = DiskTable(db: db, bodies: bodies)
                completions = try writes.map { try $0.run(table) }
                let now = clock()
                cleaned = try table.trim(to: limits, at: now)
                cleaned += try table.cleanIfDue(at: now)
                obsolete = table.obsolete.digests
                return .commit
            }
            if !obsolete.isEmpty { removeBodies(obsolete, db) }
            return (completions, cleaned)
        }
        for complete in completions { complete() }
        if cleaned > 0 { notice(.cleaned(cleaned)) }
    }

    private func removeBodies(_ digests: Set<String>, _ db: Database) {
        // A file that stays for a fault here is found again by `cleanIfDue`.
        try? db.inTransaction(.immediate) {
            try DiskTable(db: db, bodies: bodies).removeBodies(digests)
            return .commit
        }
    }

    /// The open database.
    ///
    /// Runs on `writer`.
    func opened() throws -> DiskDatabase {
        if let database = state.withLock({ $0.database }) { return database }
        let database = try DiskDatabase(folder: folder, at: clock(), pageLimit: pageLimit)
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
        default: String(describing: error)
        }
    }
}
