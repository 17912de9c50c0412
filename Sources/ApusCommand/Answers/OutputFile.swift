import Glibc
import Terminal

/// The file that the user names for an answer's body (`-o FILE`).
///
/// | there is | what happens |
/// |---|---|
/// | nothing, or a file | the new one is written beside it and takes its place, with its mode |
/// | a link to a file | the same with the file; the link stays |
/// | a pipe, a device, a file with a second name or an owner of its own | it is written straight |
/// | a link to nothing | an error |
struct OutputFile {
    let path: String
    /// What a terminal may have of it, if the path is one's.
    let content: StandardOutput.Content

    /// Writes what `fill` gives, whole or not at all.
    func write(_ fill: (inout StandardOutput) throws -> Void) throws {
        guard let place = try placeToReplace() else { return try writeStraight(fill) }
        var replacement: FileReplacement
        do throws(FileReplacement.Fault) {
            replacement = try FileReplacement(of: place.path, mode: place.mode ?? 0o666)
        } catch {
            // A folder that takes no new files may have one that can be written.
            guard place.mode != nil, [EACCES, EPERM, EROFS].contains(error.errno) else {
                throw CommandFailure("\(path): \(systemMessage(error.errno))")
            }
            return try writeStraight(fill)
        }
        if let mode = place.mode { replacement.setMode(mode) }
        try fill(&replacement.output)
        try replacement.output.flush()
        try replacement.commit()
    }

    /// The file to replace, with its mode if it is there; nil if it must be written as it stands.
    private func placeToReplace() throws -> (path: String, mode: mode_t?)? {
        // What stands for a descriptor is no name that another file could take.
        if path.hasPrefix("/dev/") || path.hasPrefix("/proc/") { return nil }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw CommandFailure("\(path): \(systemMessage(errno))") }
            return (path, nil)
        }
        guard stat(path, &status) == 0, let resolved = realpath(path, nil) else {
            throw CommandFailure("\(path): this is a link to nothing")
        }
        defer { free(resolved) }
        // A rename would take it from its owner, or from its other names.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            status.st_uid == geteuid()
        else { return nil }
        guard access(path, W_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        return (String(cString: resolved), status.st_mode & 0o777)
    }

    private func writeStraight(_ fill: (inout StandardOutput) throws -> Void) throws {
        let descriptor = DescriptorWrite.opening(path)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(systemMessage(errno))") }
        var isClosed = false
        defer { if !isClosed { close(descriptor) } }
        var output = StandardOutput(content, descriptor: descriptor, name: path)
        try fill(&output)
        try output.flush()
        isClosed = true
        guard close(descriptor) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
    }
}
