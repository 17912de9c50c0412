import FoundationEssentials
import GRDB
import GRDBSQLite

/// A connection that only reads, with the statements that were prepared on it.
///
/// Used by one thread at a time: who has it sees to that.
final class ReaderConnection {
    private let handle: OpaquePointer
    private var statements: [OpaquePointer] = []

    /// Opens the file; it must be there.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        // One thread at a time, so SQLite's own mutex is not needed.
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = Self.error(code, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
        // What a file says of itself calls no function.
        sqlite3_exec(handle, "PRAGMA trusted_schema = OFF", nil, nil, nil)
        self.handle = handle
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// A statement that lives as long as the connection.
    func prepared(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, handle) }
        statements.append(statement)
        return statement
    }

    /// Whether there is a row.
    func step(_ statement: OpaquePointer) throws -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Self.error(code, handle)
        }
    }

    /// Runs a statement that gives no row.
    func run(_ statement: OpaquePointer) throws {
        defer { sqlite3_reset(statement) }
        _ = try step(statement)
    }

    /// The index of the log, while this lives; nil before the first read, or without a log.
    var logIndex: LogIndex? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods, methods.pointee.iVersion > 1
        else { return nil }
        var start: UnsafeMutableRawPointer?
        let code = methods.pointee.xShmMap?(file, 0, Int32(LogIndex.piece), 0, &start)
        guard code == SQLITE_OK, let start else { return nil }
        return LogIndex(start)
    }

    private static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        )
    }
}
