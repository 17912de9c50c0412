import Glibc
import Synchronization

/// The folder for bodies that are too large for memory.
///
/// ```
/// <root>/lock                 held while a process makes or sweeps folders
/// <root>/<pid>-<random>/lock  held for the life of the process
/// <root>/<pid>-<random>/1 …   the bodies
/// ```
/// A process that was killed leaves its folder; the next one to spool finds its
/// lock free and removes it. A root that is somebody else's, or that others may write to, is not
/// used: bodies go to a folder of their own name then, which nobody sweeps.
final class SpoolFolder: Sendable {
    private struct State {
        var folder: String?
        var files = 0
    }

    /// One for each root and process, for bodies outlive their transport and
    /// the lock must stay as long as they may.
    private static let folders = Mutex<[String: SpoolFolder]>([:])

    static func at(_ root: String?) -> SpoolFolder {
        let root = root ?? defaultRoot
        return folders.withLock { folders in
            if let folder = folders[root] { return folder }
            let folder = SpoolFolder(root: root)
            folders[root] = folder
            return folder
        }
    }

    private let root: String
    private let state = Mutex(State())

    private init(root: String) { self.root = root }

    private static var defaultRoot: String {
        if let cache = environment("XDG_CACHE_HOME") { return cache + "/apus/spool" }
        if let home = environment("HOME") { return home + "/.cache/apus/spool" }
        return (environment("TMPDIR") ?? "/tmp") + "/apus-spool-\(getuid())"
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee == UInt8(ascii: "/") else { return nil }
        return String(cString: value)
    }

    /// Makes an empty file that only its owner can read.
    func makeFile() throws(ApusError) -> BodyFileWriter {
        let path = try state.withLock { (state) throws(ApusError) -> String in
            let folder: String
            if let known = state.folder { folder = known } else { folder = try claimFolder() }
            state.folder = folder
            state.files += 1
            return "\(folder)/\(state.files)"
        }
        return try BodyFileWriter(creating: path, isPrivate: true)
    }

    private func claimFolder() throws(ApusError) -> String {
        // Others may have made a folder in the one for all before us, or a link there.
        guard try PrivateFolder.make(root) else {
            return try PrivateFolder.makeTemporary(beside: root)
        }
        let guardLock = try Self.openLock(of: root)
        defer { close(guardLock) }
        guard flock(guardLock, LOCK_EX) == 0 else {
            throw ApusError(.file(path: root, errno: errno))
        }
        sweep()
        let folder = "\(root)/\(getpid())-\(PrivateFolder.unguessableName())"
        try Folders.make(folder, mode: 0o700)
        // Kept open, and so locked, until the process ends.
        let lock = try Self.openLock(of: folder)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            close(lock)
            throw ApusError(.file(path: folder, errno: failure))
        }
        return folder
    }

    private static func openLock(of folder: String) throws(ApusError) -> Int32 {
        let path = folder + "/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        return descriptor
    }

    /// Removes what processes left that are no more.
    private func sweep() {
        for name in Folders.names(in: root) where name != "lock" {
            let folder = "\(root)/\(name)"
            let lock = open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
            for file in Folders.names(in: folder) { unlink("\(folder)/\(file)") }
            rmdir(folder)
        }
    }
}
