import Apus
import FoundationEssentials
import Glibc
import SQLite

/// The number of exchanges in a history and the size of its files.
public struct HistoryUsage: Sendable, Hashable {
    /// The number of exchanges.
    public let exchanges: Int
    /// The total size of its files in bytes.
    public let size: Int
}

/// The result of compacting a history.
public struct HistoryCompaction: Sendable, Hashable {
    /// How many exchanges were removed because they were beyond the limits.
    public let removed: Int
    /// By how many bytes its files have become smaller.
    public let freed: Int
}

extension History {
    /// The number of exchanges and the size of the files.
    public func usage() async throws(RecordingError) -> HistoryUsage {
        let count = try await read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM exchange") ?? 0
        }
        return HistoryUsage(exchanges: count, size: size)
    }

    /// Removes exchanges beyond the limits and returns unused space to the file system.
    public func compact() async throws(RecordingError) -> HistoryCompaction {
        let before = size
        let removed = try await writing { [self] pool in
            var removed = 0
            while case let count = trim(pool), count > 0 { removed += count }
            try pool.write { db in
                // Inside the transaction, so that a body that another process is writing already has its row.
                for file in try bodies.orphans(in: db) { unlink(file) }
                try db.execute(sql: "PRAGMA incremental_vacuum")
            }
            // If a reader holds the log, a later checkpoint empties it.
            try? pool.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            return removed
        }
        return HistoryCompaction(removed: removed, freed: max(0, before - size))
    }

    /// The size of all files in bytes.
    private var size: Int {
        let files = ["", "-wal", "-search", "-search-wal"].map { path + $0 }
        return (files + bodies.files).reduce(0) { $0 + Self.size(of: $1) }
    }

    /// The size of a file in bytes; 0 if there is none.
    static func size(of file: String) -> Int {
        var status = stat()
        return lstat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes the oldest exchanges beyond the limits, at most 512 at a time, on `writer`.
    ///
    /// - Returns: how many it removed.
    func trim(_ pool: DatabasePool) -> Int {
        let limits = limits
        let oldest = now - limits.age / .seconds(1)
        do {
            return try delete(in: pool) { db in
                let total = try Row.fetchOne(
                    db,
                    sql: "SELECT count, size FROM total"
                )
                var surplus =
                    try total.map { try ClampedColumn.amount($0, "count") - limits.exchanges } ?? 0
                var excess =
                    try total.map { try ClampedColumn.amount($0, "size") - limits.bytes } ?? 0
                if excess > 0 { excess = try Self.bytesOutsideOfSessions(db) - limits.bytes }
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT id, size, started FROM exchange WHERE session IS NULL
                        ORDER BY id LIMIT 512
                        """
                )
                var ids: [Int64] = []
                while let row = try rows.next() {
                    let isOld =
                        try TimeColumn.date(row, "started").timeIntervalSinceReferenceDate < oldest
                    guard surplus > 0 || excess > 0 || isOld else { break }
                    ids.append(try row.decode(forColumn: "id"))
                    surplus -= 1
                    excess -= try ClampedColumn.size(row)
                }
                return ids
            }
        } catch {
            // The next commit tries again and reports the error.
            return 0
        }
    }

    /// The size of all bodies outside sessions, in bytes.
    ///
    /// `total` also counts bodies of sessions, which no limit removes. This takes 80 ms for 10,000 exchanges, so
    /// it is called only if all bodies together are above the limit.
    private static func bytesOutsideOfSessions(_ db: Database) throws -> Int {
        let row = try Row.fetchOne(
            db,
            sql: """
                WITH own AS (
                    SELECT request_body, response_body FROM detail
                    WHERE id IN (SELECT id FROM exchange WHERE session IS NULL))
                SELECT total(size) AS size FROM body WHERE place <> 2 AND id IN (
                    SELECT request_body FROM own UNION SELECT response_body FROM own)
                """
        )
        return try row.map { try ClampedColumn.amount($0, "size") } ?? 0
    }

    /// Deletes the exchanges whose numbers `find` returns, with the bodies and runs that only they use.
    ///
    /// - Returns: how many exchanges were deleted.
    func delete(
        in pool: DatabasePool,
        _ find: (Database) throws -> [RecordedExchange.ID]
    ) throws -> Int {
        let (count, digests) = try pool.write { db in
            let ids = try find(db)
            return (ids.count, try delete(ids, from: db))
        }
        if count > 0 { HistoryMark.change(of: path, by: -count, at: now) }
        guard !digests.isEmpty else { return count }
        // A second transaction: before the first commit the rows could come back, and meanwhile another process
        // may have stored the same body.
        try pool.write { db in
            for digest in digests { try bodies.removeFile(of: digest, unlessIn: db) }
        }
        return count
    }

    /// Deletes exchanges by number, and runs that are left without exchanges.
    ///
    /// - Returns: the digests of the bodies whose files can be removed after the commit.
    private func delete(_ ids: [Int64], from db: Database) throws -> [String] {
        var digests: [String] = []
        for id in ids {
            let bodies = try Row.fetchOne(
                db,
                sql: "SELECT request_body, response_body FROM detail WHERE id = ?",
                arguments: [id]
            )
            for column in ["request_body", "response_body"] {
                guard let body = try bodies?.decode(Int64?.self, forColumn: column) else {
                    continue
                }
                if let digest = try self.bodies.remove(body, from: db) { digests.append(digest) }
            }
            try db.execute(sql: "DELETE FROM detail WHERE id = ?", arguments: [id])
            let isCounted =
                try Bool.fetchOne(
                    db,
                    sql: "SELECT session IS NULL FROM exchange WHERE id = ?",
                    arguments: [id]
                ) ?? false
            try db.execute(sql: "DELETE FROM exchange WHERE id = ?", arguments: [id])
            guard isCounted else { continue }
            try db.execute(sql: "UPDATE total SET count = count - 1")
        }
        // Exchanges in the inbox may belong to any run. A run that has not ended after a day was cut off.
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
