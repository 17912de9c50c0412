import Glibc
import Synchronization

/// The folder for bodies that are too large for memory.
///
/// ```
/// <root>/lock                 held while a process makes or sweeps folders
/// <root>/<pid>-<random>/lock  held for the life of the process
/// <root>/<pid>-<random>/1 …   the bodies
/// ```
/// A process removes its folder when it ends. One that was killed leaves it; the next one to spool
/// finds its lock free and removes it. A root that is somebody else's, that others may write to, or
/// whose lock is not given, is not used: bodies go to a folder beside it then, `<root>-<random>`.
final class SpoolFolder: Sendable {
    private struct Claimed {
        let path: String
        /// Held as long as the folder is in use.
        let lock: FolderLock
    }

    private struct State {
        var folder: Claimed?
        var files = 0
    }

    /// The engine's thread waits, and there is another place.
    private static let patience = Duration.seconds(1)
    private static let leavesAtExit: Void = { atexit { SpoolFolder.leaveAll() } }()

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
            let folder = if let known = state.folder { known } else { try claimFolder() }
            state.folder = folder
            state.files += 1
            return "\(folder.path)/\(state.files)"
        }
        return try BodyFileWriter(creating: path, isPrivate: true)
    }

    private func claimFolder() throws(ApusError) -> Claimed {
        Self.leavesAtExit
        sweepBeside()
        // Others may have made a folder in the one for all before us, or a link there.
        guard try PrivateFolder.make(root), let all = lockOfAll() else { return try claimBeside() }
        defer { withExtendedLifetime(all) {} }
        sweep()
        let folder = "\(root)/\(getpid())-\(PrivateFolder.unguessableName())"
        try Folders.make(folder, mode: 0o700)
        return try Self.locked(folder)
    }

    /// Held while folders are made and swept; nil if it is not given, or cannot be made.
    private func lockOfAll() -> FolderLock? {
        try? FolderLock(waitingFor: "\(root)/lock", atMost: Self.patience)
    }

    private func claimBeside() throws(ApusError) -> Claimed {
        let folder = try Self.locked(PrivateFolder.makeTemporary(beside: root))
        // Without a lock for all another process may have swept it before it had its own.
        if PrivateFiles.inode(of: "\(folder.path)/lock") != nil { return folder }
        return try Self.locked(PrivateFolder.makeTemporary(beside: root))
    }

    private static func locked(_ folder: String) throws(ApusError) -> Claimed {
        do throws(PrivateFiles.Fault) {
            let lock = try FolderLock(waitingFor: "\(folder)/lock", atMost: patience)
            return Claimed(path: folder, lock: lock)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }

    /// Removes what processes left that are no more.
    private func sweep() {
        for name in Folders.names(in: root) {
            let parts = name.split(separator: "-")
            guard parts.count == 2, Int32(parts[0]) != nil,
                PrivateFolder.isUnguessableName(parts[1])
            else { continue }
            _ = FolderLock.removeAbandoned("\(root)/\(name)")
        }
    }

    /// Removes the folders beside the root that processes left that are no more.
    private func sweepBeside() {
        let parent = Folders.parent(of: root)
        let prefix = "\(root.dropFirst(parent.count).drop { $0 == "/" })-"
        for name in Folders.names(in: parent) where name.hasPrefix(prefix) {
            guard PrivateFolder.isUnguessableName(name.dropFirst(prefix.count)) else { continue }
            // Earlier versions gave these no lock.
            _ = FolderLock.removeAbandoned("\(parent)/\(name)")
        }
    }
}

extension SpoolFolder {
    /// Removes the folders of this process that have no body in them any more; for its end.
    static func leaveAll() {
        for folder in folders.withLock({ Array($0.values) }) { folder.leave() }
    }

    /// Removes the folder of this process unless there is a body in it; the next body makes another.
    func leave() {
        state.withLock { state in
            // What is still there is removed by the next process to spool.
            guard let own = state.folder, FolderLock.removeEmpty(own.path) else { return }
            state.folder = nil
        }
    }
}
