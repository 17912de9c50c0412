import Glibc

/// A lock on a folder, held through `flock` on a file in it; the kernel releases it when the holder dies.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// How long to wait for a lock; processes hold it only for milliseconds.
    package static let patience = Duration.seconds(5)

    /// Waits for the lock for a limited time.
    ///
    /// A stopped or foreign process may keep it. Blocks the calling thread.
    ///
    /// - Throws: A fault with `EBUSY` if the lock was not free in time.
    package init(
        waitingFor path: String,
        atMost patience: Duration = patience
    ) throws(PrivateFileError) {
        descriptor = try Self.open(path)
        let end = ContinuousClock.now + patience
        // A blocking flock can only be limited by a signal, which would affect the whole process.
        var pause: UInt32 = 500
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw PrivateFileError(path: path, errno: errno)
            }
            guard ContinuousClock.now < end else {
                throw PrivateFileError(path: path, errno: EBUSY)
            }
            usleep(pause)
            pause = min(2 * pause, 50_000)
        }
    }

    /// Takes the lock if it is free; otherwise nil.
    init?(trying path: String) {
        // Without access to the file, the lock cannot be taken.
        guard let descriptor = try? Self.open(path) else { return nil }
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Removes a folder, with its files, whose process no longer exists: its lock is free, or it has had no
    /// lock for an hour.
    ///
    /// A link to a folder, or another user's folder, is kept. The lock file is removed last, so that
    /// another process can finish the work if this one is killed.
    ///
    /// - Returns: Whether it was removed.
    static func removeAbandoned(_ folder: String) -> Bool {
        guard PrivateFolder.isOurs(folder) else { return false }
        let lock = Glibc.open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if lock < 0 {
            // A folder without a lock may be about to get one, or its process was killed before making it.
            guard errno == ENOENT, let modified = PrivateFiles.modified(folder),
                modified < time(nil) - 3600
            else { return false }
        }
        defer { if lock >= 0 { close(lock) } }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { return false }
        for name in Folders.names(in: folder) where name != "lock" {
            unlink("\(folder)/\(name)")
        }
        return removeEmpty(folder)
    }

    /// Removes a folder that contains nothing but its lock; returns whether it was removed.
    static func removeEmpty(_ folder: String) -> Bool {
        guard Folders.names(in: folder).allSatisfy({ $0 == "lock" }) else { return false }
        unlink("\(folder)/lock")
        return rmdir(folder) == 0
    }

    private static func open(_ path: String) throws(PrivateFileError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        return descriptor
    }
}
