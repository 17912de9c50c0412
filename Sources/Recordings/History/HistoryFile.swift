import Apus
import FoundationEssentials
import Glibc
import SQLite

/// The file of a history: its schema, and how it is opened and checked.
enum HistoryFile {
    /// The highest number that a row may get.
    static let numberLimit = Int64(1) << 61

    // A list reads only `exchange`, so its rows are short. Everything else about an exchange is in `detail`. A
    // body is stored once, by its SHA-256, with a count of its uses. Its `place` says where the bytes are: 0 in
    // the row, 1 in a file beside the history, 2 nowhere, because it was too large; if the row has bytes then, they
    // are the location from which it can be fetched. `total` has the last number that was used, since none is used twice, the number of exchanges outside sessions, and the bytes of all
    // bodies. A file without exactly these is not a history.
    private static let tables = [
        """
        CREATE TABLE exchange (
            id INTEGER PRIMARY KEY, session INTEGER, run INTEGER, place INTEGER, step TEXT,
            started REAL NOT NULL, duration REAL NOT NULL, attempts INTEGER NOT NULL,
            method TEXT NOT NULL, url TEXT NOT NULL, host TEXT, target TEXT, workspace TEXT,
            environment TEXT, status INTEGER, error INTEGER, source TEXT, size INTEGER NOT NULL,
            phases BLOB, key BLOB NOT NULL, marked INTEGER NOT NULL, note TEXT)
        """,
        "CREATE INDEX exchange_by_session ON exchange (session, id) WHERE session IS NOT NULL",
        "CREATE INDEX exchange_by_age ON exchange (id) WHERE session IS NULL",
        "CREATE INDEX exchange_by_run ON exchange (run, place) WHERE run IS NOT NULL",
        "CREATE INDEX exchange_alone ON exchange (id) WHERE run IS NULL",
        "CREATE INDEX exchange_by_key ON exchange (key, id)",
        "CREATE INDEX exchange_by_target ON exchange (target, id)",
        "CREATE INDEX exchange_by_host ON exchange (host, id)",
        "CREATE INDEX exchange_by_status ON exchange (status, id)",
        "CREATE INDEX exchange_by_error ON exchange (error, id) WHERE error IS NOT NULL",
        "CREATE INDEX exchange_by_environment ON exchange (environment, id)",
        "CREATE INDEX exchange_by_method ON exchange (method, id)",
        "CREATE INDEX exchange_by_source ON exchange (source, id)",
        "CREATE INDEX exchange_by_note ON exchange (id) WHERE note IS NOT NULL OR marked",
        """
        CREATE TABLE detail (
            id INTEGER PRIMARY KEY, request BLOB NOT NULL, request_body INTEGER, response BLOB,
            response_body INTEGER, is_complete INTEGER NOT NULL, error TEXT, facts BLOB NOT NULL)
        """,
        """
        CREATE TABLE body (
            id INTEGER PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL,
            uses INTEGER NOT NULL, place INTEGER NOT NULL, bytes BLOB)
        """,
        "CREATE UNIQUE INDEX body_by_digest ON body (digest)",
        """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, started REAL NOT NULL, ended REAL, note TEXT)
        """,
        """
        CREATE TABLE run (
            id INTEGER PRIMARY KEY, session INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL,
            environment TEXT, started REAL NOT NULL, ended REAL, total INTEGER,
            count INTEGER NOT NULL, failed INTEGER NOT NULL, size INTEGER NOT NULL)
        """,
        "CREATE TABLE mask (session INTEGER NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL)",
        "CREATE UNIQUE INDEX mask_by_number ON mask (session, number)",
        "CREATE UNIQUE INDEX mask_by_digest ON mask (session, digest)",
        """
        CREATE TABLE total (
            last INTEGER NOT NULL, count INTEGER NOT NULL, size INTEGER NOT NULL, salt BLOB NOT NULL)
        """,
        Inbox.schema,
    ]

    static let schema = DatabaseSchema(
        version: 1,
        statements: tables,
        rows: ["INSERT INTO total VALUES (0, 0, 0, randomblob(32))"]
    )

