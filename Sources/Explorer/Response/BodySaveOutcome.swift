import Apus
import Glibc

/// The outcome of saving a body.
enum BodySaveOutcome: Sendable {
    case saved(path: String, bytes: Int)
    /// A file of that name exists; it is replaced only if the user says so.
    case exists(ResponseBody, path: String)
    case failed(String)

    /// Saves a body, whole or not at all; blocks for as long as the disk takes.
    init(of body: ResponseBody, to path: String, replacing: Bool) {
        do {
            try body.save(to: Self.expanded(path), replacesExisting: replacing)
            self = .saved(path: path, bytes: body.count)
        } catch let error as ApusError {
            if case .file(_, EEXIST) = error.reason, !replacing {
                self = .exists(body, path: path)
            } else {
                self = .failed(error.errorDescription ?? error.message.title)
            }
        } catch {
            self = .failed("not saved: \(error)")
        }
    }

    /// The path with `~` replaced by the user's home folder.
    private static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
