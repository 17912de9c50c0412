import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc

/// The file `responses.sqlite`: opened, brought to its schema, or set aside.
final class DiskDatabase: Sendable {
    /// The version of the schema, in `user_version`.
    private static let version = 6

    let pool: DatabasePool
    /// Reads single rows.
    let reader: DiskReader
    /// What happened to the file that was there; nil if it was fine.
    let notice: CacheNotice?
    private let inode: UInt

    /// Opens the file, or makes it.
    ///
    /// Only one process at a time does this in a folder, so that none sets aside
    /// what another has just begun.
    ///
    /// `pageLimit` is the most pages of 4 KiB that the file may have; a file that `isForeign` is
    /// looked at as a whole; `patience` is how long another process is waited for.
    init(
        folder: String,
        at now: Date,
        pageLimit: Int?,
        isForeign: Bool,
        patience: Duration
    ) throws {
        try DiskFolder.claim(folder)
        let lock = try FolderLock(waitingFor: "\(folder)/responses.lock", atMost: patience)
        defer { withExtendedLifetime(lock) {} }
        SetAsideFiles(folder: folder).removeOld(at: now)
        let path = "\(folder)/responses.sqlite"
        // Without its journal a file may be half of what it was; a cache may forget.
        if DatabaseCheck.removeJournal(beside: path) { Self.remove(path) }
        do {
            (pool, reader) = try Self.open(path, pageLimit, patience, isForeign)
            notice = nil
        } catch is OlderVersion {
            // An older version's entries lack what this one keeps, and have credentials that this
            // one does not: a cache may forget them, and does so without a trace. To drop the
            // tables would leave their bytes in the file.
            Self.remove(path)
            (pool, reader) = try Self.open(path, pageLimit, patience)
            notice = nil
        } catch {
            guard let reason = Self.reasonToSetAside(error) else { throw error }
            notice = try Self.setAside(path, folder, reason, at: now)
            (pool, reader) = try Self.open(path, pageLimit, patience)
        }
        inode = PrivateFiles.inode(of: path) ?? 0
    }

    /// Lets the next write clean, whenever that was done last.
    func makeCleaningDue() {
        // What fails here comes up by itself within the hour.
        try? pool.writeWithoutTransaction { try $0.execute(sql: "UPDATE total SET cleaned = 0") }
    }

    /// Moves the log into the file: until then both still have what was removed.
    ///
    /// SQLite does so at the end of the last connection, but GRDB ends the one that may write first.
    func foldLog() {
        // If another process is reading, its end or its log's size brings it about.
        try? pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Sets the file aside, unless another process has done so already.
    func setAside(
        _ folder: String,
        _ reason: CacheNotice.SetAsideReason,
        at now: Date
    ) throws -> CacheNotice? {
        let lock = try FolderLock(waitingFor: "\(folder)/responses.lock")
        defer { withExtendedLifetime(lock) {} }
        let path = "\(folder)/responses.sqlite"
        guard PrivateFiles.inode(of: path) == inode else { return nil }
        return try Self.setAside(path, folder, reason, at: now)
    }

    /// Removes the file with the bodies and all that was set aside, under the lock of the folder.
    static func removeFiles(_ folder: String) throws(PrivateFiles.Fault) {
        try DiskFolder.claim(folder)
        let lock = try FolderLock(waitingFor: "\(folder)/responses.lock")
        defer { withExtendedLifetime(lock) {} }
        remove("\(folder)/responses.sqlite")
        PrivateFiles.removeTree("\(folder)/bodies")
        SetAsideFiles(folder: folder).removeAll()
    }

    /// What another process holds, if that is the error: the lock of the folder, or the file.
    static func held(_ error: any Error, in folder: String) -> String? {
        switch error {
        case let error as PrivateFiles.Fault where error.errno == EBUSY: error.path
        case let error as DatabaseError
        where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode):
            "\(folder)/responses.sqlite"
        default: nil
        }
    }

    /// Why the file cannot be used, if the error says that it cannot.
    static func reasonToSetAside(_ error: any Error) -> CacheNotice.SetAsideReason? {
        switch error {
        case let newer as NewerVersion: .newer(version: newer.version)
        case is ForeignTables: .corrupt(detail: "it is a database of something else")
        case let error as DatabaseError
        where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            .corrupt(detail: error.message ?? "\(error.resultCode)")
        default: nil
        }
    }

    private struct NewerVersion: Error { let version: Int }
    private struct OlderVersion: Error {}
    private struct ForeignTables: Error {}

