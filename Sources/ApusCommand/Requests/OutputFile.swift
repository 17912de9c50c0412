import Apus
import Glibc
import Terminal

/// The file that the user names for a response's body (`-o FILE`).
///
/// | the path is | what happens |
/// |---|---|
/// | free, or a file | a new file is written next to it and replaces it, with its mode |
/// | a link to a file | the same for that file; the link stays |
/// | a pipe, a device, a file with a second name or another owner | it is written directly |
/// | a broken link | an error |
struct OutputFile {
    let path: String
    /// The kind of content, in case the path is a terminal.
    let content: StandardOutput.Content
    /// Whether a new file is for this user alone.
    var isPrivate = false

    /// Checks that the file's folder is there and that the file is none, before work whose result would be lost.
    func requirePlace() throws(CommandError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, F_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw CommandError("\(path): \(systemMessage(EISDIR))")
        }
    }

    /// Writes what `fill` writes; if the file can be replaced, whole or not at all.
    func write(_ fill: (inout StandardOutput) throws -> Void) throws {
        guard let place = try placeToReplace() else { return try writeStraight(fill) }
        var replacement: FileReplacement
        do throws(FileReplacement.Fault) {
            replacement = try FileReplacement(
                of: place.path,
                mode: place.mode ?? (isPrivate ? 0o600 : 0o666)
            )
        } catch {
            // The file may be writable although its folder allows no new files.
            guard place.mode != nil, [EACCES, EPERM, EROFS].contains(error.errno) else {
                throw CommandError("\(path): \(systemMessage(error.errno))")
            }
            return try writeStraight(fill)
        }
        if let mode = place.mode { replacement.setMode(mode) }
        try fill(&replacement.output)
        try replacement.output.flush()
        try replacement.commit()
    }

    /// The file to replace, with its mode if it exists; nil if it must be written directly.
    private func placeToReplace() throws -> (path: String, mode: mode_t?)? {
        // These paths may stand for descriptors, and cannot be replaced by another file.
        if path.hasPrefix("/dev/") || path.hasPrefix("/proc/") { return nil }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw CommandError("\(path): \(systemMessage(errno))") }
            return (path, nil)
        }
        guard stat(path, &status) == 0, let resolved = realpath(path, nil) else {
            throw CommandError("\(path): this is a broken link")
        }
        defer { free(resolved) }
        // A rename would change its owner, or separate it from its other names.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            status.st_uid == geteuid()
        else { return nil }
        guard access(path, W_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        return (String(cString: resolved), status.st_mode & 0o777)
    }

    private func writeStraight(_ fill: (inout StandardOutput) throws -> Void) throws {
        let descriptor = DescriptorWrite.opening(path)
        guard descriptor >= 0 else { throw CommandError("\(path): \(systemMessage(errno))") }
        var isClosed = false
        defer { if !isClosed { close(descriptor) } }
        var output = StandardOutput(content, descriptor: descriptor, name: path)
        try fill(&output)
        try output.flush()
        isClosed = true
        guard close(descriptor) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
    }
}
