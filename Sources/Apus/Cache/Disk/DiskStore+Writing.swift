import Dispatch
import FoundationEssentials
import Glibc
import SQLite
import Synchronization

extension DiskStore {
    /// Inserts an entry; returns when it is committed.
    func insert(_ entry: StoredResponse) async -> Result<Void, Fault> {
        // Earlier writes come first.
        if isChanging(entry.rows) { await settle() }
        switch await staged(entry) {
        case .success(let parts): return await write { try $0.insert(entry, parts) }
        case .failure(let fault): return .failure(fault)
        }
    }

    /// Removes the entry of a key; returns whether there was one.
    func remove(_ key: CacheKey) async throws(ApusError) -> Bool {
        state.withLock { $0.uses[key.name] = nil }
        return try await removing(false) { table in
            let variants = try table.removeVariants(of: key)
            return try table.remove(key) || variants > 0
        }
    }

    /// Removes the expired entries; returns their number.
    func removeExpired(at now: Date) async throws(ApusError) -> Int {
        try await removing(0) { try $0.removeExpired(at: now) }
    }

    /// Removes everything, including databases that were set aside; none of it remains in any file.
    ///
    /// - Returns: the number of entries removed.
    func removeAll() async throws(ApusError) -> Int {
        state.withLock { $0.uses = [:] }
        let known = await size().count
        do throws(ApusError) {
            return try await removeAllRows()
        } catch {
            // Removing needs disk space too, for the log and its shared memory.
            guard case .file(_, ENOSPC) = error.reason else { throw error }
            try await removeFiles()
            return known
        }
    }

    /// Removes the files themselves; a process that has them open continues with nameless files.
    func removeFiles() async throws(ApusError) {
        let removal: Result<Void, ApusError> = await writer.run { [self] in
            let database = state.withLock { $0.database.take() }
            database?.reader.close()
            try? database?.pool.close()
            do {
                try DiskDatabase.removeFiles(folder)
                _ = lending.sweep()
                return .success(())
            } catch {
                return .failure(apusError(error))
            }
        }
        try removal.get()
    }

    private func removeAllRows() async throws(ApusError) -> Int {
        let count = try await removing(0, in: [DiskFolder.database, "bodies"]) { table in
            try table.removeAll()
        }
        // All remaining body files, and only now, when certainly no row refers to them.
        try await removing((), in: ["bodies"]) { table in
            try table.removeBodies(Set(table.bodies.digests))
            for path in table.bodies.abandoned(at: .distantFuture) { PrivateFiles.remove(path) }
        }
        await writer.run { [self] in
            SetAsideFiles(folder: folder).removeAll()
            _ = lending.sweep()
            state.withLock { $0.database }?.foldLog()
        }
        return count
    }

    /// The number of noted uses that starts a transaction if no write does earlier.
    ///
    /// Each use of another entry changes a page of the file; repeated uses of one entry change only one.
    private static let manyUses = 32_768
    /// The most uses in one transaction, so that the log does not grow by a page for each use.
    static let usesAtOnce = 2048

    /// Notes a use for the next transaction; too many noted uses start one.
    func note(_ use: PendingUses, of name: KeyName) {
        noting { $0.add(use, of: name) }
    }

    /// Notes uses for the next transaction; too many noted uses start one.
    func note(_ uses: [KeyName: PendingUses]) {
        guard !uses.isEmpty else { return }
        noting { known in
            for (name, use) in uses { known.add(use, of: name) }
        }
    }

    private func noting(_ add: (inout [KeyName: PendingUses]) -> Void) {
        guard isUsed else { return }
        let isDrainDue = state.withLock { state in
            add(&state.uses)
            guard state.uses.count >= Self.manyUses, !state.isDrainDue else { return false }
            state.isDrainDue = true
            return true
        }
        if isDrainDue { writer.async { [self] in drain() } }
    }

    /// Returns when everything pending is written.
    func flush() async {
        await settle()
        guard state.withLock({ !$0.uses.isEmpty || !$0.pending.isEmpty }) else { return }
        _ = await write { _ in }
    }

    /// Writes what is pending and closes the file; the next use opens it again.
    func close() async {
        await flush()
        await writer.run { [self] in
            let database = state.withLock { $0.database.take() }
            database?.reader.close()
            database?.foldLog()
            // A write that is still running closes it when it is done.
            try? database?.pool.close()
        }
    }

    /// Runs a removal if one of the names exists in the folder; otherwise returns `none`.
    private func removing<T: Sendable>(
        _ none: T,
        in names: [String] = [DiskFolder.database],
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async throws(ApusError) -> T {
        await settle()
        guard names.contains(where: { PrivateFiles.inode(of: "\(folder)/\($0)") != nil }) else {
            return none
        }
        let removed = await write(body)
        writer.async { [self] in
            // Returns freed space to the file system. A failure has no other effect.
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

    /// Encodes an entry if there is a serializer, and writes a large body to its file.
    ///
    /// Runs on `stager`, in the order of the calls.
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

    /// Whether an entry needs work before its transaction.
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
                ResponseRecord(entry.storableResponse).encoded,
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

    /// The largest body that is stored with a serializer, which needs all of it in memory.
    static let largestSealedBody = 64 << 20

    /// The largest body that is stored in its row; a larger one gets a file.
    static let largestRowBody = 64 << 10
}
