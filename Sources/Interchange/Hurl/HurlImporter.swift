import Documents
import Workspaces

/// Files of requests and assertions as hurl runs them.
package enum HurlImporter: Importer {
    package static let name = "hurl"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if head.source.isFolder { return head.names.contains { $0.hasSuffix(".hurl") } }
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

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        var reader = HurlReader(source)
        if source.isFolder {
            reader.workspace.items = items(in: "", source, &reader, depth: 0)
        } else {
            let file = source.path.split(separator: "/").last.map(String.init) ?? "hurl"
            let name = file.hasSuffix(".hurl") ? String(file.dropLast(5)) : file
            reader.workspace.items = reader.items(of: source.bytes, in: "", named: name)
        }
        return reader.finished()
    }

    private static func items(
        in folder: String,
        _ source: ImportSource,
        _ reader: inout HurlReader,
        depth: Int
    ) -> [ImportedItem] {
        guard depth < 16 else { return [] }
        var items: [ImportedItem] = []
        for name in source.names(in: folder) where !name.hasPrefix(".") && name != "node_modules" {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            if ImportFile.isFolder(source.resolve(path)) {
                let inner = self.items(in: path, source, &reader, depth: depth + 1)
                guard !inner.isEmpty else { continue }
                var group = ImportedGroup(name: name)
                group.items = inner
                items.append(.group(group))
            } else if name.hasSuffix(".hurl"), let bytes = source.bytes(of: path) {
                var group = ImportedGroup(name: String(name.dropLast(5)))
                let prefix = folder.isEmpty ? "" : folder + "/"
                group.items = reader.items(of: bytes, in: prefix, named: String(path.dropLast(5)))
                items.append(.group(group))
            }
        }
        return items
    }
}
