import Documents
import Workspaces

/// Reads exports of Insomnia: JSON and YAML of version 4 and before, YAML of version 5.
package enum InsomniaImporter: Importer {
    package static let name = "insomnia"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if let json = head.json { return isOurs(json) }
        let type = head.yamlKeys["type"] ?? ""
        return isType(type)
            || head.yamlKeys["__export_format"] != nil
                && (head.yamlKeys["_type"] == "export" || head.yamlKeys["resources"] != nil)
    }

    static func isOurs(_ json: JSON) -> Bool {
        let isExport = json["_type"].looseText == "export"
        let hasFormat = json["__export_format"].exists
        return isExport && hasFormat
            || (isExport || hasFormat) && json["resources"].kind == .array
            || isType(json["type"].looseText ?? "")
    }

    /// Whether the type of a file of version 5 is one of its: `collection.insomnia.rest/5.0`.
    private static func isType(_ text: String) -> Bool {
        text.contains(".insomnia.rest/") || text.hasPrefix("mcpClient.insomnia/")
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        let tree = try source.tree()
        guard isOurs(tree.root) else {
            throw ImportError("\(source.path): this is no export of Insomnia")
        }
        let reader = InsomniaReader(tree)
        if tree.root["resources"].kind == .array || !isType(tree.root["type"].looseText ?? "") {
            reader.readResources(tree.root)
        } else {
            reader.readFile(tree.root)
        }
        return reader.finished()
    }
}
