import Glibc

/// Folders and temporary files that no other user can tamper with.
package enum PrivateFolder {
    /// A part of a file name that nobody can guess: 128 random bits of the system.
    package static func unguessableName() -> String {
        (0..<2).map { _ in
            let word = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - word.count) + word
        }.joined()
    }

    /// Whether a part of a name has the form of `unguessableName`.
    static func isUnguessableName(_ text: Substring) -> Bool {
        text.utf8.count == 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
    }

    /// Makes a folder and its missing parents, with mode 0700.
    ///
    /// - Returns: Whether it is a folder, not a link to one, that belongs to us and that nobody else may
    ///   write to.
    package static func make(_ path: String) throws(ApusError) -> Bool {
        try Folders.make(path, mode: 0o700)
        return isOurs(path)
    }

    /// Makes a new folder with mode 0700 beside another.
    package static func makeTemporary(beside path: String) throws(ApusError) -> String {
        let folder = "\(path)-\(unguessableName())"
        guard mkdir(folder, 0o700) == 0 else { throw ApusError(.file(path: folder, errno: errno)) }
        return folder
    }

    /// Makes a new file, without following a link, and opens it for writing.
    ///
    /// - Parameters:
    ///   - path: A path in a folder of ours, or with an `unguessableName`.
    ///   - isPrivate: Whether only its owner may read it; otherwise the process's umask decides.
    /// - Returns: The descriptor, which the caller must close.
    /// - Throws: `ApusError` with the reason `.file`, also if the name is taken.
    package static func createFile(
        _ path: String,
        isPrivate: Bool = true
    ) throws(ApusError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        return descriptor
    }

    /// Whether it is a folder, not a link to one, that belongs to us and that nobody else may write
    /// to.
    static func isOurs(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o022 == 0
    }
}
