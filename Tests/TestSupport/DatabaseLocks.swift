import Glibc

/// The locks that SQLite takes on a database's file (`os.h` of SQLite has their places).
package enum DatabaseLocks {
    /// Whether any process, this one too, has the database open and locked against its deletion.
    ///
    /// Drops this process's own locks.
    package static func areHeld(on path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        // F_OFD_GETLK, which Swift's Glibc lacks: unlike F_GETLK, it counts the locks of this process too.
        return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
