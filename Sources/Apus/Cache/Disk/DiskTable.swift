import FoundationEssentials
import HTTPTypes
import SQLite

/// Operations on the table `entry`, inside a transaction of the writer.
struct DiskTable {
    let db: Database
    let bodies: BodyFolder
    let serializer: (any CacheSerializer)?
    let changes = BodyChanges()

    /// An SQL condition: the row is no larger than one of the cache's own.
    ///
    /// Evaluated without reading the row into memory.
    static let isOfSize = """
        typeof(facts) = 'blob' AND length(facts) <= \(DiskDatabase.largestFacts)
        AND (body IS NULL OR typeof(body) = 'blob' AND length(body) <= \(DiskStore.largestRowBody))
        """

    /// Inserts an entry, and replaces the key's previous one.
    func insert(_ entry: StoredResponse, _ parts: SealedParts) throws {
        _ = try remove(row: entry.key.row)
        if let staged = parts.staged, try bodies.adopt(staged) { changes.add(staged) }
        let body = parts.staged == nil ? try parts.body ?? entry.body.load() : nil
        let checksum = parts.staged?.checksum ?? Checksum.of(body ?? [])
        let facts = EntryRecord(entry, parts, bodyChecksum: checksum)
            .encoded(before: parts.head ?? ResponseRecord(entry.storableResponse).encoded)
        try Self.check(facts)
        let cost = entry.body.count + facts.count + 200
        try db.execute(
            sql: Self.insertion,
            arguments: [
                entry.key.row, entry.key.name, facts, entry.life.expires.map(Self.number),
                Self.number(entry.lastAccess), entry.hits, cost, parts.staged?.digest,
                entry.http.map(\.primary.row), body,
            ]
        )
    }

    /// Throws if the facts are too large to be read again.
    private static func check(_ facts: [UInt8]) throws {
        guard facts.count > DiskDatabase.largestFacts else { return }
        throw DatabaseError(resultCode: .tooBig, message: "its fields are too large")
    }

