internal import CSQLite

/// A prepared statement of a connection.
package final class Statement {
    private let connection: Connection
    private let pointer: OpaquePointer
    /// Counts the runs, so that a cursor of an earlier one does not disturb the current one.
    private(set) var run = 0
    /// The indices of the result's columns by name; of equal names, the first.
    private(set) lazy var columns: [String: Int] = {
        var columns: [String: Int] = [:]
        for index in (0..<sqlite3_column_count(pointer)).reversed() {
            guard let name = sqlite3_column_name(pointer, index) else { continue }
            columns[String(cString: name)] = Int(index)
        }
        return columns
    }()

    private init(_ connection: Connection, _ pointer: OpaquePointer) {
        (self.connection, self.pointer) = (connection, pointer)
    }

    deinit { sqlite3_finalize(pointer) }

    /// Prepares the first statement of a text; nil if there is only space.
    ///
    /// - Returns: the statement, and the text after it; nil if only space follows.
    static func prepare(
        _ sql: String,
        on connection: Connection
    ) throws -> (statement: Statement?, rest: String?) {
        try connection.check()
        return try sql.withCString { text in
            var pointer: OpaquePointer?
            var end: UnsafePointer<CChar>?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(connection.pointer, text, -1, flags, &pointer, &end)
            guard code == SQLITE_OK else { throw connection.error(code) }
            let rest = end.map { String(cString: $0) }
            let isRest = rest?.contains { !$0.isWhitespace } ?? false
            return (pointer.map { Statement(connection, $0) }, isRest ? rest : nil)
        }
    }

    // MARK: Running

    /// Sets an argument; the first is number 1.
    package func bind(_ number: Int64, at index: Int) {
        sqlite3_bind_int64(pointer, Int32(index), number)
    }

    /// Whether it has a current row.
    var isRunning: Bool { sqlite3_stmt_busy(pointer) != 0 }

    /// Sets all arguments, and begins a new run.
    func begin(_ arguments: StatementArguments) throws {
        reset()
        guard arguments.values.count == Int(sqlite3_bind_parameter_count(pointer)) else {
            throw DatabaseError(resultCode: .misuse, message: "too few or too many arguments")
        }
        for (index, value) in zip(Int32(1)..., arguments.values) {
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
    }

    private func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(pointer, index)
        case .integer(let number): return sqlite3_bind_int64(pointer, index, number)
        case .real(let number): return sqlite3_bind_double(pointer, index, number)
        case .text(var text):
            return text.withUTF8 { csqlite_bind_text(pointer, index, $0.baseAddress, $0.count) }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                csqlite_bind_blob(pointer, index, $0.baseAddress, $0.count)
            }
        }
    }

    /// Goes on to the next row; returns whether there is one.
    package func step() throws -> Bool {
        try connection.check()
        let code = sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.error(code)
        }
    }

    /// Ends a run, and with it the connection's lock for reading.
    package func reset() {
        run &+= 1
        sqlite3_reset(pointer)
    }

    /// Runs the statement to its end.
    func execute(arguments: StatementArguments) throws {
        defer {
            reset()
            // A cached statement must not keep a large body in memory.
            sqlite3_clear_bindings(pointer)
        }
        try begin(arguments)
        while try step() {}
    }

    // MARK: The current row

    /// A value of the current row.
    func value(at index: Int) -> DatabaseValue {
        switch sqlite3_column_type(pointer, Int32(index)) {
        case SQLITE_INTEGER: .integer(int64(at: index))
        case SQLITE_FLOAT: .real(double(at: index))
        case SQLITE_TEXT: .text(text(at: index))
        case SQLITE_BLOB: .blob(withBytes(at: index) { [UInt8]($0) })
        default: .null
        }
    }

    /// Whether a column is NULL.
    package func isNull(at index: Int) -> Bool {
        sqlite3_column_type(pointer, Int32(index)) == SQLITE_NULL
    }

    /// A column's number, converted as by SQLite; 0 for NULL.
    package func int64(at index: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(index)) }

    /// A column's number, converted as by SQLite; 0 for NULL.
    package func double(at index: Int) -> Double { sqlite3_column_double(pointer, Int32(index)) }

    private func text(at index: Int) -> String {
        // First, for this makes UTF-8 of what a file of someone else may have as UTF-16.
        let start = sqlite3_column_text(pointer, Int32(index))
        let count = Int(sqlite3_column_bytes(pointer, Int32(index)))
        let bytes = UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes the bytes of a column, converted as by SQLite, to `body`; none for NULL.
    package func withBytes<R, E>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let start = sqlite3_column_blob(pointer, Int32(index))
        let count = Int(sqlite3_column_bytes(pointer, Int32(index)))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// The values of the current row.
    var values: [DatabaseValue] { (0..<Int(sqlite3_data_count(pointer))).map(value) }
}

/// The arguments of a statement.
package struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
    private(set) var values: [DatabaseValue]

    /// Makes arguments of values.
    package init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.values = values.map(\.databaseValue)
    }

    /// Makes arguments of values of different types.
    package init(arrayLiteral values: any DatabaseValueConvertible...) {
        self.values = values.map { $0.databaseValue }
    }

    /// The first arguments, and the second after them.
    package static func + (first: StatementArguments, second: StatementArguments) -> Self {
        StatementArguments(first.values + second.values)
    }

    /// Appends the arguments of `second` to those of `first`.
    package static func += (first: inout StatementArguments, second: StatementArguments) {
        first.values += second.values
    }
}
