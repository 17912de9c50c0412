import Apus
import FoundationEssentials
import Glibc

/// Watches the files that a catalog is read from.
enum CatalogFiles {
    /// Watches a file and, if it is a link, the file that it points to; or the `*.apus.yaml` files of a folder.
    static func watch(
        _ path: String,
        changed: @escaping @Sendable () -> Void
    ) -> [FolderWatch] {
        var isFolder = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
            let isWanted: @Sendable (String) -> Bool = { $0.hasSuffix(".apus.yaml") }
            return FolderWatch(path, .whole, of: isWanted, changed: changed).map { [$0] } ?? []
        }
        var paths = [path]
        if let real = realpath(path, nil) {
            defer { free(real) }
            paths.append(String(cString: real))
        }
        // Folder and name; both paths give the same if there is no link.
        let files = Set(
            paths.compactMap { path -> [String]? in
                let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                guard let name = parts.last else { return nil }
                let folder = parts.count == 1 ? "." : "\(parts.dropLast().joined(separator: "/"))/"
                return [realFolder(folder), String(name)]
            }
        )
        return files.compactMap { file in
            FolderWatch(file[0], .whole, of: { $0 == file[1] }, changed: changed)
        }
    }

    static func realFolder(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

/// The program that edits a file: `$VISUAL`, else `$EDITOR`, else vi (the default of POSIX tools).
struct Editor: Equatable {
    /// The command as given, with its options.
    let command: String

    init(_ environment: [String: String]) {
        let named = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty }
        command = named ?? "vi"
    }

    /// The command line that edits a file at a line.
    func arguments(for place: FilePlace) -> [String] {
        // Options and shell quotes may follow the program's name.
        let program = command.split(separator: " ").first?.split(separator: "/").last ?? ""
        // A leading dash would make the path an option, and a leading plus a command of vi.
        let file = place.file.hasPrefix("/") ? place.file : "./\(place.file)"
        let arguments =
            switch program {
            case "hx", "helix", "subl", "zed": ["\(file):\(place.line)"]
            case "code", "codium", "cursor": ["--wait", "--goto", "\(file):\(place.line)"]
            default: ["+\(place.line)", file]
            }
        return ["sh", "-c", "exec \(command) \"$@\"", "sh"] + arguments
    }
}
