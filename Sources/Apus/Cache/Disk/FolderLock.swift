import Glibc

/// A lock that processes hold on a folder, by `flock` on a file in it; the
/// kernel lets go of it when its holder dies.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Waits for the lock.
    init(waitingFor path: String) throws(PrivateFiles.Fault) {
        descriptor = try Self.open(path)
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw PrivateFiles.Fault(path: path, errno: errno) }
        }
    }

    /// Takes the lock if nobody has it.
    init?(trying path: String) {
        // Who cannot open it cannot have it either.
        guard let descriptor = try? Self.open(path) else { return nil }
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    private static func open(_ path: String) throws(PrivateFiles.Fault) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFiles.Fault(path: path, errno: errno) }
        return descriptor
    }
}
