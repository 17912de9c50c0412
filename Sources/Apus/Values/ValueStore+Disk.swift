import FoundationEssentials
import SQLite
import Synchronization

/// The persistent container: an SQLite file that processes share.
///
/// When `set` returns, the value is on disk: unlike a cached response it cannot be fetched again.
final class DiskValues: Sendable {
    private let folder: String
    private let file: String
    private let opened = Mutex<DatabaseQueue?>(nil)

    init(folder: String, file: String) {
        self.folder = folder
        self.file = file
    }

    func set(_ value: StoredValue, for key: String) async throws(ValueStoreError) {
        try await run { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO value (key, json, expires) VALUES (?, ?, ?)",
                arguments: [
                    key, value.json, value.expires?.timeIntervalSinceReferenceDate,
                ]
            )
        }
    }

    func value(for key: String) async throws(ValueStoreError) -> StoredValue? {
        guard hasFile else { return nil }
        return try await run { db in
            try Row.fetchOne(
                db,
                sql: "SELECT json, expires FROM value WHERE key = ?",
                arguments: [key]
            ).map { row in
                StoredValue(
                    json: try row.decode(atIndex: 0),
                    expires: try row.decode(Double?.self, atIndex: 1).map(PendingUses.date)
                )
            }
        }
    }

    func remove(_ key: String) async throws(ValueStoreError) -> Bool {
        guard hasFile else { return false }
        return try await run { db in
            try db.execute(sql: "DELETE FROM value WHERE key = ?", arguments: [key])
            return db.changesCount > 0
        }
    }

    func removeAll() async throws(ValueStoreError) -> Int {
        guard hasFile else { return 0 }
        return try await run { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM value") ?? 0
            try db.execute(sql: "DELETE FROM value")
            return count
        }
    }

    func keys(at now: Date) async throws(ValueStoreError) -> [String] {
        guard hasFile else { return [] }
        return try await run { db in
            try String.fetchAll(
                db,
                sql: "SELECT key FROM value WHERE expires IS NULL OR expires > ? ORDER BY key",
                arguments: [now.timeIntervalSinceReferenceDate]
            )
        }
    }

    private static let schema = """
        CREATE TABLE value (
            key TEXT PRIMARY KEY, json BLOB NOT NULL, expires REAL) WITHOUT ROWID
        """

    /// Checked before reading, which must not create the file.
    private var hasFile: Bool { PrivateFiles.size(of: "\(folder)/\(file)") != nil }

    private func run<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(ValueStoreError) -> T {
        do {
            return try await queue().write(body)
        } catch let error as DatabaseError {
            throw .storage(detail: error.message ?? "\(error.extendedResultCode)")
        } catch let fault as ValueStoreError {
            throw fault
        } catch {
            throw .storage(detail: String(describing: error))
        }
    }

    private func queue() throws -> DatabaseQueue {
        try opened.withLock { opened in
            if let opened { return opened }
            try PrivateFiles.makeFolder(folder)
            try PrivateFiles.touchFile("\(folder)/\(file)")
            _ = DatabaseCheck.removeJournal(beside: "\(folder)/\(file)")
            var configuration = Configuration()
            configuration.busyTimeout = .seconds(5)
            configuration.hasLog = true
            configuration.prepare = { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let queue = try DatabaseQueue(path: "\(folder)/\(file)", configuration: configuration)
            try queue.write { db in
                if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 {
                    try db.execute(sql: Self.schema)
                }
                guard try DatabaseCheck.hasOnly([Self.schema], db) else {
                    throw ValueStoreError.storage(
                        detail: "\(folder)/\(file) is not a database of Apus values"
                    )
                }
            }
            opened = queue
            return queue
        }
    }
}
