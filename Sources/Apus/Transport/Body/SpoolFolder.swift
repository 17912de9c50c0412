import Glibc
import Synchronization

/// The folder for bodies that are too large for memory.
///
/// ```
/// <root>/lock                 held while a process makes or sweeps folders
/// <root>/<pid>-<random>/lock  held for the life of the process
/// <root>/<pid>-<random>/1 …   the bodies
/// ```
/// A process removes its folder when it exits. If it was killed, the next process to spool finds the lock
/// free and removes the folder. The root is not used if it belongs to another user, if others may write to
/// it, or if its lock cannot be taken. Bodies then go to a folder beside it, `<root>-<random>`.
final class SpoolFolder: Sendable {
    private struct Claimed {
        let path: String
        /// Held while the folder is in use.
        let lock: FolderLock
    }

    private struct State {
        var folder: Claimed?
        var files = 0
    }

    /// Short, because the engine's thread waits, and there is another folder to use.
    private static let patience = Duration.seconds(1)
    private static let leavesAtExit: Void = { atexit { SpoolFolder.leaveAll() } }()

    /// One folder per root and process, because bodies outlive their transport and need the lock.
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
        if let cache = StandardFolders.path(in: "XDG_CACHE_HOME") { return cache + "/apus/spool" }
        if let home = StandardFolders.path(in: "HOME") { return home + "/.cache/apus/spool" }
        return (StandardFolders.path(in: "TMPDIR") ?? "/tmp") + "/apus-spool-\(getuid())"
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
        // Another user may have made the root or put a link there, for example in /tmp.
        guard try PrivateFolder.make(root), let all = lockOfAll() else { return try claimBeside() }
        defer { withExtendedLifetime(all) {} }
        sweep()
        let folder = "\(root)/\(getpid())-\(PrivateFolder.unguessableName())"
        try Folders.make(folder, mode: 0o700)
        return try Self.locked(folder)
    }

    /// The lock that is held while folders are made and swept; nil if it cannot be taken.
    private func lockOfAll() -> FolderLock? {
        try? FolderLock(waitingFor: "\(root)/lock", atMost: Self.patience)
    }

    private func claimBeside() throws(ApusError) -> Claimed {
        let folder = try Self.locked(PrivateFolder.makeTemporary(beside: root))
        // Without the root's lock, another process may have removed the folder before it was locked.
        if PrivateFiles.inode(of: "\(folder.path)/lock") != nil { return folder }
        return try Self.locked(PrivateFolder.makeTemporary(beside: root))
    }

    private static func locked(_ folder: String) throws(ApusError) -> Claimed {
        do throws(PrivateFileError) {
            let lock = try FolderLock(waitingFor: "\(folder)/lock", atMost: patience)
            return Claimed(path: folder, lock: lock)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }

    /// Removes the folders of processes that no longer exist.
    private func sweep() {
        for name in Folders.names(in: root) {
            let parts = name.split(separator: "-")
            guard parts.count == 2, Int32(parts[0]) != nil,
                PrivateFolder.isUnguessableName(parts[1])
            else { continue }
            _ = FolderLock.removeAbandoned("\(root)/\(name)")
        }
    }

    /// Removes folders beside the root whose processes no longer exist.
    private func sweepBeside() {
        let parent = Folders.parent(of: root)
        let prefix = "\(root.dropFirst(parent.count).drop { $0 == "/" })-"
        for name in Folders.names(in: parent) where name.hasPrefix(prefix) {
            guard PrivateFolder.isUnguessableName(name.dropFirst(prefix.count)) else { continue }
            // Earlier versions did not lock these.
            _ = FolderLock.removeAbandoned("\(parent)/\(name)")
        }
    }
}

extension SpoolFolder {
    /// Removes this process's folders that hold no bodies; called at exit.
    static func leaveAll() {
        for folder in folders.withLock({ Array($0.values) }) { folder.leave() }
    }

    /// Removes this process's folder unless it holds a body; the next body makes a new one.
    func leave() {
        state.withLock { state in
            // If it is not empty, the next process to spool removes it.
            guard let own = state.folder, FolderLock.removeEmpty(own.path) else { return }
            state.folder = nil
        }
    }
}
