import Dispatch
import FoundationEssentials
import GRDB
import Glibc
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

    /// Removes the entry of a key; whether there was one.
    func remove(_ key: CacheKey) async throws(ApusError) -> Bool {
        state.withLock { $0.uses[key.name] = nil }
        return try await removing(false) { table in
            let variants = try table.removeVariants(of: key)
            return try table.remove(key) || variants > 0
        }
    }

    /// Removes what has expired; how many entries.
    func removeExpired(at now: Date) async throws(ApusError) -> Int {
        try await removing(0) { try $0.removeExpired(at: now) }
    }

    /// Removes everything, the copies of databases that were set aside too; nothing of it is in a
    /// file then.
    ///
    /// - Returns: how many entries there were.
    func removeAll() async throws(ApusError) -> Int {
        state.withLock { $0.uses = [:] }
        let known = await size().count
        do throws(ApusError) {
            return try await removeAllRows()
        } catch {
            // Even to remove takes room: in the log, and beside it.
            guard case .file(_, ENOSPC) = error.reason else { throw error }
            try await removeFiles()
            return known
        }
    }

    /// Removes the files as they are; a process that has them open goes on without a name for them.
    func removeFiles() async throws(ApusError) {
        let removal: Result<Void, ApusError> = await withCheckedContinuation { continuation in
            writer.async { [self] in
                let database = state.withLock { $0.database.take() }
                database?.reader.close()
                try? database?.pool.close()
                do {
                    try DiskDatabase.removeFiles(folder)
                    _ = lending.sweep()
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(apusError(error)))
                }
            }
        }
        try removal.get()
    }

    private func removeAllRows() async throws(ApusError) -> Int {
        let count = try await removing(0, in: ["responses.sqlite", "bodies"]) { table in
            try table.removeAll()
        }
        // All there are, whatever left them; and now, when no row refers to them for certain.
        try await removing((), in: ["bodies"]) { table in
            try table.removeBodies(Set(table.bodies.digests))
            for path in table.bodies.abandoned(at: .distantFuture) { PrivateFiles.remove(path) }
        }
        await withCheckedContinuation { continuation in
            writer.async { [self] in
                SetAsideFiles(folder: folder).removeAll()
                _ = lending.sweep()
                state.withLock { $0.database }?.foldLog()
                continuation.resume()
            }
        }
        return count
    }

    /// Uses that a transaction is begun for, if no write comes before: each changes a page of the
    /// file, and many of one entry only one.
    private static let manyUses = 32_768
    /// Uses that go into one transaction, so that the log does not grow by a page for each.
    static let usesAtOnce = 2048

    /// Keeps one use for the next transaction; with very many, it begins one.
    func note(_ use: PendingUses, of name: KeyName) {
        noting { uses in
            uses[name, default: PendingUses(lastAccess: use.lastAccess)].merge(use)
        }
    }

    /// Keeps uses for the next transaction; with very many, it begins one.
    func note(_ uses: [KeyName: PendingUses]) {
        guard !uses.isEmpty else { return }
        noting { known in
            known.merge(uses) { earlier, later in
                var both = earlier
                both.merge(later)
                return both
            }
        }
    }

    private func noting(_ add: (inout [KeyName: PendingUses]) -> Void) {
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
                database?.foldLog()
                // A write that is still at work closes it when it is done.
                try? database?.pool.close()
                continuation.resume()
            }
        }
    }

    /// Does something if there is one of these in the folder.
    private func removing<T: Sendable>(
        _ none: T,
        in names: [String] = ["responses.sqlite"],
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async throws(ApusError) -> T {
        await settle()
        guard names.contains(where: { PrivateFiles.inode(of: "\(folder)/\($0)") != nil }) else {
            return none
        }
        let removed = await write(body)
        writer.async { [self] in
            // Space given up goes back to the file system; a fault here costs nothing else.
            let database = state.withLock { $0.database }
            try? database?.pool
                .writeWithoutTransaction { try $0.execute(sql: "PRAGMA incremental_vacuum") }
        }
        return try removed.mapError(\.error).get()
    }
}

extension DiskStore {
    func staged(_ entry: StoredResponse) async -> Result<SealedParts, Fault> {
        guard isStagingNeeded(entry) else { return .success(SealedParts()) }
        return await withCheckedContinuation { continuation in
            stage(entry) { continuation.resume(returning: $0) }
        }
    }

    /// Writes a large body to its file; all on one thread, in the order of the calls.
    func stage(
        _ entry: StoredResponse,
        _ then: @escaping @Sendable (Result<SealedParts, Fault>) -> Void
    ) {
        stager.async { [self] in
            do {
                then(.success(try parts(of: entry)))
            } catch {
                let fault = fault(error)
                notice(.writeFailed(detail: fault.detail))
                then(.failure(fault))
            }
        }
    }

    /// Whether there is something to do for an entry before its transaction.
    func isStagingNeeded(_ entry: StoredResponse) -> Bool {
        serializer != nil || entry.body.count > Self.largestRowBody
    }

    private func parts(of entry: StoredResponse) throws -> SealedParts {
        var parts = SealedParts()
        var body = entry.body
        if let serializer {
            let digest = entry.key.digest
            parts.form = serializer.name
            parts.head = try serializer.encode(
                ResponseRecord(entry.storableAnswer).encoded,
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
        parts.staged = try bodies.stage(body, as: try lending.nextName())
        parts.body = nil
        return parts
    }

    /// A body that is larger is not written with a serializer, which needs all of it in memory.
    static let largestSealedBody = 64 << 20

    /// A body of more bytes gets a file of its own.
    static let largestRowBody = 64 << 10
}
