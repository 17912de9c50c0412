import Documents
import Workspaces

/// A schema with what `allOf`, `oneOf` and `anyOf` add to it: the parts that a value is made from.
struct OpenAPISchema {
    /// Its own object.
    let object: OpenAPIObject
    /// The objects that it consists of, itself last: later ones go before earlier ones.
    private(set) var parts: [OpenAPIObject] = []
    /// All properties in their order.
    private(set) var properties: [(name: String, node: OpenAPINode)] = []
    private(set) var required: Set<String> = []
    /// The names that are required, in their order.
    private(set) var requiredNames: [String] = []
    /// Values that the discriminators of base schemas have for it.
    private(set) var discriminated: [String: String] = [:]
    /// The type, without null, by other keywords where it is not said; empty if nothing tells it.
    private(set) var type = ""

    private static let maximumParts = 100

    /// Reads a schema; nil for one that is no object.
    init?(_ node: OpenAPINode?, in document: OpenAPIDocument) {
        guard let object = document.object(node) else { return nil }
        // Descriptions refer to most schemas many times.
        if let known = document.schema(at: object) {
            self = known
            return
        }
        self.object = object
        var passed: Set<OpenAPIObject.ID> = []
        add(object, document, &passed, depth: 0)
        for (index, part) in parts.enumerated() {
            addDiscriminator(of: part, at: index, document)
        }
        type = findType()
        document.keep(self, at: object)
    }

    /// A parameter of Swagger 2.0, which is its own schema.
    init(plain object: OpenAPIObject, in document: OpenAPIDocument) {
        self.object = object
        let names = ["name", "in", "description", "required", "allowEmptyValue"]
        let keywords = object.members.filter { !names.contains($0.name) }
        parts = [OpenAPIObject(keywords, ids: [], referenceName: nil)]
        type = findType()
    }

    private mutating func add(
        _ object: OpenAPIObject,
        _ document: OpenAPIDocument,
        _ passed: inout Set<OpenAPIObject.ID>,
        depth: Int
    ) {
        if let last = object.ids.last, !passed.insert(last).inserted { return }
        guard depth < 20, parts.count < Self.maximumParts else { return }
        for branch in object.list("allOf") {
            if let branch = document.object(branch) {
                add(branch, document, &passed, depth: depth + 1)
            }
        }
        for key in ["oneOf", "anyOf"] {
            let branches = object.list(key).compactMap { document.object($0) }
            let usable = branches.first { !Self.isNull($0) && !Self.isPassed($0, passed) }
            // Branches that only say which members are required say nothing of the value.
            if let usable { add(usable, document, &passed, depth: depth + 1) }
        }
        parts.append(object)
        for (name, node) in document.object(object["properties"])?.members ?? [] {
            if let index = properties.firstIndex(where: { $0.name == name }) {
                properties[index].node = node
            } else {
                properties.append((name, node))
            }
        }
        for node in object.list("required") {
            guard let name = node.json.string, required.insert(name).inserted else { continue }
            requiredNames.append(name)
        }
    }

    /// The value that a base schema's discriminator has for the schema that is made.
    private mutating func addDiscriminator(
        of part: OpenAPIObject,
        at index: Int,
        _ document: OpenAPIDocument
    ) {
        guard let node = part["discriminator"] else { return }
        let discriminator = document.object(node)
        guard let name = node.json.string ?? discriminator?.text("propertyName") else { return }
        // With `allOf` the derived schema comes after the base, with `oneOf` the chosen one before it.
        let others = parts[(index + 1)...] + parts[..<index].reversed()
        let names = (others + [part]).compactMap(\.referenceName)
        let mapping = document.object(discriminator?["mapping"])?.members ?? []
        for other in names {
            let key = mapping.first { member in
                let value = member.node.json.string ?? ""
                return value == other || value.hasSuffix("/\(other)")
            }
            if let key {
                discriminated[name] = key.name
                return
            }
        }
        if let first = names.first { discriminated[name] = first }
    }

    private static func isNull(_ object: OpenAPIObject) -> Bool {
        object.text("type") == "null"
            || object.list("enum").count == 1 && object.list("enum")[0].json.isNull
    }

    private static func isPassed(_ object: OpenAPIObject, _ passed: Set<OpenAPIObject.ID>) -> Bool {
        object.ids.last.map { passed.contains($0) } ?? false
    }

    /// The value of a keyword, from the part that goes before the others.
    subscript(name: String) -> OpenAPINode? {
        for part in parts.reversed() { if let node = part[name] { return node } }
        return nil
    }

    func text(_ name: String) -> String? { self[name]?.text }
    func flag(_ name: String) -> Bool { self[name]?.flag ?? false }

    func number(_ name: String) -> Double? {
        for part in parts.reversed() { if let number = part.number(name) { return number } }
        return nil
    }

    func count(_ name: String) -> Int? {
        for part in parts.reversed() { if let count = part.count(name) { return count } }
        return nil
    }

    private func findType() -> String {
        for part in parts.reversed() {
            let types = part.list("type").compactMap { $0.json.string?.lowercased() }
            if let type = types.first(where: { $0 != "null" }) { return Self.plain(type) }
        }
        if !properties.isEmpty || has(["additionalProperties", "patternProperties"]) {
            return "object"
        }
        if has(["items", "prefixItems", "minItems"]) { return "array" }
        if has(["pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"]) {
            return "string"
        }
        if has(["minimum", "maximum", "multipleOf", "exclusiveMinimum"]) { return "number" }
        if let format = text("format") {
            return ["int32", "int64", "float", "double"].contains(format) ? "number" : "string"
        }
        return ""
    }

    /// The type that a mistaken name stands for.
    private static func plain(_ type: String) -> String {
        switch type {
        case "int", "int32", "int64", "long", "short": "integer"
        case "float", "double", "decimal": "number"
        case "bool": "boolean"
        case "date", "datetime", "date-time", "uuid", "email", "text", "str": "string"
        case "list": "array"
        case "map", "dict": "object"
        default: type
        }
    }

    func has(_ names: [String]) -> Bool { names.contains { self[$0] != nil } }

    /// Whether values are bytes of a file.
    var isBinary: Bool {
        if type == "file" { return true }
        guard type == "string" else { return false }
        if text("format") == "binary" { return true }
        return self["contentMediaType"] != nil && self["contentEncoding"] == nil
            && text("contentMediaType")?.hasPrefix("text/") != true
    }

    /// All objects that a recursion through it passes.
    var ids: [OpenAPIObject.ID] { parts.flatMap(\.ids) }
}
