import Apus
import FoundationEssentials
import Glibc
import SQLite

/// A history file that cannot be read: its content is set aside in a copy, and the file is emptied.
///
/// The file itself stays in place, because other processes may have it open. If it were renamed, they would
/// go on writing to the renamed file, and delete the new file's log when they close.
struct DamagedFile {
    let path: String
    let bodies: String

    /// Copies the file, then empties it; the caller must hold the history's lock.
    ///
    /// - Returns: the path of the copy.
    func setAside(at time: Date) throws -> String {
        let stamp = DatabaseCheck.stamp(of: time)
        var (target, number) = ("\(path).damaged-\(stamp)", 1)
        // There may be a copy from the same second.
        while access(target, F_OK) == 0 || access("\(target)-bodies", F_OK) == 0 {
            number += 1
            target = "\(path).damaged-\(stamp)-\(number)"
        }
        try DatabaseCheck.copyFiles(path, to: target)
        // What the copy has must not be reported as missing from the emptied file.
        HistoryMark.remove(of: path)
        HistoryHead.restoreLayout(of: path)
        try reset()
        rename(bodies, "\(target)-bodies")
        return target
    }

    /// Empties the file in a transaction.
    private func reset() throws {
        var configuration = Configuration()
        configuration.busyTimeout = .seconds(5)
        let db = try Database(path: path, configuration: configuration)
        // This makes SQLite notice the log, which stays. It may fail, since the file is damaged.
        _ = try? Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
        try db.resetting {
            // No journal file: a process that opens the history meanwhile would mistake it for another program's.
            if access("\(path)-wal", F_OK) != 0 {
                // If this fails, so does the next.
                try? db.execute(sql: "PRAGMA journal_mode = MEMORY")
            }
            try db.execute(sql: "VACUUM")
            // `HistoryFile` recognizes a history by its write-ahead log.
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
    }
}
