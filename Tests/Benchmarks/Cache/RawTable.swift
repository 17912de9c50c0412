import CSQLite

/// The same rows in SQLite, by its C interface and prepared statements: the yardsticks.
final class RawTable {
    private let handle: OpaquePointer
    private let readBody: OpaquePointer
    private let readBoth: OpaquePointer
    private let write: OpaquePointer

    init(_ path: String) {
        var handle: OpaquePointer?
        var readBody: OpaquePointer?
        var readBoth: OpaquePointer?
        var write: OpaquePointer?
        sqlite3_open(path, &handle)
        sqlite3_exec(
            handle,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
            nil,
            nil,
            nil
        )
        sqlite3_exec(
            handle,
            "CREATE TABLE row (id INTEGER PRIMARY KEY, facts BLOB, body BLOB)",
            nil,
            nil,
            nil
        )
        sqlite3_prepare_v2(handle, "SELECT body FROM row WHERE id = ?", -1, &readBody, nil)
        sqlite3_prepare_v2(handle, "SELECT body, facts FROM row WHERE id = ?", -1, &readBoth, nil)
        sqlite3_prepare_v2(handle, "INSERT INTO row VALUES (?, ?, ?)", -1, &write, nil)
        guard let handle, let readBody, let readBoth, let write else {
            fatalError("no table at \(path)")
        }
        (self.handle, self.readBody, self.readBoth) = (handle, readBody, readBoth)
        self.write = write
    }

    deinit {
        sqlite3_finalize(readBody)
        sqlite3_finalize(readBoth)
        sqlite3_finalize(write)
        sqlite3_close(handle)
    }

    func fill(_ ids: [Int64], _ body: [UInt8]) {
        sqlite3_exec(handle, "BEGIN", nil, nil, nil)
        for id in ids {
            sqlite3_bind_int64(write, 1, id)
            // As many bytes as the benchmark's entries have beside their bodies.
            sqlite3_bind_zeroblob(write, 2, 325)
            body.withUnsafeBytes {
                _ = sqlite3_bind_blob(write, 3, $0.baseAddress, Int32($0.count), nil)
                sqlite3_step(write)
            }
            sqlite3_reset(write)
        }
        sqlite3_exec(handle, "COMMIT", nil, nil, nil)
    }

    /// Reads the body of a row; how many bytes.
    func readBody(_ id: Int64) -> Int { read(id, readBody, columns: 1) }

    /// Reads the body of a row and what an entry has beside it; how many bytes.
    func readBoth(_ id: Int64) -> Int { read(id, readBoth, columns: 2) }

    private func read(_ id: Int64, _ statement: OpaquePointer, columns: Int32) -> Int {
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, id)
        guard sqlite3_step(statement) == SQLITE_ROW else { return 0 }
        return (0..<columns).reduce(0) { count, column in
            let start = sqlite3_column_blob(statement, column)
            let bytes = Int(sqlite3_column_bytes(statement, column))
            return count + [UInt8](UnsafeRawBufferPointer(start: start, count: bytes)).count
        }
    }
}