    private static let insertion = """
        INSERT INTO entry (id, digest, facts, expires, last_access, hits, cost, file, primary_row,
            body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Adds uses to the rows of the entries that still exist.
    func note(_ uses: some Sequence<(key: KeyName, value: PendingUses)>) throws {
        for (name, use) in uses {
            try db.execute(
                sql: """
                    UPDATE entry SET hits = hits + ?, last_access = max(last_access, ?),
                        expires = max(expires, coalesce(?, expires)) WHERE id = ? AND digest = ?
                    """,
                arguments: [
                    use.hits, Self.number(use.lastAccess), use.expires.map(Self.number), name.row,
                    name,
                ]
            )
        }
    }

    func remove(_ key: CacheKey) throws -> Bool { try remove(row: key.row) }

    /// Removes the entry of a key if it is still the one stored at this date.
    func remove(_ key: CacheKey, storedAt stored: Date) throws -> Bool {
        guard try facts(of: key)?.stored == stored else { return false }
        return try remove(row: key.row)
    }

    /// Removes all entries but not their body files; returns their number.
    func removeAll() throws -> Int {
        try db.execute(sql: "DELETE FROM entry")
        return db.changesCount
    }

    /// Removes the entries that expired at `moment` or earlier; returns their number.
    func removeExpired(at moment: Date) throws -> Int {
        let rows = try Int64.fetchAll(
            db,
            sql: "SELECT id FROM entry WHERE expires <= ?",
            arguments: [Self.number(moment)]
        )
        for row in rows { _ = try remove(row: row) }
        return rows.count
    }

    /// Evicts entries if a limit is exceeded: first the expired, then the least recently used, down to a
    /// fraction of the limit, so that not every write has to evict.
    ///
    /// - Returns: the number of entries removed.
    func trim(to limits: DiskLimits, at now: Date) throws -> Int {
        guard limits.areExceeded(by: try size()) else { return 0 }
        var removed = try removeExpired(at: now)
        let size = try size()
        guard limits.areExceeded(by: size) else { return removed }
        var excess = limits.excess(of: size)
        let rows = try Row.fetchCursor(db, sql: "SELECT id, cost FROM entry ORDER BY last_access")
        var leaving: [Int64] = []
        while excess.bytes > 0 || excess.count > 0, let row = try rows.next() {
            leaving.append(try row.decode(atIndex: 0))
            // An invalid cost must not count for more than was asked.
            let cost = row.value(Int.self, at: 1) ?? 0
            excess.bytes -= min(max(cost, 0), limits.bytes)
            excess.count -= 1
        }
        for row in leaving { removed += try remove(row: row) ? 1 : 0 }
        return removed
    }

    /// Once an hour, removes entries that expired a day ago and files that nothing refers to.
    ///
    /// Until then an expired entry can still be shown with its age.
    ///
    /// - Returns: the number of entries removed.
    func cleanIfDue(at now: Date) throws -> Int {
        let cleaned = try Double.fetchOne(db, sql: "SELECT cleaned FROM total") ?? 0
        guard Self.number(now) >= cleaned + 3600 || cleaned > Self.number(now) + 3600 else {
            return 0
        }
        try db.execute(sql: "UPDATE total SET cleaned = ?", arguments: [Self.number(now)])
        let removed = try removeExpired(at: now.addingTimeInterval(-86_400))
        _ = try removeOrphans()
        for path in bodies.abandoned(at: now) { PrivateFiles.remove(path) }
        return removed
    }

    /// All entries without their bodies, most recently used first.
    func entries(at now: Date) throws -> [CacheEntry] {
        try Row.fetchCursor(
            db,
            sql: """
                SELECT facts, expires, last_access, hits FROM entry WHERE \(Self.isOfSize)
                ORDER BY last_access DESC
                """
        ).compactMap { row in
            row.withFacts { facts, _ in
                let life = EntryLifetime(
                    stored: facts.stored,
                    lifetime: facts.lifetime,
                    expires: row.value(Double.self, at: 1).map(PendingUses.date)
                )
                return CacheEntry(
                    key: facts.key,
                    request: facts.origin.value.request,
                    status: facts.status,
                    size: facts.size,
                    storage: .disk,
                    stored: facts.stored,
                    expires: life.endIfOver(at: now) ?? life.expires,
                    lastAccess: PendingUses.date(row.value(Double.self, at: 2) ?? 0),
                    hits: PendingUses.hits(row.value(Int64.self, at: 3) ?? 0),
                    freshUntil: facts.origin.value.http?.freshUntil(facts.freshUntil, at: now),
                    path: facts.file.map(bodies.file)
                )
            }
        }
    }

    /// The facts of a key's entry; nil if it is missing or unreadable, or the row is another key's.
    func facts(of key: CacheKey) throws -> EntryRecord? {
        try Row.fetchOne(
            db,
            sql: "SELECT facts FROM entry WHERE id = ? AND \(Self.isOfSize)",
            arguments: [key.row]
        )?.withFacts { facts, _ in
            facts.key == key ? facts : nil
        }
    }

    /// The number of entries, and their bytes.
    func size() throws -> (count: Int, bytes: Int) {
        let row = try Row.fetchOne(db, sql: "SELECT count, size FROM total")
        guard let count = row?.value(Int.self, at: 0), let bytes = row?.value(Int.self, at: 1),
            count >= 0, bytes >= 0
        else { return try recount() }
        return (count, bytes)
    }

    /// Recomputes the totals if they are invalid.
    private func recount() throws -> (count: Int, bytes: Int) {
        try db.execute(
            sql: """
                DELETE FROM total;
                INSERT INTO total SELECT CAST(total(max(cost, 0)) AS INTEGER), count(*), 0 FROM entry
                """
        )
        let count = try Int.fetchOne(db, sql: "SELECT count FROM total") ?? 0
        return (count, try Int.fetchOne(db, sql: "SELECT size FROM total") ?? 0)
    }

    func remove(row: Int64) throws -> Bool {
        let file = "SELECT file FROM entry WHERE id = ?"
        guard let found = try Row.fetchOne(db, sql: file, arguments: [row]) else { return false }
        if let file = found.value(String.self, at: 0), DigestFolder.isDigest(file) {
            changes.add(obsolete: file)
        }
        // RETURNING would read the whole row, and refuse one that is too large.
        try db.execute(sql: "DELETE FROM entry WHERE id = ?", arguments: [row])
        return true
    }

    /// Removes the body files that no entry refers to.
    ///
    /// Needs its own transaction, so that no other process adopts one of them meanwhile.
    func removeBodies(_ digests: Set<String>) throws {
        for digest in digests where try !isReferred(digest) { bodies.remove(digest) }
    }

    func isReferred(_ file: String) throws -> Bool {
        let query = "SELECT 1 FROM entry WHERE file = ? LIMIT 1"
        return try Int.fetchOne(db, sql: query, arguments: [file]) != nil
    }

    private static func number(_ date: Date) -> Double { date.timeIntervalSinceReferenceDate }
}

extension Row {
    /// Passes the facts in the first column and the head after them to `body`; nil if they cannot be read.
    func withFacts<R>(_ body: (EntryRecord, _ head: UnsafeRawBufferPointer) -> R?) -> R? {
        withBytes(atIndex: 0) { EntryRecord.read($0).flatMap(body) }
    }
}

extension DiskTable {
    /// The heads of the entries under a primary key, most recently used first.
    ///
    /// Limited in case there are far more than there should be.
    func heads(of primary: KeyName, account: String) throws -> [StoredHead] {
        try Row.fetchCursor(
            db,
            sql: """
                SELECT facts FROM entry WHERE primary_row = ? AND \(Self.isOfSize)
                ORDER BY last_access DESC LIMIT \(2 * HTTPCacheRules.variantLimit)
                """,
            arguments: [primary.row]
        ).compactMap { row in
            row.withFacts { facts, head in
                guard facts.form == serializer?.name, let http = facts.origin.value.http,
                    http.primary == primary, http.account == account,
                    let record = record(of: facts, head)
                else { return nil }
                return http.storedHead(facts.key, record.head)
            }
        }
    }

    /// Updates the head and times of an entry, if it still exists.
    func update(_ entry: StoredResponse) throws {
        guard entry.http != nil, var facts = try facts(of: entry.key),
            facts.form == serializer?.name
        else { return }
        guard !entry.sendsCredential else {
            _ = try remove(row: entry.key.row)
            return
        }
        facts.origin = facts.origin.with { $0.http = entry.http }
        facts.freshUntil = entry.freshUntil
        var head = ResponseRecord(entry.storableResponse).encoded
        if let serializer {
            head = try serializer.encode(head, CachePart(.head, digest: entry.key.digest))
        }
        let bytes = facts.encoded(before: head)
        try Self.check(bytes)
        // No trigger updates the total when an entry grows.
        try db.execute(
            sql: """
                UPDATE total SET size = size + ? - (SELECT length(facts) FROM entry WHERE id = ?)
                """,
            arguments: [bytes.count, entry.key.row]
        )
        try db.execute(
            sql: "UPDATE entry SET cost = cost + ? - length(facts), facts = ? WHERE id = ?",
            arguments: [bytes.count, bytes, entry.key.row]
        )
    }

    /// The decoded head; nil if it cannot be read.
    private func record(of facts: EntryRecord, _ head: UnsafeRawBufferPointer) -> ResponseRecord? {
        guard let serializer else { return ResponseRecord(head) }
        let part = CachePart(.head, digest: facts.key.digest)
        let bytes = try? serializer.decode([UInt8](head), part)
        return bytes?.withUnsafeBytes { ResponseRecord($0) }
    }

    /// Removes all entries under a primary key; returns their number.
    func removeVariants(of primary: CacheKey) throws -> Int {
        let rows = try Int64.fetchAll(
            db,
            sql: "SELECT id FROM entry WHERE primary_row = ?",
            arguments: [primary.row]
        )
        for row in rows { _ = try remove(row: row) }
        return rows.count
    }
}
