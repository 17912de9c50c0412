import Glibc

/// Folders and files that only their owner may read.
package enum PrivateFiles {
    /// A call that failed.
    package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path.
        package let path: String
        /// The number of the error.
        package let errno: Int32

        /// Makes a fault.
        package init(path: String, errno: Int32) {
            self.path = path
            self.errno = errno
        }

        package var description: String { "\(path): \(String(cString: strerror(errno)))" }
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

    /// Makes a file with the mode 0600 if it is missing: SQLite gives the files
    /// beside it the same mode.
    package static func touchFile(_ path: String) throws(Fault) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        close(descriptor)
    }

    /// Makes a file with the mode 0600; false if it is there already.
    package static func makeFile(_ path: String) throws(Fault) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw Fault(path: path, errno: errno)
        }
        close(descriptor)
        return true
    }

    /// Puts a file with the mode 0600 in the place of another, or of none, in one
    /// step; folders that are missing are made.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(Fault) {
        if let parent = parent(of: path) { try makeFolder(parent) }
        let temporary = "\(path).new-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        let isWritten = bytes.withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        // On disk before its name is: a name must never stand for half a file.
        let number = isWritten && fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        guard number == 0, rename(temporary, path) == 0 else {
            let fault = Fault(path: path, errno: number == 0 ? errno : number)
            unlink(temporary)
            throw fault
        }
    }

    /// The names in a folder; none if it cannot be read.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The size of a file; nil if there is none.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
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
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mtim.tv_sec : nil
    }

    /// What tells the file at a path from others of its name; nil if there is none.
    static func inode(of path: String) -> UInt? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt(status.st_ino) : nil
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
