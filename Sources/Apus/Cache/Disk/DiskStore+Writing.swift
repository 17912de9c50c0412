import Dispatch
import FoundationEssentials
import GRDB
import Synchronization

extension DiskStore {
    /// Puts an entry in; returns when it is committed.
    func insert(_ entry: StoredResponse) async -> Result<Void, Fault> {
        // What is to be written before comes first.
        if isChanging(entry.rows) { await settle() }
        switch await staged(entry) {
        case .success(let parts): return await write { try $0.insert(entry, parts) }
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
        let rows = entry.rows
        let count = entry.body.count
        let isFirst = begin(rows, count)
        let insert: @Sendable (EntryParts) -> Void = { [self] parts in
            enqueue(rows, count) { table in
                for row in try superseded?(table) ?? [] {
                    _ = try table.remove(row: Int64(row))
                }
                try table.insert(entry, parts)
            }
        }
        // Without a body to write first and with nothing before it, the other thread has no part.
        if isFirst, !isStagingNeeded(entry) { return insert(EntryParts()) }
        stage(entry) { [self] staged in
            switch staged {
            case .failure: end(rows, count)
            case .success(let parts): insert(parts)
            }
        }
    }

    /// Does something to the entries in these rows, later; a failure is a notice.
    func writeUnwaited(
        changing rows: [Int64],
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        // A write under way is about to make the file.
        let isWriting = state.withLock { !$0.unwaited.isEmpty }
        guard isWriting || PrivateFiles.size(of: "\(folder)/responses.sqlite") != nil else {
            return
        }
        begin(rows)
        // Bodies under way come first: what is removed here may be among them.
        stager.async { [self] in enqueue(rows, 0, body) }
    }

    /// Counts a write that nobody waits for; whether no other is under way for its rows.
    @discardableResult
    private func begin(_ rows: [Int64], _ bytes: Int = 0) -> Bool {
        let (isFirst, isNew) = state.withLock { state in
            state.unwaitedBytes += bytes
            let isFirst = rows.allSatisfy { state.unwaited[$0] == nil }
            for row in rows { state.unwaited[row, default: 0] += 1 }
            defer { state.isKnownAtExit = true }
            return (isFirst, !state.isKnownAtExit)
        }
        if isNew { ExitFlush.add(self) }
        return isFirst
    }

    private func isChanging(_ rows: [Int64]) -> Bool {
        state.withLock { state in
            !state.unwaited.isEmpty && rows.contains { state.unwaited[$0] != nil }
        }
    }

    private func end(_ rows: [Int64], _ bytes: Int) {
        state.withLock { state in
            state.unwaitedBytes -= bytes
            for row in rows {
                let count = (state.unwaited[row] ?? 1) - 1
                state.unwaited[row] = count > 0 ? count : nil
            }
        }
    }

    private func enqueue(
        _ rows: [Int64],
        _ bytes: Int = 0,
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        let write = Write(
            run: { [self] table in
                try body(table)
                return { self.end(rows, bytes) }
            },
            fail: { [self] _ in end(rows, bytes) }
        )
        state.withLock { $0.pending.append(write) }
        writer.async { [self] in drain() }
    }

    private func staged(_ entry: StoredResponse) async -> Result<EntryParts, Fault> {
        guard isStagingNeeded(entry) else { return .success(EntryParts()) }
        return await withCheckedContinuation { continuation in
            stage(entry) { continuation.resume(returning: $0) }
        }
    }

    /// Writes a large body to its file; all on one thread, in the order of the calls.
    private func stage(
        _ entry: StoredResponse,
        _ then: @escaping @Sendable (Result<EntryParts, Fault>) -> Void
    ) {
        stager.async { [self] in
            do {
                then(.success(try parts(of: entry)))
            } catch {
                let detail = Self.detail(error)
                notice(.writeFailed(detail: detail))
                then(.failure(Fault(detail: detail)))
            }
        }
    }

    /// Whether there is something to do for an entry before its transaction.
    private func isStagingNeeded(_ entry: StoredResponse) -> Bool {
        serializer != nil || entry.body.count > Self.largestRowBody
    }

    private func parts(of entry: StoredResponse) throws -> EntryParts {
        var parts = EntryParts()
        var body = entry.body
        if let serializer {
            let digest = entry.key.digest
            parts.form = serializer.name
            parts.head = try serializer.encode(
                ResponseRecord(entry).encoded,
                CachePart(.head, digest: digest)
            )
            let bytes = try serializer.encode(
                try entry.body.load(),
                CachePart(.body, digest: digest)
            )
            parts.body = bytes
            body = .bytes(bytes)
        }
        guard body.count > Self.largestRowBody else { return parts }
        parts.staged = try bodies.stage(body)
        parts.body = nil
        return parts
    }

    /// A body that is larger is not written with a serializer, which needs all of it in memory.
    static let largestSealedBody = 64 << 20

    /// Returns when the writes that nobody waits for are done.
    func settle() async {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        await withCheckedContinuation { continuation in
            stager.async { [self] in writer.async { continuation.resume() } }
        }
    }

    /// Returns at once unless very much waits to be written: what comes faster than the disk
    /// takes it must not pile up in memory.
    func catchUp() async {
        if state.withLock({ $0.unwaitedBytes > Self.mostUnwaitedBytes }) { await settle() }
    }

    private static let mostUnwaitedBytes = 32 << 20

    /// Leaves the group when the writes that nobody waits for are done.
    func settle(_ group: DispatchGroup) {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        group.enter()
        stager.async { [self] in writer.async { group.leave() } }
    }

    /// A body of more bytes gets a file of its own.
    static let largestRowBody = 64 << 10

    /// Removes the entry of a key; whether there was one.
    func remove(_ key: CacheKey) async -> Bool {
        state.withLock { $0.uses[key.name] = nil }
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

    /// Uses that a transaction is begun for, if no write comes before: each changes a page of the
    /// file, and many of one entry only one.
    private static let manyUses = 32_768
    /// Uses that go into one transaction, so that the log does not grow by a page for each.
    private static let usesAtOnce = 2048

    /// Keeps one use for the next transaction; with very many, it begins one.
    func note(_ use: EntryUse, of name: KeyName) {
        noting { uses in
            uses[name, default: EntryUse(lastAccess: use.lastAccess)].merge(use)
        }
    }

    /// Keeps uses for the next transaction; with very many, it begins one.
    func note(_ uses: [KeyName: EntryUse]) {
        guard !uses.isEmpty else { return }
        noting { known in
            known.merge(uses) { earlier, later in
                var both = earlier
                both.merge(later)
                return both
            }
        }
    }

    private func noting(_ add: (inout [KeyName: EntryUse]) -> Void) {
        let isDrainDue = state.withLock { state in
            add(&state.uses)
            guard state.uses.count >= Self.manyUses, !state.isDrainDue else { return false }
            state.isDrainDue = true
            return true
        }
        if isDrainDue { writer.async { [self] in drain() } }
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
            if DiskDatabase.reasonToSetAside(error) != nil { setAside(error) }
            // Each by itself: one that cannot be written does not spoil the rest.
            for write in writes { commitAlone(write) }
        }
    }

    private static func write(of uses: ArraySlice<(key: KeyName, value: EntryUse)>) -> Write {
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
            let detail = Self.detail(error)
            notice(.writeFailed(detail: detail))
            write.fail(Fault(detail: detail))
        }
    }

    private func commit(_ writes: [Write]) throws {
        let database = try opened()
        database.reader.letGo()
        let (completions, cleaned) = try database.pool.writeWithoutTransaction { db in
            var completions: [@Sendable () -> Void] = []
            var cleaned = 0
            var obsolete: Set<String> = []
            // Immediate: the lock is had before anything is done to body files.
            try db.inTransaction(.immediate) {
                let table = DiskTable(db: db, bodies: bodies, serializer: serializer)
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
            try DiskTable(db: db, bodies: bodies, serializer: nil).removeBodies(digests)
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
