internal import CFile
package import GRDB
import Glibc

/// What is looked at before a file of SQLite's is used: somebody else may have made it.
package enum DatabaseCheck {
    /// What SQLite keeps beside a file, and the file.
    package static let suffixes = ["-journal", "-wal", "-shm", ""]

    /// Removes the rollback journal beside a file; whether there was one.
    ///
    /// SQLite would roll it back, and then delete the file that it names as its super-journal,
    /// whichever file of the user's that is. It is never ours: our files have a write-ahead log.
    static func removeJournal(beside path: String) -> Bool {
        unlink(path + "-journal") == 0
    }

    /// Whether the file has the tables, indices and triggers that these statements make, and
    /// nothing else.
    ///
    /// A trigger, a view or a computed column in the place of what is expected could do anything,
    /// and without end. SQLite keeps the texts as they are.
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

    /// Looks at all pages, 0.4 ms for each megabyte: a scan of some that lead in a circle, or to the
    /// same ones again and again, would have no end.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CORRUPT`.
    package static func checkPages(_ db: Database) throws {
        let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        guard found == "ok" else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found)
        }
    }

    /// Looks at all pages of a file that was not looked at before.
    ///
    /// A file beside it says so. Who made the file elsewhere cannot have made that: it has the number and
    /// the time of birth that the file has here.
    package static func checkPagesOnce(of path: String, _ db: Database) throws {
        let name = name(of: path)
        let known = try? PrivateFiles.readFile(note(beside: path), upTo: 128)
        guard name == nil || known != name else { return }
        try checkPages(db)
        if let name { try? PrivateFiles.replace(note(beside: path), with: name) }
    }

    /// Sees to it that all pages are looked at again, for something is wrong with one.
    package static func forget(_ path: String) { unlink(note(beside: path)) }

    private static func note(beside path: String) -> String { path + "-checked" }

    /// What tells a file from every other one; nil if nothing does.
    private static func name(of path: String) -> [UInt8]? {
        var name = cfile_name()
        guard cfile_birth(path, &name) != 0 else { return nil }
        return Array("\(name.number) \(name.seconds).\(name.nanoseconds)\n".utf8)
    }
}
