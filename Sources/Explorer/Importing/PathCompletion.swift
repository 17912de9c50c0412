import FoundationEssentials
import Glibc

/// Completes the path of a file as a shell does.
enum PathCompletion {
    /// More paths are not gone through with a key.
    private static let limit = 500

    /// The paths that begin like what was typed, sorted; folders end with a slash.
    static func paths(beginningWith typed: String) -> [String] {
        let slash = typed.lastIndex(of: "/")
        let folder = slash.map { String(typed[...$0]) } ?? ""
        let start = typed[folder.endIndex...]
        let place = folder.isEmpty ? "." : expanded(folder)
        // A folder that cannot be read has nothing to offer.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let found = names.filter {
            $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix("."))
        }
        return found.sorted().prefix(limit).map { name in
            var status = stat()
            let isFolder =
                stat("\(place)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            return folder + name + (isFolder ? "/" : "")
        }
    }

    /// The path with the user's own folder in place of `~`.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
