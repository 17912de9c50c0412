import Dispatch
import FoundationEssentials
import SQLite
import Synchronization

extension DiskStore {
    enum Found: ~Copyable, Sendable {
        case entry(StoredResponse)
        case otherForm(String?)
        case corrupt(detail: String)
        case unavailable(detail: String)
        case nothing
    }

    /// Finds the entry of a key.
    ///
    /// A body of up to `memoryLimit` bytes is in memory, a larger one in a file that eviction cannot remove.
    ///
    /// A damaged entry is removed, and the result is `.corrupt`.
    func find(_ key: CacheKey, memoryLimit: Int) async -> Found {
        if let found = findAtOnce(key) { return found }
        return await findWaiting(key, memoryLimit: memoryLimit)
    }

    /// As `find`, for when `findAtOnce` returned nil; it waits on the store's threads.
    func findWaiting(_ key: CacheKey, memoryLimit: Int) async -> Found {
        do {
            guard let database = try await openedForReading(key.row) else { return .nothing }
            return await resolved(try database.reader.find(key), key, memoryLimit)
        } catch {
            let fault = await readFailed(error)
            return fault.isDamage
                ? .corrupt(detail: fault.detail) : .unavailable(detail: fault.detail)
        }
    }

    /// Finds the entry of a key if it can be read without waiting; nil otherwise.
    ///
    /// It can if the file is open, no write to the key is pending, the body is in the row, and there is no
    /// serializer. A row takes microseconds, less than a thread switch, so it is read on the calling thread.
    func findAtOnce(_ key: CacheKey) -> Found? {
        guard serializer == nil else { return nil }
        let (reader, use) = state.withLock { state -> (DiskReader?, PendingUses?) in
            guard state.unwaited.isEmpty || state.unwaited[key.row] == nil else {
                return (nil, nil)
            }
            return (state.database?.reader, state.uses.isEmpty ? nil : state.uses[key.name])
        }
        guard let found = try? reader?.find(key) else { return nil }
        switch consume found {
        case .nothing: return .nothing
        case .entry(let entry, nil): return .entry(Self.with(use, entry))
        case .entry, .sealed, .otherForm, .corrupt: return nil
        }
    }

    private func resolved(
        _ found: DiskRow.Found,
        _ key: CacheKey,
        _ memoryLimit: Int
    ) async -> Found {
        switch opened(found) {
        case .nothing: return .nothing
        case .otherForm(let name): return .otherForm(name)
        case .sealed(let entry): return .otherForm(entry.facts.form)
        case .corrupt(let detail): return await removeCorrupt(key, detail) { try $0.remove(key) }
        case .entry(let entry, nil): return .entry(withUnsavedUse(entry))
        case .entry(let entry, let file?): return await withBody(entry, file, memoryLimit)
        }
    }

    /// Decodes an entry with the store's serializer.
    private func opened(_ found: DiskRow.Found) -> DiskRow.Found {
        switch (found, serializer) {
        case (.entry, .some): .otherForm(nil)
        case (.sealed(let entry), let serializer?) where entry.facts.form == serializer.name:
            entry.opened(by: serializer)
        case (.sealed(let entry), _): .otherForm(entry.facts.form)
        default: found
        }
    }

    /// All entries under a primary key; empty if the disk cannot be read.
    ///
    /// Bodies in files are left out; `find` loads them.
    func variants(of primary: CacheKey) async -> [DiskVariant] {
        do {
            guard let database = try await openedForReading(primary.row) else { return [] }
            var variants: [DiskVariant] = []
            for (row, found) in try database.reader.variants(of: primary) {
                switch opened(found) {
                case .entry(var entry, let file):
                    entry.readVary()
                    let variant = DiskVariant(entry: withUnsavedUse(entry), fileCount: file?.count)
                    variants.append(variant)
                case .corrupt(let detail):
                    _ = await removeCorrupt(primary, detail) { try $0.remove(row: row) }
                case .sealed, .otherForm, .nothing: break
                }
            }
            return variants
        } catch {
            _ = await readFailed(error)
            return []
        }
    }

    /// All entries; empty if the disk cannot be read.
    func entries() async -> [CacheEntry] {
        let now = clock()
        return (try? await read { try $0.entries(at: now) }.get()) ?? []
    }

    /// The number of entries, and their bytes.
    func size() async -> (count: Int, bytes: Int) {
        (try? await read { try $0.size() }.get()) ?? (0, 0)
    }

    private func withUnsavedUse(_ entry: StoredResponse) -> StoredResponse {
        Self.with(state.withLock { $0.uses.isEmpty ? nil : $0.uses[entry.key.name] }, entry)
    }

