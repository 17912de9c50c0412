import Apus
import FoundationEssentials
import Glibc

/// The files that a catalog is made of, and the editor for them.
enum CatalogFiles {
    /// Watches a file, or the `*.apus.yaml` of a folder; a link's file, too.
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
        // Folder and name; the same twice where there is no link.
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

/// The program that edits a file: `$VISUAL`, or `$EDITOR`, or vi (as POSIX has it for its tools).
struct Editor: Equatable {
    /// As it was given, with its options.
    let command: String

    init(_ environment: [String: String]) {
        let named = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty }
        command = named ?? "vi"
    }

    /// What is run to edit a file at a line.
    func arguments(for place: FilePlace) -> [String] {
        // A name with blanks has options behind them, and quotes as a shell reads them.
        let program = command.split(separator: " ").first?.split(separator: "/").last ?? ""
        // What begins with a dash would be an option, and with a plus a command of vi.
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
