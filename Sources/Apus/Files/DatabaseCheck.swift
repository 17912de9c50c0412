import Glibc

/// What is looked at before a file of SQLite's is used: somebody else may have made it.
package enum DatabaseCheck {
    /// What SQLite keeps beside a file, and the file.
    static let suffixes = ["-journal", "-wal", "-shm", ""]

    /// Removes the rollback journal beside a file; whether there was one.
    ///
    /// SQLite would roll it back, and then delete the file that it names as its super-journal,
    /// whichever file of the user's that is. It is never ours: our files have a write-ahead log.
    static func removeJournal(beside path: String) -> Bool {
        unlink(path + "-journal") == 0
    }
}
