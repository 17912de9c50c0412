import Documents
import Workspaces

/// Writes the value of a schema as XML, by what its `xml` says (OpenAPI 3.1, section 4.8.26).
struct OpenAPIXML {
    private static let maximumDepth = 12
    private let document: OpenAPIDocument
    private var stack: Set<OpenAPIObject.ID> = []
    private var depth = 0
    private var remaining = 1000

    init(_ document: OpenAPIDocument) {
        self.document = document
    }

    /// The whole text; `value` is an example that has been given.
    mutating func text(_ node: OpenAPINode?, _ value: Value?) -> String {
        let schema = node.flatMap { OpenAPISchema($0, in: document) }
        let name = schema?.object.referenceName ?? "root"
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + element(name, node, value, indent: 0)
    }

    private mutating func element(
        _ fallback: String,
        _ node: OpenAPINode?,
        _ value: Value?,
        indent: Int
    ) -> String {
        guard depth < Self.maximumDepth, remaining > 0 else { return "" }
        remaining -= 1
        let schema = node.flatMap { OpenAPISchema($0, in: document) }
        let xml = document.object(schema?["xml"])
        let name = Self.tag(xml, fallback)
        let blanks = String(repeating: " ", count: indent)
        let ids = Set(schema?.ids ?? [])
        guard stack.isDisjoint(with: ids) else { return "" }
        stack.formUnion(ids)
        depth += 1
        defer {
            stack.subtract(ids)
            depth -= 1
        }
        var attributes = Self.namespace(xml)
        if schema?.type == "array" || { if case .array? = value { true } else { false } }() {
            return list(name, xml, schema, value, attributes, indent: indent)
        }
        let given: [Value.Member]? = if case .object(let members)? = value { members } else { nil }
        guard schema?.type == "object" || schema?.properties.isEmpty == false || given != nil else {
            let text = value?.importedText ?? scalar(node)
            return "\(blanks)<\(name)\(attributes)>\(Self.escaped(text))</\(name)>\n"
        }
        var inner = ""
        var known: Set<String> = []
        for (property, node) in schema?.properties ?? [] {
            known.insert(property)
            let object = document.object(node)
            if object?.flag("readOnly") == true, given == nil { continue }
            if let given, given[property] == nil { continue }
            let xml = document.object(object?["xml"])
            if xml?.flag("attribute") == true || xml?.text("nodeType") == "attribute" {
                let text = given?[property]?.importedText ?? scalar(node)
                attributes += " \(Self.tag(xml, property))=\"\(Self.escaped(text))\""
            } else {
                inner += element(property, node, given?[property], indent: indent + 2)
            }
        }
        for member in given ?? [] where !known.contains(member.name) {
            inner += element(member.name, nil, member.value, indent: indent + 2)
        }
        guard !inner.isEmpty else { return "\(blanks)<\(name)\(attributes)/>\n" }
        return "\(blanks)<\(name)\(attributes)>\n\(inner)\(blanks)</\(name)>\n"
    }

    private mutating func list(
        _ name: String,
        _ xml: OpenAPIObject?,
        _ schema: OpenAPISchema?,
        _ value: Value?,
        _ attributes: String,
        indent: Int
    ) -> String {
        let items = schema?["items"]
        let isWrapped = xml?.flag("wrapped") == true || indent == 0
        let own = items.flatMap { document.object($0) }
        let inner = Self.tag(
            document.object(own?["xml"]),
            isWrapped ? own?.referenceName ?? name : name
        )
        let values: [Value?] = if case .array(let values)? = value { values } else { [nil] }
        var text = ""
        for value in values {
            text += element(inner, items, value, indent: isWrapped ? indent + 2 : indent)
        }
        guard isWrapped else { return text }
        let blanks = String(repeating: " ", count: indent)
        return text.isEmpty
            ? "\(blanks)<\(name)\(attributes)/>\n"
            : "\(blanks)<\(name)\(attributes)>\n\(text)\(blanks)</\(name)>\n"
    }

    private func scalar(_ node: OpenAPINode?) -> String {
        var maker = OpenAPIExample(document)
        return (maker.value(node)?.plain.importedText) ?? ""
    }

    private static func tag(_ xml: OpenAPIObject?, _ fallback: String) -> String {
        let name = xml?.words("name") ?? fallback
        let valid = String(
            name.map { $0.isLetter || $0.isNumber || "._-:".contains($0) ? $0 : "_" }
        )
        let start = valid.first.map { $0.isLetter || $0 == "_" } == true ? valid : "_" + valid
        return xml?.words("prefix").map { "\($0):\(start)" } ?? start
    }

    private static func namespace(_ xml: OpenAPIObject?) -> String {
        guard let namespace = xml?.words("namespace") else { return "" }
        let prefix = xml?.words("prefix").map { ":\($0)" } ?? ""
        return " xmlns\(prefix)=\"\(escaped(namespace))\""
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
