internal import CFile
package import FoundationEssentials
import Glibc
package import SQLite

/// Checks an SQLite file before use, because someone else may have made it.
package enum DatabaseCheck {
    /// The suffixes of the files that SQLite keeps beside a database, and of the database itself.
    package static let suffixes = ["-journal", "-wal", "-shm", ""]

    /// A date as text that sorts by time, for the name of a database that is set aside.
    package static func stamp(of date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// Removes a database and the files that SQLite keeps beside it.
    package static func removeFiles(_ path: String) {
        for suffix in suffixes { unlink(path + suffix) }
    }

    /// Copies a database and its log to new files with mode 0600, and flushes them to disk.
    package static func copyFiles(_ path: String, to target: String) throws {
        if access("\(path)-wal", F_OK) == 0 {
            try PrivateFiles.copy("\(path)-wal", to: "\(target)-wal")
        }
        guard access(path, F_OK) == 0 else { return }
        let file = try DatabaseFile(path: path)
        let copy = try PrivateFiles.create(target)
        defer { close(copy) }
        do {
            var offset = 0
            while case let piece = try file.bytes(offset..<offset + pieceSize), !piece.isEmpty {
                guard piece.withUnsafeBytes({ FilePieces.write($0, to: copy) }) else {
                    throw PrivateFileError(path: target, errno: errno)
                }
                offset += piece.count
            }
            guard fsync(copy) == 0 else { throw PrivateFileError(path: target, errno: errno) }
        } catch {
            unlink(target)
            throw error
        }
    }

    private static let pieceSize = 1 << 20

    /// Removes the rollback journal beside a file; returns whether there was one.
    ///
    /// SQLite would roll it back and then delete the file that it names as its super-journal, which may be any
    /// file of the user's. A rollback journal is never ours, because our databases use a write-ahead log.
    static func removeJournal(beside path: String) -> Bool {
        unlink(path + "-journal") == 0
    }

    /// Whether the file contains exactly the tables, indices and triggers that these statements create.
    ///
    /// A foreign trigger, view or computed column could do anything, and run forever. SQLite keeps the text
    /// of the statements unchanged.
    package static func hasOnly(_ statements: [String], _ db: Database) throws -> Bool {
        let found = try String.fetchAll(
            db,
            sql: """
                SELECT coalesce(type, '') || ' ' || coalesce(name, '') || ' ' || coalesce(sql, '')
                FROM sqlite_schema
                """
        )
        let expected = statements.map { statement in
            // CREATE TABLE entry …, CREATE UNIQUE INDEX entry_by_key …
            let words = statement.split(separator: " ", maxSplits: 4).filter { $0 != "UNIQUE" }
            return "\(words[1].lowercased()) \(words[2]) \(statement)"
        }
        return found.sorted() == expected.sorted()
    }

    /// Checks all pages, which takes 0.4 ms per megabyte: a scan of pages that form a cycle or repeat would
    /// not end.
    ///
    /// - Throws: `DatabaseError` that says `corrupt`.
    package static func checkPages(_ db: Database) throws {
        let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        guard found == "ok" else {
            throw DatabaseError(resultCode: .corrupt, message: found)
        }
    }

    /// Checks all pages of a file once.
    ///
    /// A file beside it records the check. Whoever made the database elsewhere cannot have forged that
    /// file, because it contains the inode number and creation time that the database has here.
    package static func checkPagesOnce(of path: String, _ db: Database) throws {
        let name = name(of: path)
        let known = try? PrivateFiles.readFile(note(beside: path), upTo: 128)
        guard name == nil || known != name else { return }
        try checkPages(db)
        if let name { try? PrivateFiles.replace(note(beside: path), with: name) }
    }

    /// Makes the next check examine all pages again, because something is wrong with one.
    package static func forget(_ path: String) { unlink(note(beside: path)) }

    private static func note(beside path: String) -> String { path + "-checked" }

    /// Identifies a file by inode number and creation time; nil if they cannot be read.
    private static func name(of path: String) -> [UInt8]? {
        var name = cfile_name()
        guard cfile_birth(path, &name) != 0 else { return nil }
        return Array("\(name.number) \(name.seconds).\(name.nanoseconds)\n".utf8)
    }
}
