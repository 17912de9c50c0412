import Apus
internal import CSQLite
import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc

/// A history's file that cannot be read: what is in it is set aside, and it becomes empty.
///
/// It stays where it is: other processes have it open, and who renames a file of SQLite's under them has
/// them write to the one that was set aside, and remove the log of the new one when they close.
struct DamagedFile {
    let path: String
    let bodies: String

    /// Copies it, and makes it empty; only who has the history's lock may.
    ///
    /// - Returns: where the copy is.
    func setAside(at time: Date) throws -> String {
        let stamp = time.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        )
        var (target, number) = ("\(path).damaged-\(stamp)", 1)
        // In the same second another may have been.
        while access(target, F_OK) == 0 || access("\(target)-bodies", F_OK) == 0 {
            number += 1
            target = "\(path).damaged-\(stamp)-\(number)"
        }
        for suffix in ["-wal", ""] where access(path + suffix, F_OK) == 0 {
            try Self.copy(path + suffix, to: target + suffix)
        }
        try reset()
        rename(bodies, "\(target)-bodies")
        return target
    }

    private static func copy(_ path: String, to target: String) throws {
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard source >= 0 else { throw PrivateFiles.Fault(path: path, errno: errno) }
        defer { close(source) }
        let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw PrivateFiles.Fault(path: target, errno: errno) }
        defer { close(copy) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = read(source, &piece, piece.count), count != 0 {
            guard count > 0 || errno == EINTR else {
                throw PrivateFiles.Fault(path: path, errno: errno)
            }
            let isWritten = piece.withUnsafeBytes {
                FilePieces.write(
                    UnsafeRawBufferPointer(rebasing: $0.prefix(max(0, count))),
                    to: copy
                )
            }
            guard isWritten else { throw PrivateFiles.Fault(path: target, errno: errno) }
        }
        guard fsync(copy) == 0 else { throw PrivateFiles.Fault(path: target, errno: errno) }
    }

    /// Makes it empty in a transaction, as SQLite says how for SQLITE_DBCONFIG_RESET_DATABASE.
    ///
    /// GRDB opens no file that is none of SQLite's.
    private func reset() throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let connection = opened else { throw Self.error(code, opened) }
        sqlite3_busy_timeout(connection, 5000)
        // So it is known that there is a log, which stays. That it cannot be read is why we are here.
        sqlite3_exec(connection, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
        csqlite_reset_database(connection, 1)
        defer { csqlite_reset_database(connection, 0) }
        // Whoever opens it meanwhile takes a journal beside it for somebody else's.
        if access("\(path)-wal", F_OK) != 0 {
            sqlite3_exec(connection, "PRAGMA journal_mode = MEMORY", nil, nil, nil)
        }
        let result = sqlite3_exec(connection, "VACUUM", nil, nil, nil)
        guard result == SQLITE_OK else { throw Self.error(result, connection) }
        // As it is known by when it is opened.
        let mode = sqlite3_exec(connection, "PRAGMA journal_mode = WAL", nil, nil, nil)
        guard mode == SQLITE_OK else { throw Self.error(mode, connection) }
    }

    private static func error(_ code: Int32, _ connection: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        )
    }
}
