import FoundationEssentials
import TestSupport
import Testing

@testable import SQLite

struct DatabaseTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/file.sqlite" }

    private func code(_ body: () throws -> Void) -> ResultCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.resultCode
        }
    }

    @Test("values come back as they were, also empty ones and those with a zero in them")
    func roundTrip() throws {
        let values: [DatabaseValue] = [
            .null, .integer(.min), .real(0.1), .real(-.infinity), .text(""), .text("a\0ä"),
            .blob([]),
            .blob([0, 255]),
        ]
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
            for value in values {
                try db.execute(sql: "INSERT INTO t (x) VALUES (?)", arguments: [value])
            }
            #expect(try DatabaseValue.fetchAll(db, sql: "SELECT x FROM t ORDER BY id") == values)
            #expect(db.lastInsertedRowID == 8 && db.changesCount == 1)
            let rows = try Row.fetchAll(db, sql: "SELECT x, id AS number FROM t ORDER BY id")
            #expect(try rows.map { try $0.decode(DatabaseValue.self, forColumn: "x") } == values)
            #expect(try rows.last?.decode(Int.self, forColumn: "number") == 8)
        }
    }

    @Test("a value of another type is an error, and NULL is nil or one")
    func otherTypes() throws {
        try DatabaseQueue().read { db in
            let sql = "SELECT 'a', x'ff', NULL, 1.5, 9e99, -1"
            let row = try #require(try Row.fetchOne(db, sql: sql))
            let all = try Row.fetchCursor(db, sql: sql)
            let current = try #require(try all.next())
            for row in [row, current] {
                #expect(code { _ = try row.decode(Int.self, atIndex: 0) } == .mismatch)
                #expect(code { _ = try row.decode(String.self, atIndex: 1) } == .mismatch)
                #expect(code { _ = try row.decode(String.self, atIndex: 2) } == .mismatch)
                #expect(try row.decode(String?.self, atIndex: 2) == nil)
                #expect(code { _ = try row.decode(Int.self, atIndex: 3) } == .mismatch)
                #expect(row.value(Int64.self, at: 4) == nil)
                #expect(row.value(UInt32.self, at: 5) == nil)
                #expect(row.value(Bool.self, at: 5) == true)
                #expect(row.value(Data.self, at: 0) == Data("a".utf8))
                #expect(row.value(Int.self, at: 6) == nil && row.value(Int.self, at: -1) == nil)
                #expect(code { _ = try row.decode(Int.self, forColumn: "no") } == .misuse)
                #expect(row.withBytes(atIndex: 1) { [UInt8]($0) } == [255])
            }
            #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
            #expect(code { _ = try Int.fetchOne(db, sql: "SELECT 'a'") } == .mismatch)
            #expect(code { _ = try Int.fetchAll(db, sql: "SELECT NULL") } == .mismatch)
        }
    }

    @Test("texts of a file in UTF-16 are read as they are")
    func otherEncoding() throws {
        let db = try Database(path: path)
        try db.execute(
            sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (x); INSERT INTO t VALUES ('ä€')"
        )
        #expect(try String.fetchOne(db, sql: "SELECT x FROM t") == "ä€")
    }

    @Test("arguments too few or too many, and wrong or missing statements, are errors")
    func misuse() throws {
        let db = try Database(path: ":memory:")
        #expect(code { try db.execute(sql: "SELECT ?") } == .misuse)
        #expect(code { try db.execute(sql: "SELECT ?", arguments: [1, 2]) } == .misuse)
        #expect(code { _ = try Int.fetchOne(db, sql: "SELECT 1; SELECT 2") } == .misuse)
        #expect(code { _ = try Int.fetchOne(db, sql: " ") } == .misuse)
        #expect(code { try db.execute(sql: "SELEKT") } == .error)
        #expect(code { _ = try Int.fetchOne(db, sql: #"SELECT "word""#) } == .error)
        try db.execute(sql: " ; ")
    }

    @Test("a query within the same query, and one begun anew, do not disturb each other")
    func sameQuery() throws {
        let db = try Database(path: ":memory:")
        try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        let sql = "SELECT x FROM t ORDER BY x"
        let numbers = try Row.fetchCursor(db, sql: sql).compactMap { row throws in
            #expect(try Int.fetchAll(db, sql: sql) == [1, 2, 3])
            return row.value(Int.self, at: 0)
        }
        #expect(numbers == [1, 2, 3])
        var first = try? Row.fetchCursor(db, sql: sql)
        let second = try Row.fetchCursor(db, sql: sql)
        #expect(code { _ = try first?.next() } == .misuse)
        first = nil
        #expect(try second.next()?.value(Int.self, at: 0) == 1)
        #expect(try second.compactMap { $0.value(Int.self, at: 0) } == [2, 3])
        #expect(try second.next() == nil)
    }

    @Test("what is not committed is undone: after an error, on demand, and after reading")
    func transactions() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x UNIQUE)") }
        let insertion = "INSERT INTO t VALUES (1)"
        #expect(
            code {
                try queue.write { db in
                    try db.execute(sql: insertion)
                    try db.execute(sql: insertion)
                }
            } == .constraint
        )
        try queue.read { try $0.execute(sql: insertion) }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try db.execute(sql: insertion)
                return .rollback
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
            try db.inTransaction(.deferred) {
                try db.execute(sql: insertion)
                return .commit
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
        }
    }

    @Test("a file that another connection holds is busy, at once or after the time")
    func busy() throws {
        let holder = try DatabaseQueue(path: path)
        try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(code { try DatabaseQueue(path: path).write { _ in } } == .busy)
        var configuration = Configuration()
        configuration.busyTimeout = .milliseconds(200)
        let patient = try DatabaseQueue(path: path, configuration: configuration)
        let start = ContinuousClock.now
        #expect(code { try patient.write { _ in } } == .busy)
        #expect(start.duration(to: .now) >= .milliseconds(150))
    }

    @Test("files that cannot be used are errors: no database, none at all, a full one")
    func unusable() throws {
        try folder.write("no database, whatever it is. ".utf8, to: "text")
        let text = try Database(path: "\(folder.path)/text")
        #expect(code { _ = try Int.fetchOne(text, sql: "PRAGMA user_version") } == .notADatabase)
        #expect(code { _ = try DatabasePool(path: "\(folder.path)/text") } == .notADatabase)
        #expect(code { _ = try Database(path: "\(folder.path)/no/file") } == .cannotOpen)
        var configuration = Configuration()
        configuration.isReadOnly = true
        #expect(code { _ = try Database(path: path, configuration: configuration) } == .cannotOpen)
        let full = try Database(path: path)
        try full.execute(sql: "PRAGMA max_page_count = 4; CREATE TABLE t (x)")
        #expect(code { try full.execute(sql: "INSERT INTO t VALUES (zeroblob(99999))") } == .full)
        full.limitLength(to: 1000)
        #expect(
            code {
                try full.execute(sql: "SELECT ?", arguments: [[UInt8](repeating: 0, count: 2000)])
            } == .tooBig
        )
        let reader = try Database(path: path, configuration: configuration)
        #expect(code { try reader.execute(sql: "CREATE TABLE u (x)") } == .readOnly)
    }

    @Test("a damaged file is emptied in place")
    func resetting() throws {
        let path = try folder.write([UInt8](repeating: 0x5A, count: 9000), to: "damaged")
        let db = try Database(path: path)
        try db.resetting { try db.execute(sql: "VACUUM") }
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test("the schema of a file calls no functions that do something")
    func untrustedSchema() throws {
        let db = try Database(path: path)
        try db.execute(
            sql: "CREATE TABLE t (x); CREATE VIEW v AS SELECT load_extension('x') FROM t"
        )
        #expect(code { _ = try Int.fetchOne(db, sql: "SELECT * FROM v") } == .error)
    }
}