    /// Removes the file, and what SQLite keeps beside it.
    private static func remove(_ path: String) {
        for suffix in DatabaseCheck.suffixes { unlink(path + suffix) }
    }

    /// The most bytes that the facts of an entry may have.
    static let largestFacts = 4 << 20

    /// Has a connection refuse, with `SQLITE_TOOBIG`, a row that is larger than any of ours: in a
    /// file that somebody else made, one could have more bytes than there is memory.
    static func limitRows(_ connection: OpaquePointer?) {
        let largest = Int32(largestFacts + 2 * DiskStore.largestRowBody)
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, largest)
    }

    private static func open(
        _ path: String,
        _ pageLimit: Int?,
        _ patience: Duration,
        _ isForeign: Bool = false
    ) throws -> (DatabasePool, DiskReader) {
        try PrivateFiles.touchFile(path)
        var configuration = Configuration()
        configuration.label = "apus.cache"
        configuration.busyMode = .timeout(patience / .seconds(1))
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
            // What is removed is overwritten: Debian's SQLite does so by itself, others do not.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            limitRows(db.sqliteConnection)
            if let pageLimit { try db.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            if isForeign { try DatabaseCheck.checkPages(db) }
            try prepare(db)
        }
        return (pool, try DiskReader(path))
    }

    private static func prepare(_ db: Database) throws {
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= version else { throw NewerVersion(version: found) }
        guard found != version else {
            guard try DatabaseCheck.hasOnly(schema, db) else { throw ForeignTables() }
            // Touches the pages that every use needs, so that damage shows here.
            _ = try Int.fetchOne(db, sql: "SELECT size FROM total")
            _ = try Int.fetchOne(db, sql: "SELECT id FROM entry ORDER BY last_access LIMIT 1")
            return
        }
        guard found == 0 else { throw OlderVersion() }
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 else {
            throw ForeignTables()
        }
        // Given-up space goes back to the file system; this must come before the tables.
        try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try db.execute(sql: "VACUUM")
        try db.inTransaction(.immediate) {
            for statement in schema { try db.execute(sql: statement) }
            try db.execute(sql: "INSERT INTO total VALUES (0, 0, 0)")
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    // The digest is 32 bytes, or the text of a key that has none. A body is in the row up to
    // 64 KiB, else in the file named by `file`. The columns that a hit needs stand before the body,
    // whose pages come last. SQLite keeps these texts as they are: a file has them, or is not ours.
    private static let schema = [
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL, facts BLOB NOT NULL, expires REAL,
            last_access REAL NOT NULL, hits INTEGER NOT NULL, cost INTEGER NOT NULL, file TEXT,
            primary_row INTEGER, body BLOB)
        """,
        "CREATE INDEX entry_by_last_access ON entry (last_access)",
        "CREATE INDEX entry_by_expires ON entry (expires) WHERE expires IS NOT NULL",
        "CREATE INDEX entry_by_primary ON entry (primary_row) WHERE primary_row IS NOT NULL",
        "CREATE INDEX entry_by_file ON entry (file) WHERE file IS NOT NULL",
        "CREATE TABLE total (size INTEGER NOT NULL, count INTEGER NOT NULL, cleaned REAL NOT NULL)",
        """
        CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
            UPDATE total SET size = size + NEW.cost, count = count + 1; END
        """,
        """
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
            UPDATE total SET size = size - OLD.cost, count = count - 1; END
        """,
    ]

    /// Moves the file and what SQLite keeps beside it out of the way; of what was set aside for
    /// the same reason before, nothing stays.
    ///
    /// The bodies of a newer version's file go with it, for it may be used again;
    /// those of a damaged one are removed, for nothing refers to them any more.
    private static func setAside(
        _ path: String,
        _ folder: String,
        _ reason: CacheNotice.SetAsideReason,
        at now: Date
    ) throws -> CacheNotice {
        let kind: SetAsideFiles.Kind = if case .newer = reason { .newer } else { .corrupt }
        let files = SetAsideFiles(folder: folder)
        files.removeAll([kind])
        let target = files.path(of: kind, at: now)
        for suffix in DatabaseCheck.suffixes {
            guard rename(path + suffix, target + suffix) == 0 || errno == ENOENT else {
                throw PrivateFiles.Fault(path: path, errno: errno)
            }
        }
        if case .newer = reason { rename("\(folder)/bodies", "\(target)-bodies") }
        return .setAside(path: path, to: target, reason)
    }
}
