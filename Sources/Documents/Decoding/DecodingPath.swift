/// A path to one value: `a.b[0]`, `a>b`, `a.0`, `$.a['b'][0]`.
struct DecodingPath {
    let text: String
    /// Names, and places as digits; nil when the text is no path.
    let steps: [String]?

    init(_ text: String) {
        self.text = text
        steps = Self.steps(of: text)
    }

    private static func steps(of text: String) -> [String]? {
        var rest = text[...]
        if rest.first == "$" { rest = rest.dropFirst() }
        var steps: [String] = []
        while let first = rest.first {
            if first == "[" {
                guard let step = bracket(&rest) else { return nil }
                steps.append(step)
                continue
            }
            if first == "." || first == ">" { rest = rest.dropFirst() }
            let name = rest.prefix { $0 != "." && $0 != ">" && $0 != "[" }
            if name.isEmpty { return nil }
            steps.append(String(name))
            rest = rest[name.endIndex...]
        }
        return steps
    }

    /// What is between brackets, its quotes taken off.
    private static func bracket(_ rest: inout Substring) -> String? {
        rest = rest.dropFirst()
        let quote = rest.first.flatMap { $0 == "'" || $0 == "\"" ? $0 : nil }
        if quote != nil { rest = rest.dropFirst() }
        guard let end = rest.firstIndex(of: quote ?? "]") else { return nil }
        let step = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if quote != nil {
            guard rest.first == "]" else { return nil }
            rest = rest.dropFirst()
        }
        return quote == nil && Int(step) == nil ? nil : step
    }
}

extension DecodingContext {
    /// The value at a path below the root; the error names the first part that is missing.
    func node(at path: DecodingPath) throws -> NodeIndex {
        guard let steps = path.steps else { throw badPath(path.text) }
        var node = NodeIndex(root)
        for step in steps {
            if document.kind(of: node) == .array {
                guard let index = Int(step) else {
                    throw mismatch([String: Any].self, at: node.rawValue)
                }
                guard let child = document.child(at: index, of: node) else {
                    throw noElement(index, in: node.rawValue)
                }
                node = child
            } else {
                guard document.kind(of: node) == .object else {
                    throw mismatch([String: Any].self, at: node.rawValue)
                }
                guard let member = document.member(step, of: node) else {
                    throw noMember(DecodingKey(step), in: node.rawValue)
                }
                node = member
            }
        }
        return node
    }
}
