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
            readFolder("", source, &reader, depth: 0)
        } else {
            reader.workspace.items = reader.items(of: source.bytes, in: "")
        }
        return reader.finished()
    }

    static func isName(_ name: String) -> Bool {
        name.hasSuffix(".http") || name.hasSuffix(".rest")
    }

    private static func readFolder(
        _ folder: String,
        _ source: ImportSource,
        _ reader: inout HTTPFileReader,
        depth: Int
    ) {
        guard depth < 16 else { return }
        reader.workspace.items += items(in: folder, source, &reader, depth: depth)
    }

    private static func items(
        in folder: String,
        _ source: ImportSource,
        _ reader: inout HTTPFileReader,
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
            } else if isName(name), let bytes = source.bytes(of: path) {
                var group = ImportedGroup(name: String(name.dropLast(5)))
                let prefix = folder.isEmpty ? "" : folder + "/"
                let before = reader.workspace.losses.count
                group.items = reader.items(of: bytes, in: prefix)
                group.losses = Array(reader.workspace.losses[before...])
                reader.workspace.losses.removeLast(group.losses.count)
                items.append(.group(group))
            }
        }
        return items
    }
}
