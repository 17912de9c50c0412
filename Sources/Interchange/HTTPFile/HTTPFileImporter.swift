import Documents
import Workspaces

/// Files of requests as JetBrains' IDEs, VS Code's REST Client and httpyac write them (`.http`, `.rest`), or a folder of
/// such files.
package enum HTTPFileImporter: Importer {
    package static let name = "http"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if head.source.isFolder {
            return head.names.contains { isName($0) }
        }
        if ["http", "rest"].contains(head.fileExtension) { return true }
        guard head.json == nil, head.fileExtension.isEmpty || head.fileExtension == "txt" else {
            return false
        }
        return head.text.hasPrefix("### ") && HTTPFileReader.hasRequestLine(head.text)
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        var reader = HTTPFileReader(source)
        if source.isFolder {
            let found = source.groups(of: isName) { bytes, path in
                reader.group(of: bytes, at: path)
            }
            reader.workspace.items = found.items
            reader.workspace.losses += found.losses
        } else {
            reader.workspace.items = reader.items(of: source.bytes, in: "")
        }
        return reader.finished()
    }

    static func isName(_ name: String) -> Bool {
        name.hasSuffix(".http") || name.hasSuffix(".rest")
    }
}

extension HTTPFileReader {
    /// A file of a folder as a group.
    fileprivate mutating func group(of bytes: [UInt8], at path: String) -> ImportedGroup {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var group = ImportedGroup(name: String(path[start...].dropLast(".http".count)))
        let before = workspace.losses.count
        group.items = items(of: bytes, in: String(path[..<start]))
        group.losses = Array(workspace.losses[before...])
        workspace.losses.removeLast(group.losses.count)
        return group
    }
}
