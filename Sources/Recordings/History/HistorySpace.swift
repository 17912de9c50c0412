import Apus
import FoundationEssentials
import GRDB
import Glibc

/// How large a history is.
public struct HistoryUsage: Sendable, Hashable {
    /// How many exchanges.
    public let exchanges: Int
    /// The bytes of its files.
    public let size: Int
}

/// What compacting a history gave back.
public struct HistoryCompaction: Sendable, Hashable {
    /// How many exchanges were beyond the limits.
    public let removed: Int
    /// How much smaller its files are.
    public let freed: Int
}

extension History {
    /// How large it is.
    public func usage() async throws(RecordingError) -> HistoryUsage {
        let count = try await read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM exchange") ?? 0
        }
        return HistoryUsage(exchanges: count, size: size)
    }

    /// Removes what is beyond the limits, and gives back the room that nothing is in.
    public func compact() async throws(RecordingError) -> HistoryCompaction {
        let before = size
        let removed = try await writing { [self] pool in
            var removed = 0
            while case let count = trim(pool), count > 0 { removed += count }
            try pool.write { db in
                // In the transaction, so that a body being written by another process has its row already.
                for file in try bodies.orphans(in: db) { unlink(file) }
                try db.execute(sql: "PRAGMA incremental_vacuum")
            }
            // A reader may hold the log; then a later checkpoint empties it.
            _ = pool.writeWithoutTransaction { try? $0.checkpoint(.truncate) }
            return removed
        }
        return HistoryCompaction(removed: removed, freed: max(0, before - size))
    }

    /// The bytes of all files.
    private var size: Int {
        let files = ["", "-wal", "-search", "-search-wal"].map { path + $0 }
        return (files + bodies.files).reduce(0) { $0 + Self.size(of: $1) }
    }

    /// The bytes of a file; 0 if there is none.
    static func size(of file: String) -> Int {
        var status = stat()
        return lstat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes the oldest exchanges beyond the limits, some at a time.
    ///
    /// Runs on `writer`.
    ///
    /// - Returns: how many it removed.
    @discardableResult func trim(_ pool: DatabasePool) -> Int {
        let limits = limits
        let oldest = now - limits.age / .seconds(1)
        do {
            return try delete(in: pool) { db in
                let total = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT count, size FROM total")
                )
                var surplus =
                    try total.map { try RowAmount.amount($0, "count") - limits.exchanges } ?? 0
                var excess = try total.map { try RowAmount.amount($0, "size") - limits.bytes } ?? 0
                if excess > 0 { excess = try Self.bytesOutsideOfSessions(db) - limits.bytes }
                let rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT id, size, started FROM exchange WHERE session IS NULL
                            ORDER BY id LIMIT 512
                            """
                    )
                )
                var ids: [Int64] = []
                while let row = try rows.next() {
                    let isOld =
                        try RowTime.date(row, "started").timeIntervalSinceReferenceDate < oldest
                    guard surplus > 0 || excess > 0 || isOld else { break }
                    ids.append(try row.decode(forColumn: "id"))
                    surplus -= 1
                    excess -= try RowAmount.size(row)
                }
                return ids
            }
        } catch {
            // The next commit tries again, and reports what cannot be written.
            return 0
        }
    }

    /// The bytes of bodies outside of sessions; `total` also counts those of sessions, which no limit
    /// removes.
    ///
    /// 80 ms for 10,000 exchanges, so it is asked only where all bodies are above the limit.
    private static func bytesOutsideOfSessions(_ db: Database) throws -> Int {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    WITH own AS (
                        SELECT request_body, response_body FROM detail
                        WHERE id IN (SELECT id FROM exchange WHERE session IS NULL))
                    SELECT total(size) AS size FROM body WHERE place <> 2 AND id IN (
                        SELECT request_body FROM own UNION SELECT response_body FROM own)
                    """
            )
        )
        return try row.map { try RowAmount.amount($0, "size") } ?? 0
    }

    /// Deletes the exchanges that `find` gives the numbers of, and what only they have; how many.
    func delete(
        in pool: DatabasePool,
        _ find: (Database) throws -> [RecordedExchange.ID]
    ) throws -> Int {
        let (count, digests) = try pool.write { db in
            let ids = try find(db)
            return (ids.count, try delete(ids, from: db))
        }
        guard !digests.isEmpty else { return count }
        // In a transaction of its own: without the commit the rows would come back, and another process
        // may have stored the same meanwhile.
        try pool.write { db in
            for digest in digests { try bodies.removeFile(of: digest, unlessIn: db) }
        }
        return count
    }

    /// The digests of bodies whose files can be removed after the commit.
    private func delete(_ ids: [Int64], from db: Database) throws -> [String] {
        var digests: [String] = []
        for id in ids {
            let bodies = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT request_body, response_body FROM detail WHERE id = ?"
                ),
                arguments: [id]
            )
            for column in ["request_body", "response_body"] {
                guard let body = try bodies?.decode(Int64?.self, forColumn: column) else {
                    continue
                }
                if let digest = try self.bodies.remove(body, from: db) { digests.append(digest) }
            }
            try db.cachedStatement(sql: "DELETE FROM detail WHERE id = ?").execute(arguments: [id])
            let isCounted =
                try Bool.fetchOne(
                    db.cachedStatement(sql: "SELECT session IS NULL FROM exchange WHERE id = ?"),
                    arguments: [id]
                ) ?? false
            try db.cachedStatement(sql: "DELETE FROM exchange WHERE id = ?")
                .execute(arguments: [id])
            guard isCounted else { continue }
            try db.cachedStatement(sql: "UPDATE total SET count = count - 1").execute()
        }
        // Waiting exchanges may belong to any of them. A run that did not end for a day was cut off.
        let runs = try Int64.fetchAll(
            db,
            sql: """
                DELETE FROM run WHERE (ended IS NOT NULL OR started < ?)
                    AND NOT EXISTS (SELECT 1 FROM inbox)
                    AND NOT EXISTS (SELECT 1 FROM exchange WHERE exchange.run = run.id)
                RETURNING id
                """,
            arguments: [now - 86_400]
        )
        if let last = runs.max() { try Self.retire(last, db) }
        return digests
    }
}
