import FoundationEssentials
import Glibc
import SQLite

/// The open database file `responses.sqlite`, with the current schema.
final class DiskDatabase: Sendable {
    let pool: DatabasePool
    /// Reads single rows.
    let reader: DiskReader
    /// The notice that an existing file was set aside; nil if it was not.
    let notice: CacheNotice?
    private let inode: UInt

    /// Opens the file, or creates it.
    ///
    /// Only one process at a time does this in a folder, so that none sets aside another's new file.
    ///
    /// `pageLimit` is the most pages of 4 KiB that the file may have. All pages of a file that `isForeign`
    /// are checked. `patience` is how long to wait for another process.
    init(
        folder: String,
        at now: Date,
        pageLimit: Int?,
        isForeign: Bool,
        patience: Duration
    ) throws {
        try DiskFolder.claim(folder)
        let lock = try FolderLock(waitingFor: "\(folder)/\(DiskFolder.lock)", atMost: patience)
        defer { withExtendedLifetime(lock) {} }
        SetAsideFiles(folder: folder).removeOld(at: now)
        let path = "\(folder)/\(DiskFolder.database)"
        // Without its journal the database may be inconsistent. A cache may forget it.
        if DatabaseCheck.removeJournal(beside: path) { DatabaseCheck.removeFiles(path) }
        do {
            (pool, reader) = try Self.open(path, pageLimit, patience, isForeign)
            notice = nil
        } catch SchemaError.older {
            // An older version's entries lack data that is needed now, and have credentials that are not
            // stored now. A cache may drop them without a notice. Dropping only the tables would leave their
            // bytes in the file.
            DatabaseCheck.removeFiles(path)
            (pool, reader) = try Self.open(path, pageLimit, patience)
            notice = nil
        } catch {
            guard let reason = Self.reasonToSetAside(error) else { throw error }
            notice = try Self.setAside(path, folder, reason, at: now)
            (pool, reader) = try Self.open(path, pageLimit, patience)
        }
        inode = PrivateFiles.inode(of: path) ?? 0
    }

    /// Makes the next write clean up, however recent the last cleanup was.
    func makeCleaningDue() {
        // If this fails, the cleanup happens within the hour anyway.
        try? pool.writeWithoutTransaction { try $0.execute(sql: "UPDATE total SET cleaned = 0") }
    }

    /// Moves the write-ahead log into the file, because until then both still contain removed data.
    ///
    /// SQLite does this when the last connection closes, but this one stays open or another process has one.
    func foldLog() {
        // If another process is reading, this happens when it closes the file or the log has grown enough.
        try? pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Sets the file aside, unless another process has already done so.
    func setAside(
        _ folder: String,
        _ reason: CacheNotice.SetAsideReason,
        at now: Date
    ) throws -> CacheNotice? {
        let lock = try FolderLock(waitingFor: "\(folder)/\(DiskFolder.lock)")
        defer { withExtendedLifetime(lock) {} }
        let path = "\(folder)/\(DiskFolder.database)"
        guard PrivateFiles.inode(of: path) == inode else { return nil }
        return try Self.setAside(path, folder, reason, at: now)
    }

    /// Removes the file, the bodies and everything that was set aside, under the folder's lock.
    static func removeFiles(_ folder: String) throws(PrivateFileError) {
        try DiskFolder.claim(folder)
        let lock = try FolderLock(waitingFor: "\(folder)/\(DiskFolder.lock)")
        defer { withExtendedLifetime(lock) {} }
        DatabaseCheck.removeFiles("\(folder)/\(DiskFolder.database)")
        PrivateFiles.removeTree("\(folder)/bodies")
        SetAsideFiles(folder: folder).removeAll()
    }

    /// The path that another process holds: the folder's lock or the file; nil if that is not the error.
    static func held(_ error: any Error, in folder: String) -> String? {
        switch error {
        case let error as PrivateFileError where error.errno == EBUSY: error.path
        case let error as DatabaseError where error.isBusy:
            "\(folder)/\(DiskFolder.database)"
        default: nil
        }
    }

    /// Why the error makes the file unusable; nil if it does not.
    static func reasonToSetAside(_ error: any Error) -> CacheNotice.SetAsideReason? {
        switch error {
        case SchemaError.newer(let version): .newer(version: version)
        case SchemaError.foreignTables: .corrupt(detail: "it is not a cache database")
        case let error as DatabaseError where error.isDamage: .corrupt(detail: error.words)
        default: nil
        }
    }

    /// Why a file is not one of this version of the cache.
    private enum SchemaError: Error {
        case newer(version: Int)
        case older
        case foreignTables
    }

    /// The most bytes of an entry's `facts` column.
    static let largestFacts = 4 << 20

    /// Makes a connection refuse rows that are larger than any of the cache's own.
    ///
    /// A row in a file that someone else made could be larger than memory.
    static func limitRows(_ db: Database) {
        db.limitLength(to: largestFacts + 2 * DiskStore.largestRowBody)
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
        configuration.busyTimeout = patience
        configuration.readerCount = 2
        configuration.prepare = { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            // Overwrites deleted data. Debian's SQLite does this by default, others do not.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            limitRows(db)
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
        let found = try DatabaseSchema.version(of: db)
        guard found <= schema.version else { throw SchemaError.newer(version: found) }
        guard found != schema.version else {
            guard try schema.isWhole(in: db) else { throw SchemaError.foreignTables }
            // Reads the pages that every use needs, so that damage shows here.
            _ = try Int.fetchOne(db, sql: "SELECT size FROM total")
            _ = try Int.fetchOne(db, sql: "SELECT id FROM entry ORDER BY last_access LIMIT 1")
            return
        }
        guard found == 0 else { throw SchemaError.older }
        guard try schema.create(in: db) else { throw SchemaError.foreignTables }
    }

    // `digest` is 32 bytes, or the text of a key that has no digest. A body of up to 64 KiB is in the row, a
    // larger one in the file named by `file`. The columns that a hit needs come before the body, whose pages
    // come last.
    private static let tables = [
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

    private static let schema = DatabaseSchema(
        version: 6,
        statements: tables,
        rows: ["INSERT INTO total VALUES (0, 0, 0)"]
    )

    /// Moves the file and SQLite's files for it away; removes what was set aside before for the same reason.
    ///
    /// The bodies of a newer version's file are moved too, because it may be used again. Those of a damaged
    /// one are removed later, because nothing refers to them any more.
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
                throw PrivateFileError(path: path, errno: errno)
            }
        }
        if case .newer = reason { rename("\(folder)/bodies", "\(target)-bodies") }
        return .setAside(path: path, to: target, reason)
    }
}
