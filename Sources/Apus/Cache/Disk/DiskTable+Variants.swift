import FoundationEssentials
import GRDB

extension DiskTable {
    /// What the rules look at of all that is kept under a primary key.
    func heads(of primary: KeyName, account: String) throws -> [StoredHead] {
        let statement = try db.cachedStatement(sql: "SELECT facts FROM entry WHERE primary_row = ?")
        return try Row.fetchAll(statement, arguments: [primary.row]).compactMap { row in
            row.withFacts { facts, head in
                guard facts.form == serializer?.name, let http = facts.origin.value.http,
                    http.primary == primary, http.account == account,
                    let record = record(of: facts, head)
                else { return nil }
                return http.storedHead(facts.key, record.head)
            }
        }
    }

    /// Gives an entry that is still there the head and times that `entry` has.
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
        var head = ResponseRecord(entry.storableAnswer).encoded
        if let serializer {
            head = try serializer.encode(head, CachePart(.head, digest: entry.key.digest))
        }
        let statement = try db.cachedStatement(sql: "UPDATE entry SET facts = ? WHERE id = ?")
        try statement.execute(arguments: [Data(facts.encoded(before: head)), entry.key.row])
    }

    /// The head as it was before a serializer had it; nil if it cannot be read.
    private func record(of facts: EntryFacts, _ head: UnsafeRawBufferPointer) -> ResponseRecord? {
        guard let serializer else { return ResponseRecord(head) }
        let part = CachePart(.head, digest: facts.key.digest)
        let bytes = try? serializer.decode([UInt8](head), part)
        return bytes?.withUnsafeBytes { ResponseRecord($0) }
    }

    /// Removes all that is kept under a primary key; how many entries.
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
