internal import CFile
import FoundationEssentials
import Glibc
import Synchronization

/// Folders and files that only their owner may read.
package enum PrivateFiles {
    /// Makes a folder and its missing parents, with mode 0700.
    package static func makeFolder(_ path: String) throws(PrivateFileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST {
            guard isFolder(path) else { throw PrivateFileError(path: path, errno: ENOTDIR) }
            return
        }
        guard errno == ENOENT else { throw PrivateFileError(path: path, errno: errno) }
        let parent = Folders.parent(of: path)
        guard !parent.isEmpty else { throw PrivateFileError(path: path, errno: ENOENT) }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw PrivateFileError(path: path, errno: errno)
        }
    }

    /// Makes a folder and its missing parents, and makes sure that it is ours and that only we can enter it.
    ///
    /// A link to a folder of ours is accepted. Rejected are a link that another user (except root) made,
    /// wherever it leads, a folder with the sticky bit, which users share, and a folder whose names do not
    /// satisfy `isFor`.
    ///
    /// - Returns: Whether others could enter it until now.
    package static func claimFolder(
        _ path: String,
        if isFor: (_ names: [String]) -> Bool = { _ in true }
    ) throws(PrivateFileError) -> Bool {
        try makeFolder(path)
        var link = stat()
        guard lstat(path, &link) == 0 else { throw PrivateFileError(path: path, errno: errno) }
        guard link.st_uid == geteuid() || link.st_uid == 0 else {
            throw PrivateFileError(path: path, errno: EPERM, owner: link.st_uid)
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        defer { close(descriptor) }
        var folder = stat()
        guard fstat(descriptor, &folder) == 0 else {
            throw PrivateFileError(path: path, errno: errno)
        }
        guard folder.st_uid == geteuid() else {
            throw PrivateFileError(path: path, errno: EPERM, owner: folder.st_uid)
        }
        guard folder.st_mode & S_ISVTX == 0, isFor(Folders.names(in: path)) else {
            throw PrivateFileError(path: path, errno: ENOTEMPTY)
        }
        guard folder.st_mode & 0o077 != 0 else { return false }
        guard fchmod(descriptor, 0o700) == 0 else {
            throw PrivateFileError(path: path, errno: errno)
        }
        return true
    }

    /// Removes others' access to a file or folder inside a folder of ours: its mode becomes 0600 or 0700.
    ///
    /// An entry that belongs to another user, or is neither a regular file nor a folder, is unlinked.
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
        for name in Folders.names(in: path) { claim("\(path)/\(name)", withAllBelow: true) }
    }

    /// Held while a file is made, so that nobody in this process has locks on it before it is closed.
    private static let touching = Mutex(())

    /// Makes a file with mode 0600 if it is missing; SQLite gives the same mode to the files beside it.
    ///
    /// An existing file gets this mode too. It keeps the locks that this process has on it (see `DatabaseFile`).
    package static func touchFile(_ path: String) throws(PrivateFileError) {
        try touching.withLock { _ throws(PrivateFileError) in
            guard try !makeFile(path) else { return }
            try claimFile(path)
        }
    }

    /// Makes sure that a regular file can be read and written by us, and by nobody else.
    private static func claimFile(_ path: String) throws(PrivateFileError) {
        // Closing any other descriptor than such a one would drop this process's locks on the file.
        let descriptor = cfile_look(path)
        guard descriptor >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PrivateFileError(path: path, errno: errno)
        }
        // Opening anything else later could block forever or never reach an end.
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            let codes = [S_IFLNK: ELOOP, S_IFDIR: EISDIR]
            throw PrivateFileError(path: path, errno: codes[kind] ?? EINVAL)
        }
        guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 else {
            throw PrivateFileError(path: path, errno: errno)
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard chmod("/proc/self/fd/\(descriptor)", 0o600) == 0 else {
            throw PrivateFileError(path: path, errno: errno)
        }
    }

    /// Makes a file with mode 0600; returns false if it already exists.
    package static func makeFile(_ path: String) throws(PrivateFileError) -> Bool {
        do throws(PrivateFileError) {
            close(try create(path))
            return true
        } catch {
            if error.errno == EEXIST { return false }
            throw error
        }
    }

    /// Makes a file with mode 0600 that must not exist yet; returns a descriptor for writing.
    static func create(_ path: String) throws(PrivateFileError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        return descriptor
    }

    /// Makes or replaces a file, with mode 0600, in one step; missing folders are made.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(PrivateFileError) {
        let parent = Folders.parent(of: path)
        if !parent.isEmpty { try makeFolder(parent) }
        let temporary = "\(path).new-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = try create(temporary)
        let isWritten = bytes.withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        // The bytes must be on disk before the name, which must never refer to half a file.
        let number = isWritten && fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        guard number == 0, rename(temporary, path) == 0 else {
            let fault = PrivateFileError(path: path, errno: number == 0 ? errno : number)
            unlink(temporary)
            throw fault
        }
        sync(folderOf: path)
    }

    /// Copies a file, which must not be a link, to a new one with mode 0600, and flushes the copy to disk.
    package static func copy(_ path: String, to target: String) throws(PrivateFileError) {
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard source >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        defer { close(source) }
        try copy(source, of: path, to: target) { fsync($0) == 0 }
    }

    /// Copies the rest of an open file to a new one with mode 0600, which is removed if that fails.
    ///
    /// `finish` gets the descriptor of the whole copy; false is a failure with its reason in `errno`.
    static func copy(
        _ source: Int32,
        of path: String,
        to target: String,
        finish: (Int32) -> Bool = { _ in true }
    ) throws(PrivateFileError) {
        let copy = try create(target)
        defer { close(copy) }
        var isWritten = true
        let isRead = FilePieces.forEach(of: source) { piece in
            isWritten = FilePieces.write(piece, to: copy)
            return isWritten
        }
        guard isRead, finish(copy) else {
            let isOfSource = !isRead && isWritten
            let fault = PrivateFileError(path: isOfSource ? path : target, errno: errno)
            unlink(target)
            throw fault
        }
    }

    /// Flushes the folder of a file to disk; until then a crash may bring the old file back.
    ///
    /// Errors are ignored, because some file systems cannot sync folders.
    private static func sync(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Reads all bytes of a file of ours and removes others' access to it.
    ///
    /// A file that another user owns, or a link that another user made, is rejected, because that user
    /// could have put anything there. Root is accepted, because root can do that anyway.
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

    /// Reads all bytes of a regular file that is not a link, for callers that do not know what is at the path.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The most bytes it may have.
    ///   - isOurs: Whether it must belong to us or root; others then lose access to it.
    /// - Returns: The bytes of the file.
    /// - Throws: `ApusError` with the reason `.file`: `ELOOP` for a link, `EINVAL` for anything else that
    ///   is not a regular file, `EPERM` for another user's file, `EFBIG` if it is too large.
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

    /// Whether the path is a folder of ours and not a link to one.
    package static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid()
    }

    /// The size of a regular file; nil if there is none, or if it is a link.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether something exists at a path; throws if that cannot be found out, for example because a parent
    /// folder cannot be read.
    static func exists(_ path: String) throws(PrivateFileError) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw PrivateFileError(path: path, errno: errno) }
        return false
    }

    /// When a file was last written, in seconds since 1970; nil if there is none.
    static func modified(_ path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let date = attributes?[.modificationDate] as? Date
        return date.map { Int($0.timeIntervalSince1970) }
    }

    /// The inode number of the file at a path, which differs for a new file of the same name; nil if there
    /// is none.
    static func inode(of path: String) -> UInt? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt(status.st_ino) : nil
    }

    /// Removes a file, or a folder with everything in it; links are not followed.
    static func removeTree(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in Folders.names(in: path) { removeTree("\(path)/\(name)") }
        rmdir(path)
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) { unlink(path) }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// A failed file operation.
package struct PrivateFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the file or folder that the operation was for.
    package let path: String
    /// The system's error number.
    package let errno: Int32
    /// The user who owns what should be ours; nil if that is not the problem.
    package let owner: UInt32?
    /// Whether it is a folder that must be writable.
    package let isClosedFolder: Bool

    /// Makes an error.
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
            return "\(path) belongs to another user (\(owner)): choose one of your own, "
                + "or have this one removed"
        }
        if isClosedFolder {
            return
                "the folder \(path) cannot be written to (\(FileErrorText.words(for: errno))): "
                + "run `chmod u+rwx` on it, or choose another"
        }
        if errno == ENOTEMPTY {
            return "\(path) is used for something else: choose a new or empty folder"
        }
        return "\(path): \(FileErrorText.words(for: errno))"
    }
}
