import Apus
import Glibc
import Synchronization

/// A file's new content, written beside the file and put in its place when it is whole.
///
/// ```
/// <folder>/.apus-<random>  ─write─▶  ─fsync─▶  ─rename─▶  <folder>/<name>
/// ```
/// Until then, and if it never comes to that, the file stays as it is. The name cannot be guessed
/// and must be new: a link that somebody has planted is not followed.
struct FileReplacement: ~Copyable {
    /// What a signal has to remove, for nobody else will.
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
