/// A row of a result.
///
/// A row of a cursor is valid until the cursor's next.
package struct Row {
    private enum Storage {
        case current(RowCursor)
        case copied([DatabaseValue], columns: [String: Int])
    }

    private let storage: Storage

    fileprivate init(of cursor: RowCursor) { storage = .current(cursor) }

    private init(copying statement: Statement) {
        storage = .copied(statement.values, columns: statement.columns)
    }

    private subscript(index: Int) -> DatabaseValue {
        switch storage {
        case .current(let cursor): cursor.statement.value(at: index)
        case .copied(let values, _): values.indices.contains(index) ? values[index] : .null
        }
    }

    /// The value of a column; nil for NULL or another type.
    package func value<T: DatabaseValueConvertible>(_ type: T.Type, at index: Int) -> T? {
        T.fromDatabaseValue(self[index])
    }

    /// The value of a column.
    ///
    /// - Throws: ``ResultCode/mismatch`` for another type, and for NULL unless the type is optional.
    package func decode<T: DatabaseValueConvertible>(
        _ type: T.Type = T.self,
        atIndex index: Int
    ) throws(DatabaseError) -> T {
        try T.decoded(self[index], "column \(index)")
    }

    /// The value of a column.
    ///
    /// - Throws: ``ResultCode/mismatch`` for another type, and for NULL unless the type is optional.
    package func decode<T: DatabaseValueConvertible>(
        _ type: T.Type = T.self,
        forColumn name: String
    ) throws(DatabaseError) -> T {
        let columns =
            switch storage {
            case .current(let cursor): cursor.statement.columns
            case .copied(_, let columns): columns
            }
        guard let index = columns[name] else {
            throw DatabaseError(resultCode: .misuse, message: "there is no column \(name)")
        }
        return try T.decoded(self[index], name)
    }

    /// Passes the bytes of a column to `body`, from a cursor's row without a copy; none for NULL.
    package func withBytes<R>(
        atIndex index: Int,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        switch storage {
        case .current(let cursor): cursor.statement.withBytes(at: index, body)
        case .copied: (value([UInt8].self, at: index) ?? []).withUnsafeBytes(body)
        }
    }

    /// The first row of a query's result; nil if there is none.
    package static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = []
    ) throws -> Row? {
        let statement = try db.statement(sql: sql)
        defer { statement.reset() }
        try statement.begin(arguments)
        return try statement.step() ? Row(copying: statement) : nil
    }

    /// All rows of a query's result.
    package static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = []
    ) throws -> [Row] {
        let statement = try db.statement(sql: sql)
        defer { statement.reset() }
        try statement.begin(arguments)
        var rows: [Row] = []
        while try statement.step() { rows.append(Row(copying: statement)) }
        return rows
    }

    /// The rows of a query's result, one by one.
    package static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = []
    ) throws -> RowCursor {
        let statement = try db.statement(sql: sql)
        try statement.begin(arguments)
        return RowCursor(statement)
    }
}

/// The rows of a result, one by one; the query ends when the cursor and its row are released.
package final class RowCursor {
    fileprivate let statement: Statement
    private let run: Int
    private var isOver = false

    fileprivate init(_ statement: Statement) {
        self.statement = statement
        run = statement.run
    }

    deinit {
        if statement.run == run { statement.reset() }
    }

    /// The next row; nil after the last.
    package func next() throws -> Row? {
        guard !isOver else { return nil }
        guard statement.run == run else {
            throw DatabaseError(resultCode: .misuse, message: "the query was begun anew")
        }
        isOver = try !statement.step()
        return isOver ? nil : Row(of: self)
    }

    /// What `transform` makes of the remaining rows, without nil.
    package func compactMap<T>(_ transform: (Row) throws -> T?) throws -> [T] {
        var results: [T] = []
        while let row = try next() {
            if let result = try transform(row) { results.append(result) }
        }
        return results
    }
}

extension DatabaseValueConvertible {
    /// The first column of a query's first row; nil if there is no row, or for NULL.
    package static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = []
    ) throws -> Self? {
        let statement = try db.statement(sql: sql)
        defer { statement.reset() }
        try statement.begin(arguments)
        guard try statement.step() else { return nil }
        let value = statement.value(at: 0)
        return value.isNull ? nil : try decoded(value, sql)
    }

    /// The first column of all rows of a query's result.
    package static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = []
    ) throws -> [Self] {
        let statement = try db.statement(sql: sql)
        defer { statement.reset() }
        try statement.begin(arguments)
        var values: [Self] = []
        while try statement.step() { values.append(try decoded(statement.value(at: 0), sql)) }
        return values
    }

    fileprivate static func decoded(
        _ value: DatabaseValue,
        _ place: String
    ) throws(DatabaseError) -> Self {
        if let result = fromDatabaseValue(value) { return result }
        throw DatabaseError(resultCode: .mismatch, message: "a value of another type: \(place)")
    }
}
