import Apus
import Glibc
import Synchronization
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
            throw CommandFailure("\(path): this is a broken link")
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

/// A file's new content, written beside the file and put in its place when it is whole.
///
/// ```
/// <folder>/.apus-<random>  ─write─▶  ─fsync─▶  ─rename─▶  <folder>/<name>
/// ```
/// Until then, and if it never comes to that, the file stays as it is. The name cannot be guessed
/// and must be new: a link that somebody has planted is not followed.
struct FileReplacement: ~Copyable {
    /// The files that a signal handler has to remove.
    private static let drafts = Mutex<Set<String>>([])

    private let path: String
    private let draft: String
    private let descriptor: Int32
    /// What is to be written.
    var output: StandardOutput

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: The file that is to be replaced, or made.
    ///   - mode: Who may do what with it.
    /// - Throws: Why the folder takes no new file.
    init(of path: String, mode: mode_t) throws(Fault) {
        self.path = path
        draft = "\(Self.folder(of: path)).apus-\(PrivateFolder.unguessableName())"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = open(draft, flags, mode)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        _ = Self.drafts.withLock { [draft] in $0.insert(draft) }
        output = StandardOutput(descriptor: descriptor, name: path)
    }

    /// Why a file could not be begun.
    struct Fault: Error {
        let path: String
        let errno: Int32
    }

    deinit {
        close(descriptor)
        _ = Self.drafts.withLock { $0.remove(draft) }
        // Gone already, if it has its name.
        unlink(draft)
    }

    /// Gives the file the bits of a mode that a umask may have taken away.
    func setMode(_ mode: mode_t) { fchmod(descriptor, mode) }

    /// Puts it in its place; the last call.
    mutating func commit() throws(CommandFailure) {
        // On disk before its name is: a name must never stand for half a file.
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        let folder = Self.folder(of: path)
        let name = folder.isEmpty ? "." : String(folder)
        let handle = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Some file systems cannot do it; the content is safe in either place.
        fsync(handle)
        close(handle)
    }

    /// Removes what is not whole, before the process ends by a signal.
    static func abandonAll() {
        for draft in drafts.withLock({ $0 }) { unlink(draft) }
    }

    private static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }
}
