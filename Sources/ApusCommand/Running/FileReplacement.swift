import Apus
import Glibc
import Synchronization

/// A file's new content, written next to the file and renamed over it when it is complete.
///
/// ```
/// <folder>/.apus-<random>  ─write─▶  ─fsync─▶  ─rename─▶  <folder>/<name>
/// ```
/// Until the rename, the file stays as it is. The temporary name cannot be guessed and must be new, so that a
/// planted link is not followed.
struct FileReplacement: ~Copyable {
    /// The temporary files to remove if the process ends early.
    private static let drafts = Mutex<Set<String>>([])

    private let path: String
    private let draft: String
    private let descriptor: Int32
    /// Receives the new content.
    var output: StandardOutput

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - path: The file to replace or create.
    ///   - mode: The new file's mode, before the umask.
    /// - Throws: `Fault` if the folder allows no new file.
    init(of path: String, mode: mode_t) throws(Fault) {
        self.path = path
        draft = "\(Self.folder(of: path)).apus-\(PrivateFolder.unguessableName())"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = open(draft, flags, mode)
        guard descriptor >= 0 else { throw Fault(errno: errno) }
        _ = Self.drafts.withLock { [draft] in $0.insert(draft) }
        output = StandardOutput(descriptor: descriptor, name: path)
    }

    /// Why the temporary file could not be created.
    struct Fault: Error {
        let errno: Int32
    }

    deinit {
        close(descriptor)
        _ = Self.drafts.withLock { $0.remove(draft) }
        // After `commit` there is no such file any more.
        unlink(draft)
    }

    /// Sets the mode, including bits that the umask has cleared.
    func setMode(_ mode: mode_t) { fchmod(descriptor, mode) }

    /// Replaces the file; must be the last call.
    mutating func commit() throws(CommandError) {
        // Synced before the rename, so that the name never stands for half a file.
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        let folder = Self.folder(of: path)
        let name = folder.isEmpty ? "." : String(folder)
        let handle = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Some file systems cannot sync a folder; the content is safe under either name.
        fsync(handle)
        close(handle)
    }

    /// Removes all temporary files, before the process ends by a signal.
    static func abandonAll() {
        for draft in drafts.withLock({ $0 }) { unlink(draft) }
    }

    private static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }
}
