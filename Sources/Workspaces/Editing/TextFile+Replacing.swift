import Apus
import Glibc

extension TextFile {
    /// Makes a file, which must not exist yet; half a file is removed.
    static func create(
        _ path: String,
        _ text: String,
        mode: mode_t = 0o666
    ) throws(FileReadError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            switch errno {
            case EEXIST:
                throw FileReadError(detail: "already exists, so nothing was written: name another")
            case ENOENT, ENOTDIR:
                throw FileReadError(detail: "cannot be made: its folder does not exist")
            default: throw unwritable(errno)
            }
        }
        let isWritten = Array(text.utf8).withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        let failure = isWritten && fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        guard failure == 0 else {
            unlink(path)
            throw unwritable(failure)
        }
        sync(folderOf: path)
    }

    /// Removes a file that was just made for another one that could not be.
    static func remove(_ path: String) { unlink(path) }

    /// Whether there is nothing at a path, not even a link that leads nowhere.
    static func isFree(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// Replaces a file atomically, if it has not changed since it was read.
    ///
    /// Keeps mode and owner. For a symbolic link, replaces the file that it leads to.
    static func replace(
        _ path: String,
        _ original: String,
        with text: String
    ) throws(FileReadError) {
        guard let real = realPath(path) else { throw FileReadError(detail: words(for: errno)) }
        try check(real, original)
        var status = stat()
        guard stat(real, &status) == 0 else { throw FileReadError(detail: words(for: errno)) }
        guard access(real, W_OK) == 0 else { throw unwritable(errno) }
        let temporary = "\(real).new-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(
            temporary,
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            0o600
        )
        guard descriptor >= 0 else { throw unwritable(errno) }
        let isWritten = write(Array(text.utf8), as: status, to: descriptor)
        let failure = isWritten ? 0 : errno
        close(descriptor)
        do throws(FileReadError) {
            guard failure == 0 else { throw unwritable(failure) }
            // Checked again, because writing took time.
            try check(real, original)
            guard rename(temporary, real) == 0 else { throw unwritable(errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        sync(folderOf: real)
    }

    /// Compares bytes, because Swift treats different encodings of an accented letter as equal.
    private static func check(_ path: String, _ original: String) throws(FileReadError) {
        guard try readWhole(path).utf8.elementsEqual(original.utf8) else {
            throw FileReadError(detail: "has changed since it was read, so nothing was written")
        }
    }

    /// Writes and syncs the file before it is renamed, so that its name never stands for half a file.
    private static func write(_ bytes: [UInt8], as status: stat, to descriptor: Int32) -> Bool {
        guard bytes.withUnsafeBytes({ FilePieces.write($0, to: descriptor) }) else { return false }
        let isOurs = status.st_uid == geteuid() && status.st_gid == getegid()
        guard isOurs || fchown(descriptor, status.st_uid, status.st_gid) == 0 else { return false }
        return fchmod(descriptor, status.st_mode & 0o7777) == 0 && fsync(descriptor) == 0
    }

    /// Syncs the folder; errors are ignored, because some file systems cannot do this.
    private static func sync(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func unwritable(_ error: Int32) -> FileReadError {
        FileReadError(detail: "cannot be written (\(String(cString: strerror(error))))")
    }
}
