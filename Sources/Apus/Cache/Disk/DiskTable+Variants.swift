import FoundationEssentials
import GRDB

extension DiskTable {
    /// What the rules look at of all that is kept under a primary key.
    func heads(of primary: KeyName, account: String) throws -> [StoredHead] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, http, record, digest FROM entry WHERE primary_row = ? AND form IS ?"
        )
        return try Row.fetchAll(statement, arguments: [primary.row, serializer?.name]).compactMap {
            row in
            guard
                let http = row.withUnsafeBytes(1, HTTPEntry.init),
                http.primary == primary, http.account == account,
                let record = head(in: row)
            else { return nil }
            return StoredHead(
                id: row[0],
                selecting: http.selecting,
                response: record.head,
                content: http.content,
                requestTime: http.requestTime,
                responseTime: http.responseTime,
                isInvalidated: http.isInvalidated
            )
        }
    }

    /// Gives an entry that is still there the head and times that `entry` has.
    func update(_ entry: StoredResponse) throws {
        guard let http = entry.http else { return }
        var record = ResponseRecord(entry).encoded
        if let serializer {
            record = try serializer.encode(record, CachePart(.head, digest: entry.key.digest))
        }
        let statement = try db.cachedStatement(
            sql: """
                UPDATE entry SET fresh_until = ?, http = ?, record = ?
                    WHERE id = ? AND digest = ? AND form IS ?
                """
        )
        try statement.execute(arguments: [
            Self.freshUntil(entry), Data(http.encoded), Data(record), entry.key.row,
            entry.key.name, serializer?.name,
        ])
    }

    /// The head in a row of `heads(of:account:)`; nil if it cannot be read.
    private func head(in row: Row) -> ResponseRecord? {
        guard let serializer else { return row.withUnsafeBytes(2, ResponseRecord.init) }
        let name: KeyName = row[3]
        let bytes = try? serializer.decode(
            [UInt8](row[2] as Data),
            CachePart(.head, digest: name.text)
        )
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

extension Row {
    /// A column's bytes as what they stand for; nil if they are none of it.
    fileprivate func withUnsafeBytes<T>(
        _ index: Int,
        _ read: (UnsafeRawBufferPointer) -> T?
    ) -> T? {
        (try? withUnsafeData(atIndex: index) { data in
            data.flatMap { $0.withUnsafeBytes { read($0) } }
        }) ?? nil
    }
}
