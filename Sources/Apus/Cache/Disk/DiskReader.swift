import FoundationEssentials
import GRDB
import GRDBSQLite
import HTTPTypes
import Synchronization

/// Point reads of the table `entry`, on a connection of their own.
///
/// A row comes from the system's page cache in a few microseconds; GRDB's way to
/// it, with an access, a cursor and a row, takes several times that. So these
/// statements are prepared once and stepped by hand, one reader at a time, on
/// the calling thread. A single statement needs no transaction.
final class DiskReader: Sendable {
    private let connection: Mutex<Connection?>

    /// Opens the file for reading; it must be there.
    init(_ path: String) throws {
        connection = try Mutex(Connection(path))
    }

    /// Closes the file; whoever still reads finds nothing.
    ///
    /// It comes before the writer's end: only the last to leave, if it may write, folds the
    /// log back into the file.
    func close() { connection.withLock { $0 = nil } }

    /// The entry of a key; its body is empty if it is in a file.
    func find(_ key: CacheKey) throws -> DiskRow.Found {
        try connection.withLock { connection in
            guard let connection else { return .nothing }
            let statement = connection.find
            defer { sqlite3_reset(statement) }
            sqlite3_bind_int64(statement, 1, key.row)
            guard try connection.step(statement) else { return .nothing }
            let row = DiskRow(statement)
            // Another key may have the same row.
            guard row.isOf(key) else { return .nothing }
            return row.read(key.name, recipe: key.recipe.isEmpty ? nil : key.recipe)
        }
    }

    /// All that is kept under a primary key, bodies included but those in files.
    func variants(of primary: CacheKey) throws -> [DiskRow.Found] {
        try connection.withLock { connection in
            guard let connection else { return [] }
            let statement = connection.variants
            defer { sqlite3_reset(statement) }
            sqlite3_bind_int64(statement, 1, primary.row)
            var found: [DiskRow.Found] = []
            while try connection.step(statement) {
                let row = DiskRow(statement)
                guard let name = row.name else { continue }
                let variant = row.read(name)
                if variant.primary == primary.name { found.append(variant) }
            }
            return found
        }
    }
}

/// An open connection with its statements.
private final class Connection {
    private let handle: OpaquePointer
    let find: OpaquePointer
    let variants: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        // Guarded by the mutex, so SQLite's own is not needed.
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = Self.error(code, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
        self.handle = handle
        do {
            find = try Self.prepare("\(DiskRow.selection) WHERE id = ?", handle)
            variants = try Self.prepare("\(DiskRow.selection) WHERE primary_row = ?", handle)
        } catch {
            sqlite3_close_v2(handle)
            throw error
        }
    }

    deinit {
        sqlite3_finalize(find)
        sqlite3_finalize(variants)
        sqlite3_close_v2(handle)
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

    private static func prepare(_ sql: String, _ handle: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &statement,
            nil
        )
        guard code == SQLITE_OK, let statement else { throw error(code, handle) }
        return statement
    }

    private static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        )
    }
}
