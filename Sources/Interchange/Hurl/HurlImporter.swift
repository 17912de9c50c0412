import Documents
import Workspaces

/// Files of requests and assertions as hurl runs them.
package enum HurlImporter: Importer {
    package static let name = "hurl"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if head.source.isFolder { return head.names.contains { isName($0) } }
        if head.fileExtension == "hurl" { return true }
        guard head.json == nil, head.fileExtension.isEmpty || head.fileExtension == "txt" else {
            return false
        }
        let lines = head.text.split(separator: "\n")
        let hasResponse = lines.contains {
            $0.hasPrefix("HTTP ") || $0.hasPrefix("[Asserts]") || $0.hasPrefix("[Captures]")
        }
        return hasResponse && HTTPFileReader.hasRequestLine(head.text)
    }

    private static func isName(_ name: String) -> Bool { name.hasSuffix(".hurl") }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        var reader = HurlReader(source)
        if source.isFolder {
            let found = source.groups(of: isName) { bytes, path in
                let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
                let stem = String(path.dropLast(".hurl".count))
                var group = ImportedGroup(name: String(stem[start...]))
                group.items = reader.items(of: bytes, in: String(path[..<start]), named: stem)
                return group
            }
            reader.workspace.items = found.items
            reader.workspace.losses += found.losses
        } else {
            let file = source.path.split(separator: "/").last.map(String.init) ?? "hurl"
            let name = file.hasSuffix(".hurl") ? String(file.dropLast(5)) : file
            reader.workspace.items = reader.items(of: source.bytes, in: "", named: name)
        }
        return reader.finished()
    }
}
