import FoundationEssentials
import Glibc

/// Folders and files that only their owner may read.
package enum PrivateFiles {
    /// A call that failed.
    package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path.
        package let path: String
        /// The number of the error.
        package let errno: Int32
        /// Who has what should be ours; nil if that is not the fault.
        package let owner: UInt32?
        /// Whether it is a folder that must be written to.
        package let isClosedFolder: Bool

        /// Makes a fault.
        package init(
            path: String,
            errno: Int32,
            owner: UInt32? = nil,
            isClosedFolder: Bool = false
        ) {
            self.path = path
            self.errno = errno
            self.owner = owner
            self.isClosedFolder = isClosedFolder
        }

        package var description: String {
            if let owner {
                return "\(path) belongs to another user (\(owner)): name one of your own, "
                    + "or have this one removed"
            }
            if isClosedFolder {
                return
                    "the folder \(path) cannot be written to (\(FileErrorText.words(for: errno))): "
                    + "`chmod u+rwx` it, or name another"
            }
            if errno == ENOTEMPTY {
                return "\(path) is used for something else: name a new or an empty folder"
            }
            return "\(path): \(FileErrorText.words(for: errno))"
        }
    }

    /// Makes a folder and those above it that are missing, with the mode 0700.
    package static func makeFolder(_ path: String) throws(Fault) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST {
            guard isFolder(path) else { throw Fault(path: path, errno: ENOTDIR) }
            return
        }
        guard errno == ENOENT, let parent = parent(of: path) else {
            throw Fault(path: path, errno: errno)
        }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Fault(path: path, errno: errno)
        }
    }

    /// Makes a folder with those above it, and sees to it that only its owner, who we are, may
    /// enter it.
    ///
    /// A link to a folder of ours is one; one that another user made is not, wherever it leads, and
    /// neither is one that users share, or whose names say that it has another use.
    ///
    /// - Returns: whether others could enter it until now.
    package static func claimFolder(
        _ path: String,
        if isFor: (_ names: [String]) -> Bool = { _ in true }
    ) throws(Fault) -> Bool {
        try makeFolder(path)
        var link = stat()
        guard lstat(path, &link) == 0 else { throw Fault(path: path, errno: errno) }
        guard link.st_uid == geteuid() || link.st_uid == 0 else {
            throw Fault(path: path, errno: EPERM, owner: link.st_uid)
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        defer { close(descriptor) }
        var folder = stat()
        guard fstat(descriptor, &folder) == 0 else { throw Fault(path: path, errno: errno) }
        guard folder.st_uid == geteuid() else {
            throw Fault(path: path, errno: EPERM, owner: folder.st_uid)
        }
        guard folder.st_mode & S_ISVTX == 0, isFor(names(in: path)) else {
            throw Fault(path: path, errno: ENOTEMPTY)
        }
        guard folder.st_mode & 0o077 != 0 else { return false }
        guard fchmod(descriptor, 0o700) == 0 else { throw Fault(path: path, errno: errno) }
        return true
    }

    /// Takes a file or a folder in a folder of ours from all others: its mode becomes 0600 or 0700,
    /// and what is neither, or somebody else's, goes.
    package static func claim(_ path: String, withAllBelow isDeep: Bool) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard status.st_uid == geteuid(), kind == S_IFREG || kind == S_IFDIR else {
            unlink(path)
            return
        }
        let mode: mode_t = kind == S_IFDIR ? 0o700 : 0o600
        if status.st_mode & 0o077 != 0 { chmod(path, mode) }
        guard isDeep, kind == S_IFDIR else { return }
        for name in names(in: path) { claim("\(path)/\(name)", withAllBelow: true) }
    }

    /// Makes a file with the mode 0600 if it is missing: SQLite gives the files
    /// beside it the same mode.
    ///
    /// One that is there gets the mode, too.
    package static func touchFile(_ path: String) throws(Fault) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Fault(path: path, errno: errno) }
        // What is opened after it could wait for ever, or have no end.
        guard status.st_mode & S_IFMT == S_IFREG else { throw Fault(path: path, errno: EINVAL) }
        guard status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw Fault(path: path, errno: errno) }
    }

    /// Makes a file with the mode 0600; false if it is there already.
    package static func makeFile(_ path: String) throws(Fault) -> Bool {
        do throws(Fault) {
            close(try create(path))
            return true
        } catch {
            if error.errno == EEXIST { return false }
            throw error
        }
    }

    /// Makes a file with the mode 0600 that must not be there yet; its descriptor, for writing.
    static func create(_ path: String) throws(Fault) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        return descriptor
    }

    /// Puts a file with the mode 0600 in the place of another, or of none, in one
    /// step; folders that are missing are made.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(Fault) {
        if let parent = parent(of: path) { try makeFolder(parent) }
        let temporary = "\(path).new-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = try create(temporary)
        let isWritten = bytes.withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        // On disk before its name is: a name must never stand for half a file.
        let number = isWritten && fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        guard number == 0, rename(temporary, path) == 0 else {
            let fault = Fault(path: path, errno: number == 0 ? errno : number)
            unlink(temporary)
            throw fault
        }
        sync(folderOf: path)
    }

    /// Puts the names in a folder on disk: until then a crash may bring the old file back.
    ///
    /// What cannot be synced, as some file systems' folders, is written all the same.
    private static func sync(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// All bytes of a file of ours, which others may not read from now on.
    ///
    /// One that another user has, or a link that another made, is refused: who can write it could
    /// have put anything there. Root's is not: that user can anyway.
    package static func read(_ path: String) throws(ApusError) -> [UInt8] {
        var link = stat()
        var status = stat()
        // Without waiting for the other end of a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        guard lstat(path, &link) == 0, fstat(descriptor, &status) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        let owners = [geteuid(), 0]
        guard owners.contains(status.st_uid), owners.contains(link.st_uid) else {
            throw ApusError(.file(path: path, errno: EPERM))
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        if isFile, status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        if !isFile { _ = fcntl(descriptor, F_SETFL, 0) }
        return try FileBytes.read(descriptor, of: path)
    }

    /// All bytes of an ordinary file that is no link, for who does not know what lies there.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: how many bytes it may have.
    ///   - isOurs: whether it must be ours, or root's; others may not read it from now on.
    /// - Returns: its bytes.
    /// - Throws: `ApusError` with the reason `.file`: `ELOOP` for a link, `EINVAL` for what else is no
    ///   ordinary file, `EFBIG` for one of more bytes.
    package static func readFile(
        _ path: String,
        upTo limit: Int,
        isOurs: Bool = false
    ) throws(ApusError) -> [UInt8] {
        // Without waiting for the other end of a pipe.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ApusError(.file(path: path, errno: EINVAL))
        }
        if isOurs {
            guard [geteuid(), 0].contains(status.st_uid) else {
                throw ApusError(.file(path: path, errno: EPERM))
            }
            if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        }
        guard status.st_size <= limit else { throw ApusError(.file(path: path, errno: EFBIG)) }
        return try FileBytes.read(descriptor, Int(status.st_size), of: path)
    }

    /// Whether it is a folder of ours, and no link to one.
    package static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid()
    }

    /// The names in a folder, with or without those of folders; none if it cannot be read.
    package static func names(in folder: String, exceptFolders: Bool = false) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // What the file system does not tell apart is among the names.
            if exceptFolders, Int(entry.pointee.d_type) == Int(DT_DIR) { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The size of a file; nil if there is none, or a link.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether there is something at a path; throws if that cannot be told, because a folder above
    /// it may not be read, for example.
    static func exists(_ path: String) throws(Fault) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw Fault(path: path, errno: errno) }
        return false
    }

    /// The seconds since 1970 at which a file was last written; nil if there is none.
    static func modified(_ path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let date = attributes?[.modificationDate] as? Date
        return date.map { Int($0.timeIntervalSince1970) }
    }

    /// What tells the file at a path from others of its name; nil if there is none.
    static func inode(of path: String) -> UInt? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt(status.st_ino) : nil
    }

    /// Removes a file, or a folder with all that is in it; links are not followed.
    static func removeTree(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in names(in: path) { removeTree("\(path)/\(name)") }
        rmdir(path)
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) { unlink(path) }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
    }
}

