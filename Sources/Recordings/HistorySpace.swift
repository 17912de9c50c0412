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
}
