import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SQLite

struct DatabasePoolTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/file.sqlite" }
    private static let count = "SELECT count(*) FROM t"
    /// Runs until it is cancelled.
    private static let endless = """
        WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n
        """

    private func pool(readers: Int = 2) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.readerCount = readers
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
        return pool
    }

    private func insert(_ pool: DatabasePool) throws {
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test("a reader sees one state however much is written meanwhile, unless it asks for more")
    func snapshots() throws {
        let pool = try pool()
        try pool.read { db in
            #expect(try Int.fetchOne(db, sql: Self.count) == 1)
            try insert(pool)
            #expect(try Int.fetchOne(db, sql: Self.count) == 1)
        }
        try pool.unsafeRead { db in
            #expect(try Int.fetchOne(db, sql: Self.count) == 2)
            try insert(pool)
            #expect(try Int.fetchOne(db, sql: Self.count) == 3)
        }
    }

    @Test("readers cannot write, and do not wait for the writer")
    func readers() throws {
        let pool = try pool()
        #expect(throws: DatabaseError.self) {
            try pool.read { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(try pool.read { try Int.fetchOne($0, sql: Self.count) } == 1)
        }
        #expect(try pool.read { try Int.fetchOne($0, sql: Self.count) } == 2)
    }

    @Test("many read and write at the same time")
    func together() async throws {
        let pool = try pool()
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                }
                group.addTask { _ = try await pool.read { try Int.fetchOne($0, sql: Self.count) } }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.read { try Int.fetchOne($0, sql: Self.count) } == 51)
    }

    @Test("a cancelled task ends its statement, begins none, and writes nothing")
    func cancellation() async throws {
        let pool = try pool()
        let isRunning = Atomic(false)
        let task = Task {
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                isRunning.store(true, ordering: .relaxed)
                _ = try Int.fetchOne(db, sql: Self.endless)
            }
        }
        while !isRunning.load(ordering: .relaxed) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.read { try Int.fetchOne($0, sql: Self.count) } == 1)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await pool.read { _ in Issue.record("it runs") }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        // The connection is usable again.
        try insert(pool)
    }

    @Test("the log is empty when a pool is closed or released, and closed connections throw")
    func closing() throws {
        func logSize() -> Int {
            var status = stat()
            return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
        }
        var pool = Optional(try pool())
        _ = try pool?.read { try Int.fetchOne($0, sql: Self.count) }
        #expect(logSize() > 0)
        try pool?.close()
        #expect(logSize() == 0)
        for _ in 0..<2 {
            let error = #expect(throws: DatabaseError.self) { try pool?.read { _ in } }
            #expect(error?.resultCode == .misuse)
        }
        pool = try DatabasePool(path: path)
        try pool.map(insert)
        _ = try pool?.read { try Int.fetchOne($0, sql: Self.count) }
        #expect(logSize() > 0)
        pool = nil
        #expect(logSize() == 0)
    }

    @Test("a statement of a closed connection throws")
    func closedStatement() throws {
        let db = try Database(path: ":memory:")
        let statement = try db.makeStatement(sql: "SELECT 1")
        db.close()
        #expect(throws: DatabaseError.self) { try statement.step() }
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1") }
    }

    @Test("a copy has everything, and is a database of its own")
    func backup() throws {
        let pool = try pool()
        let copy = try DatabaseQueue()
        try pool.backup(to: copy)
        try insert(pool)
        #expect(try copy.read { try Int.fetchOne($0, sql: Self.count) } == 1)
    }
}
