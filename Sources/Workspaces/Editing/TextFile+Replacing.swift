import Apus
import Glibc

extension TextFile {
    /// Puts a text in a file's place in one step, if the file is as it was read.
    ///
    /// Mode and owner stay, and of a link the file that it leads to is replaced.
    static func replace(
        _ path: String,
        _ original: String,
        with text: String
    ) throws(FileFault) {
        guard let pointer = realpath(path, nil) else { throw FileFault(detail: words(for: errno)) }
        defer { free(pointer) }
        let real = String(cString: pointer)
        try check(real, original)
        var status = stat()
        guard stat(real, &status) == 0 else { throw FileFault(detail: words(for: errno)) }
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
        do throws(FileFault) {
            guard failure == 0 else { throw unwritable(failure) }
            // Again, for writing took its time.
            try check(real, original)
            guard rename(temporary, real) == 0 else { throw unwritable(errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        sync(folderOf: real)
    }

    /// By bytes: to Swift one accent is another that a file tells from it.
    private static func check(_ path: String, _ original: String) throws(FileFault) {
        guard try readWhole(path).utf8.elementsEqual(original.utf8) else {
            throw FileFault(detail: "has changed since it was read: nothing is written")
        }
    }

    /// On disk before its name is: a name must never stand for half a file.
    private static func write(_ bytes: [UInt8], as status: stat, to descriptor: Int32) -> Bool {
        guard bytes.withUnsafeBytes({ FilePieces.write($0, to: descriptor) }) else { return false }
        let isOurs = status.st_uid == geteuid() && status.st_gid == getegid()
        guard isOurs || fchown(descriptor, status.st_uid, status.st_gid) == 0 else { return false }
        return fchmod(descriptor, status.st_mode & 0o7777) == 0 && fsync(descriptor) == 0
    }

    /// Some file systems' folders cannot be synced; what is written is there all the same.
    private static func sync(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func unwritable(_ error: Int32) -> FileFault {
        FileFault(detail: "cannot be written (\(String(cString: strerror(error))))")
    }
}