    private static func with(
        _ use: PendingUses?,
        _ entry: consuming StoredResponse
    ) -> StoredResponse {
        guard let use else { return entry }
        entry.hits += use.hits
        entry.life.expires = use.expires ?? entry.life.expires
        return entry
    }

    private func withBody(
        _ entry: StoredResponse,
        _ file: BodyReference,
        _ memoryLimit: Int
    ) async -> Found {
        guard let body = await body(file, of: entry.key, memoryLimit) else {
            // The key may have been stored again meanwhile, so remove only the entry that was read.
            let (key, stored) = (entry.key, entry.life.stored)
            return await removeCorrupt(key, RowCheck.changedFile) {
                $0.bodies.remove(file.digest)
                return try $0.remove(key, storedAt: stored)
            }
        }
        var entry = entry
        entry.body = body
        return .entry(withUnsavedUse(entry))
    }

    private func body(
        _ file: BodyReference,
        of key: CacheKey,
        _ memoryLimit: Int
    ) async -> ResponseBody? {
        await stager.run { [self] in body(file, of: key, memoryLimit) }
    }

    private func body(
        _ file: BodyReference,
        of key: CacheKey,
        _ memoryLimit: Int
    ) -> ResponseBody? {
        // A body read into memory is checked completely. A lent file is checked only while it is streamed,
        // because checking a gigabyte takes at least a tenth of a second, and lending it takes no time.
        if !file.isSealed, file.count > memoryLimit {
            return (try? lending.lend(file, of: bodies)).map(ResponseBody.file)
        }
        guard let bytes = bodies.open(file)?.read(), Checksum.of(bytes) == file.checksum else {
            return nil
        }
        return file.isSealed ? unsealed(bytes, file, of: key, memoryLimit) : .bytes(bytes)
    }

    private func unsealed(
        _ sealed: [UInt8],
        _ file: BodyReference,
        of key: CacheKey,
        _ memoryLimit: Int
    ) -> ResponseBody? {
        let part = CachePart(.body, digest: key.digest)
        guard let bytes = try? serializer?.decode(sealed, part), bytes.count == file.count else {
            return nil
        }
        guard bytes.count > memoryLimit else { return .bytes(bytes) }
        return (try? lending.lend(bytes)).map(ResponseBody.file)
    }

    private func removeCorrupt(
        _ key: CacheKey,
        _ detail: String,
        _ removal: @escaping @Sendable (DiskTable) throws -> Bool
    ) async -> Found {
        if case .success(true) = await write(removal) {
            counters.countDamaged()
            notice(.removedCorrupt(key, detail: detail))
        }
        return .corrupt(detail: detail)
    }

    /// Reads on a connection of the pool; nil if there is no file yet.
    @concurrent
    private func read<T: Sendable>(
        _ body: @escaping @Sendable (DiskTable) throws -> T
    ) async -> Result<T?, DiskReadError> {
        do {
            guard let database = try await openedForReading(nil) else { return .success(nil) }
            return .success(try reading(database, body))
        } catch {
            return .failure(await readFailed(error))
        }
    }

    /// Not async, so that the call resolves to the pool's synchronous read.
    func reading<T>(
        _ database: DiskDatabase,
        _ body: (DiskTable) throws -> T
    ) throws -> T {
        try database.pool.unsafeRead {
            try body(DiskTable(db: $0, bodies: bodies, serializer: nil))
        }
    }

    /// The database, opened if needed; nil if there is no file yet.
    ///
    /// Waits for the unwaited writes that change `row` (any row if nil), so that what was stored can be read.
    func openedForReading(_ row: Int64?) async throws -> DiskDatabase? {
        guard isUsed else { return nil }
        let (database, isChanging) = state.withLock { state in
            (
                state.database,
                !state.unwaited.isEmpty && row.map { state.unwaited[$0] != nil } ?? true
            )
        }
        if isChanging { await settle() }
        if let database { return database }
        let result: Result<DiskDatabase?, any Error> = await writer.run { [self] in
            Result {
                try PrivateFiles.exists("\(folder)/\(DiskFolder.database)") ? try opened() : nil
            }
        }
        return try result.get()
    }

    func readFailed(_ error: any Error) async -> DiskReadError {
        let detail = Self.detail(error)
        guard DiskDatabase.reasonToSetAside(error) != nil else {
            if !(error is Held) { notice(.readFailed(detail: detail)) }
            return DiskReadError(isDamage: false, detail: detail)
        }
        await writer.run { [self] in setAside(error) }
        return DiskReadError(isDamage: true, detail: detail)
    }
}

/// A response for a URL, as read from disk.
struct DiskVariant: Sendable {
    let entry: StoredResponse
    /// The size of the body in its file; nil if the entry contains the body.
    let fileCount: Int?
}
