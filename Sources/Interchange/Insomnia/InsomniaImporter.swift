import Documents
import Workspaces

/// Reads exports of Insomnia: JSON and YAML of version 4 and before, YAML of version 5.
package enum InsomniaImporter: Importer {
    package static let name = "insomnia"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if let json = head.json { return isOurs(json) }
        let type = head.yamlKeys["type"] ?? ""
        return type.contains(".insomnia.rest/")
            || head.yamlKeys["_type"] == "export" && head.yamlKeys["__export_format"] != nil
    }

    static func isOurs(_ json: JSON) -> Bool {
        json["_type"].looseText == "export" && json["resources"].kind == .array
            || json["__export_format"].exists && json["resources"].kind == .array
            || json["type"].looseText?.contains(".insomnia.rest/") == true
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        let tree = try source.tree()
        guard isOurs(tree.root) else {
            throw ImportError("\(source.path): this is no export of Insomnia")
        }
        let reader = InsomniaReader(tree)
        if tree.root["resources"].kind == .array {
            reader.readResources(tree.root)
        } else {
            reader.readFile(tree.root)
        }
        return reader.finished()
    }
}
