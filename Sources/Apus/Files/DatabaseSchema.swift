package import SQLite

/// The tables of a database of ours, and their version, which is in `user_version`.
package struct DatabaseSchema: Sendable {
    /// The version, from 1; a database without tables has 0.
    package let version: Int
    /// The statements that create the tables, indices and triggers.
    ///
    /// SQLite stores the texts unchanged, so they identify our files.
    package let statements: [String]
    // Insert what is always there.
    private let rows: [String]

    /// Makes a schema.
    package init(version: Int, statements: [String], rows: [String]) {
        self.version = version
        self.statements = statements
        self.rows = rows
    }

    /// The version of a database.
    package static func version(of db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    /// Creates the tables, outside a transaction, in a database that has none; returns false if it has any.
    package func create(in db: Database) throws -> Bool {
        guard try Self.isEmpty(db) else { return false }
        // Freed pages are returned to the file system. This must be set before the tables are created.
        try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try db.execute(sql: "VACUUM")
        try db.inTransaction(.immediate) {
            // Another process may have done it meanwhile.
            guard try Self.isEmpty(db) else { return .rollback }
            for statement in statements + rows { try db.execute(sql: statement) }
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
        return true
    }

    /// Whether a database has exactly these tables, indices and triggers.
    package func isWhole(in db: Database) throws -> Bool {
        try DatabaseCheck.hasOnly(statements, db)
    }

    private static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }
}
