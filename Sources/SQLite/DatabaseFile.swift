internal import CSQLite

/// The bytes of a database's file, without those of its log.
///
/// They are read through SQLite. Whoever opens the file otherwise drops, on closing it, all locks that this process has
/// on it (`fcntl(2)`), even those of connections that stay open. Another process would then take itself for the last
/// one and delete the log, to which this one goes on writing.
package struct DatabaseFile {
    private let connection: Connection
    private let file: UnsafeMutablePointer<sqlite3_file>

    /// Opens a file, which must exist.
    package init(path: String, isReadOnly: Bool = true) throws {
        connection = try Connection(path, isReadOnly: isReadOnly, creates: false)
        guard let file = csqlite_file(connection.pointer) else {
            throw DatabaseError(resultCode: .cannotOpen)
        }
        self.file = file
    }

    /// The bytes of a range, as far as there are any.
    package func bytes(_ range: Range<Int>) throws -> [UInt8] {
        try withExtendedLifetime(connection) {
            var size: sqlite3_int64 = 0
            try check(csqlite_file_size(file, &size))
            let range = range.clamped(to: 0..<max(0, Int(size)))
            guard !range.isEmpty else { return [] }
            return try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                guard let bytes = buffer.baseAddress else { return }
                let offset = sqlite3_int64(range.lowerBound)
                try check(csqlite_file_read(file, bytes, Int32(range.count), offset))
                count = range.count
            }
        }
    }

    /// Writes bytes over those in the file.
    package func write(_ bytes: [UInt8], at offset: Int) throws {
        try withExtendedLifetime(connection) {
            try bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                try check(csqlite_file_write(file, start, Int32(bytes.count), Int64(offset)))
            }
        }
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
}