/// A lock that processes hold on a folder, by `flock` on a file in it; the
/// kernel lets go of it when its holder dies.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// How long a lock is waited for: others hold theirs for milliseconds.
    package static let patience = Duration.seconds(5)

    /// Waits for the lock, but not for ever.
    ///
    /// A process that was stopped, or is not ours, may keep it. Blocks the calling thread.
    ///
    /// - Throws: a fault with `EBUSY` if nobody gave it in time.
    package init(
        waitingFor path: String,
        atMost patience: Duration = patience
    ) throws(PrivateFiles.Fault) {
        descriptor = try Self.open(path)
        let end = ContinuousClock.now + patience
        // The kernel's own wait has no limit but a signal, which would be the whole process's.
        var pause: UInt32 = 500
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw PrivateFiles.Fault(path: path, errno: errno)
            }
            guard ContinuousClock.now < end else {
                throw PrivateFiles.Fault(path: path, errno: EBUSY)
            }
            usleep(pause)
            pause = min(2 * pause, 50_000)
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

    /// Removes a folder, with the files in it, whose process is no more: nobody has its lock, or
    /// there has been none for an hour.
    ///
    /// A link to a folder stays, and what is somebody else's. The lock goes last: who is killed
    /// here leaves the rest to the next.
    ///
    /// - Returns: whether it did.
    static func removeAbandoned(_ folder: String) -> Bool {
        guard PrivateFolder.isOurs(folder) else { return false }
        let lock = Glibc.open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if lock < 0 {
            // What has none may be about to get it, or was left by a process that did not come to it.
            guard errno == ENOENT, let modified = PrivateFiles.modified(folder),
                modified < time(nil) - 3600
            else { return false }
        }
        defer { if lock >= 0 { close(lock) } }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { return false }
        for name in PrivateFiles.names(in: folder) where name != "lock" {
            unlink("\(folder)/\(name)")
        }
        return removeEmpty(folder)
    }

    /// Removes a folder in which there is nothing but its lock; whether it did.
    static func removeEmpty(_ folder: String) -> Bool {
        guard PrivateFiles.names(in: folder).allSatisfy({ $0 == "lock" }) else { return false }
        unlink("\(folder)/lock")
        return rmdir(folder) == 0
    }

    private static func open(_ path: String) throws(PrivateFiles.Fault) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFiles.Fault(path: path, errno: errno) }
        return descriptor
    }
}
