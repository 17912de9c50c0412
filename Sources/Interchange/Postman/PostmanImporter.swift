import Documents
import Workspaces

/// Reads Postman collections (v1, v2.0, v2.1), environments, globals and dumps of all of them.
package enum PostmanImporter: Importer {
    package static let name = "postman"

    package static func recognizes(_ head: ImportHead) -> Bool {
        guard let json = head.json else { return false }
        return kind(of: json) != nil
    }

    /// What a file of Postman can be.
    enum Kind {
        case collection, wrapped, older, variables, dump
    }

    static func kind(of json: JSON) -> Kind? {
        if json["info"].kind == .object {
            let schema = json["info"]["schema"].looseText ?? ""
            if schema.contains("postman") || json["info"]["_postman_id"].exists
                || json["item"].kind == .array && !json["openapi"].exists
            {
                return .collection
            }
        }
        if json["collection"].kind == .object, let inner = kind(of: json["collection"]) {
            return inner == .collection ? .wrapped : nil
        }
        if json["collections"].kind == .array, json["environments"].kind == .array { return .dump }
        if json["requests"].kind == .array, json["order"].exists || json["folders"].exists {
            return .older
        }
        let isVariables =
            json["_postman_variable_scope"].exists
            || json["name"].exists && !json["log"].exists && !json["item"].exists
                && json["values"].elements.contains { $0["key"].exists && $0["value"].exists }
        return json["values"].kind == .array && isVariables ? .variables : nil
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        let tree = try source.tree()
        guard let kind = kind(of: tree.root) else {
            throw ImportError("\(source.path): this is no file of Postman")
        }
        let reader = PostmanReader(tree)
        switch kind {
        case .collection:
            reader.readFilesBeside(source)
            reader.readCollection(tree.root)
        case .wrapped:
            reader.readFilesBeside(source)
            reader.readCollection(tree.root["collection"])
        case .older:
            reader.readFilesBeside(source)
            reader.readOlder(tree.root)
        case .variables: reader.readVariables(tree.root)
        case .dump: reader.readDump(tree.root)
        }
        return reader.finished()
    }
}
