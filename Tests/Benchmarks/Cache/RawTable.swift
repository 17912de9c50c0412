import GRDBSQLite

/// The same rows in SQLite, by its C interface and one prepared statement: the yardstick.
final class RawTable {
    private let handle: OpaquePointer
    private let read: OpaquePointer
    private let write: OpaquePointer

    init(_ path: String) {
        var handle: OpaquePointer?
        var read: OpaquePointer?
        var write: OpaquePointer?
        sqlite3_open(path, &handle)
        sqlite3_exec(
            handle,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
            nil,
            nil,
            nil
        )
        sqlite3_exec(handle, "CREATE TABLE row (id INTEGER PRIMARY KEY, body BLOB)", nil, nil, nil)
        sqlite3_prepare_v2(handle, "SELECT body FROM row WHERE id = ?", -1, &read, nil)
        sqlite3_prepare_v2(handle, "INSERT INTO row VALUES (?, ?)", -1, &write, nil)
        guard let handle, let read, let write else { fatalError("no table at \(path)") }
        (self.handle, self.read, self.write) = (handle, read, write)
    }

    deinit {
        sqlite3_finalize(read)
        sqlite3_finalize(write)
        sqlite3_close(handle)
    }

    func fill(_ ids: [Int64], _ body: [UInt8]) {
        sqlite3_exec(handle, "BEGIN", nil, nil, nil)
        for id in ids {
            sqlite3_bind_int64(write, 1, id)
            body.withUnsafeBytes {
                _ = sqlite3_bind_blob(write, 2, $0.baseAddress, Int32($0.count), nil)
                sqlite3_step(write)
            }
            sqlite3_reset(write)
        }
        sqlite3_exec(handle, "COMMIT", nil, nil, nil)
    }

    func body(_ id: Int64) -> [UInt8] {
        defer { sqlite3_reset(read) }
        sqlite3_bind_int64(read, 1, id)
        guard sqlite3_step(read) == SQLITE_ROW else { return [] }
        let start = sqlite3_column_blob(read, 0)
        let count = Int(sqlite3_column_bytes(read, 0))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
