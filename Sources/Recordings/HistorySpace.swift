import Apus
import GRDB
import Glibc

/// What a history has in all.
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
    /// What there is in all.
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
                // Within the transaction: what another process is writing now has its row before we look.
                for file in try bodies.orphans(in: db) { unlink(file) }
                try db.execute(sql: "PRAGMA incremental_vacuum")
            }
            // A reader keeps what it reads: then the next one empties it.
            _ = pool.writeWithoutTransaction { try? $0.checkpoint(.truncate) }
            return removed
        }
        return HistoryCompaction(removed: removed, freed: max(0, before - size))
    }

    /// The bytes of all files.
    private var size: Int {
        let files = ["", "-wal", "-search", "-search-wal"].map { path + $0 }
        let folders = PrivateFiles.names(in: bodies.folder).map { "\(bodies.folder)/\($0)" }
        let bodyFiles = folders.flatMap { folder in
            PrivateFiles.names(in: folder).map { "\(folder)/\($0)" }
        }
        return (files + bodyFiles).reduce(0) { sum, file in
            var status = stat()
            return lstat(file, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Removes the oldest of what is more than the limits, a part at a time.
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
                    (try total?.decode(Int.self, forColumn: "count") ?? 0) - limits.exchanges
                var excess = (try total?.decode(Int.self, forColumn: "size") ?? 0) - limits.bytes
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
                    let isOld = try RowTime.seconds(row, "started") < oldest
                    guard surplus > 0 || excess > 0 || isOld else { break }
                    ids.append(try row.decode(forColumn: "id"))
                    surplus -= 1
                    excess &-= try row.decode(Int.self, forColumn: "size")
                }
                return ids
            }
        } catch {
            // The next commit tries again; what cannot be written says so there.
            return 0
        }
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
        // In a transaction of its own: without a commit their rows would come back, and another process
        // may have stored the same meanwhile.
        try pool.write { db in
            for digest in digests { try bodies.removeFile(of: digest, unlessIn: db) }
        }
        return count
    }

    /// The digests of bodies whose files nothing needs once that is committed.
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
        // What waits in the inbox may be of any of them.
        try db.execute(
            sql: """
                DELETE FROM run WHERE ended IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inbox)
                    AND NOT EXISTS (SELECT 1 FROM exchange WHERE exchange.run = run.id)
                """
        )
        return digests
    }
}
