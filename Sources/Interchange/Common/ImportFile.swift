import FoundationEssentials
import Glibc

/// Reads files and folders that are imported, with limits.
enum ImportFile {
    /// The largest file that is read.
    static let maximumSize = 256 << 20

    /// The bytes of a regular file; nil if it cannot be read or is larger than the limit.
    static func bytes(at path: String) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= maximumSize
        else { return nil }
        return (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init)
    }

    /// Whether a path is that of a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The names in a folder; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