    /// Opens the user's own history, and creates it if it does not exist.
    ///
    /// - Throws: `HistoryFileError.unsettled` if the caller must try again with the lock.
    static func open(_ path: String, hasLock: Bool) throws -> DatabasePool {
        try claimFolder(of: path)
        try PrivateFiles.touchFile(path)
        try checkHead(of: path, hasLock: hasLock)
        var configuration = Configuration()
        configuration.label = "apus.history"
        configuration.busyTimeout = .seconds(5)
        configuration.readerCount = 3
        configuration.prepare = { db in
            // Exchanges shown as recorded must be synced.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            // 32 MiB, so that pages that the inbox reuses within some seconds are written to the file only once.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 8192")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { try prepare($0) }
        try pool.read { db in
            try DatabaseCheck.checkPagesOnce(of: path, db)
            try checkNumbers(db)
        }
        return pool
    }

    /// Creates the folder of the file; the standard folder is made private to this user.
    private static func claimFolder(of path: String) throws {
        let folder = folder(of: path)
        // Any other folder may be used for other things too.
        guard folder == StandardFolders.data else { return try PrivateFiles.makeFolder(folder) }
        guard try PrivateFiles.claimFolder(folder) else { return }
        // It was not private before, so others may have put files there.
        let file = path.dropFirst(folder.count + 1)
        for name in Folders.names(in: folder) where name.hasPrefix(file) {
            PrivateFiles.claim("\(folder)/\(name)", withAllBelow: true)
        }
    }

    /// Checks, before SQLite writes to the file, that it does not belong to another program.
    ///
    /// Also removes a rollback journal beside it. A history never has one, and SQLite would delete the file that
    /// it names.
    private static func checkHead(of path: String, hasLock: Bool) throws {
        let head = (try? DatabaseFile(path: path).bytes(0..<16)) ?? []
        let hasJournal = access(path + "-journal", F_OK) == 0
        // While SQLite creates the file, there is a journal.
        guard hasLock || !hasJournal && !head.isEmpty else { throw HistoryFileError.unsettled }
        if let head = HistoryHead(of: path) {
            try checkDamage(of: head, path)
            try check(version: head.version)
            // A history uses a write-ahead log, but a copy of one may have another journal mode.
            guard head.hasLog || head.version == schema.version && !hasJournal else {
                throw HistoryFileError.foreign(noHistory)
            }
        } else if hasJournal, !head.isEmpty {
            throw HistoryFileError.foreign(noHistory)
        }
        if hasJournal { unlink(path + "-journal") }
    }

    /// No program of ours will have made so many formats.
    private static let latestVersion = 99

    /// Distinguishes a damaged header from that of a newer version, and from that of another program.
    private static func checkDamage(of head: HistoryHead, _ path: String) throws {
        let isKnown = 0...schema.version ~= head.version
        // A change of the format is a transaction, which the header counts; damage is not.
        let isUnchanged = HistoryMark.read(of: path)?.changes == head.changes
        let isVersionDamaged = !isKnown && (head.version > latestVersion || isUnchanged)
        guard !head.isSound || isVersionDamaged || head.version == 0,
            HistoryHead.isOfHistory(path, withLog: head.version != 0 || !head.isSound)
        else { return }
        throw HistoryFileError.damagedFile("its header is invalid")
    }

    private static let noHistory = "it is not a history; move it or choose another file"

    /// Opens a file, which somebody else may have made, read-only.
    ///
    /// If its inbox is not empty, the inbox is taken in in a temporary copy.
    static func openForeign(_ path: String, _ bodies: BodyStore) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.isReadOnly = true
        configuration.busyTimeout = .seconds(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in
            try check(db)
            try DatabaseCheck.checkPages(db)
        }
        guard let end = try queue.read(Inbox.last) else { return queue }
        configuration.isReadOnly = false
        // A temporary database, which is deleted with the connection.
        let copy = try DatabaseQueue(path: "", configuration: configuration)
        try queue.backup(to: copy)
        try copy.write { _ = try Inbox.takeIn(upTo: end, atOnce: .max, bodies, $0) }
        return copy
    }

    private static func prepare(_ db: Database) throws {
        _ = try schema.create(in: db)
        try check(db)
    }

    private static func check(version found: Int) throws {
        guard found > schema.version else { return }
        throw HistoryFileError.foreign(
            """
            a newer apus made it (format \(found); this one reads \(schema.version)); update apus, \
            or move the file
            """
        )
    }

    private static func check(_ db: Database) throws {
        let found = try DatabaseSchema.version(of: db)
        try check(version: found)
        guard found == schema.version else { throw HistoryFileError.foreign(noHistory) }
        guard try !schema.isWhole(in: db) else { return }
        // Somebody else's database has tables of its own; a damaged one has all but one or two of these.
        let texts = try String?.fetchAll(db, sql: "SELECT sql FROM sqlite_schema")
        let wrong = texts.filter { $0.map { !schema.statements.contains($0) } ?? true }
        guard texts.count == schema.statements.count, wrong.count <= 2 else {
            throw HistoryFileError.foreign(noHistory)
        }
        throw HistoryFileError.damagedFile("its list of tables is damaged")
    }

    /// Checks that unused numbers are left.
    private static func checkNumbers(_ db: Database) throws {
        let sql = "SELECT last BETWEEN 0 AND \(numberLimit) FROM total"
        guard try Bool.fetchOne(db, sql: sql) == true else {
            throw DatabaseError(resultCode: .corrupt, message: "its counters are invalid")
        }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
