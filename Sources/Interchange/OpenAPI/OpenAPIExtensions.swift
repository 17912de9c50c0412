import Documents

/// Finds the members of a description that the specification leaves to tools: those that begin with `x-`.
///
/// A description may have thousands of them, so that all of one name are one loss.
struct OpenAPIExtensions {
    /// The members of one name.
    private struct Kind {
        var count = 0
        var line: Int?
        var texts: [String] = []
        var isSeen: Set<String> = []
        var size = 0
        /// How many values are not among the texts.
        var more = 0
    }

    /// What is read elsewhere.
    private static let read: Set = [
        "x-example", "x-examples", "x-webhooks", "x-additionalPropertiesName",
        "x-oai-additionalOperations",
    ]
    /// Below these, names are those of things, whatever they begin with.
    private static let names: Set = [
        "properties", "patternProperties", "headers", "schemas", "definitions", "parameters",
        "examples", "mapping", "scopes", "variables", "securitySchemes", "securityDefinitions",
        "requestBodies", "links", "content", "encoding", "dependentSchemas", "$defs", "callbacks",
        "webhooks", "pathItems",
    ]
    /// Below these are values, in which names mean nothing.
    private static let values: Set = ["example", "default", "enum", "const", "value", "dataValue"]
    private static let maximumText = 4 << 10
    private static let maximumValue = 1 << 10

    private var kinds: [String: Kind] = [:]
    private var order: [String] = []

    /// Whether bytes may have such a member, which most small descriptions do not.
    static func mayBe(in bytes: [UInt8]) -> Bool {
        var previous: UInt8 = 0
        var before: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "-"), previous == UInt8(ascii: "x") {
                let isWord = (0x61...0x7A).contains(before) || (0x41...0x5A).contains(before)
                if !isWord { return true }
            }
            (before, previous) = (previous, byte)
        }
        return false
    }

    /// Counts the members in a file.
    mutating func find(in root: JSON, line: (JSON) -> Int?) {
        var waiting: [(json: JSON, areNames: Bool)] = [(root, false)]
        while let (json, areNames) = waiting.popLast() {
            if json.kind == .array {
                // The last one first, so that they are found in their order.
                for element in json.elements.reversed()
                where element.kind == .object || element.kind == .array {
                    waiting.append((element, false))
                }
                continue
            }
            guard json.kind == .object else { continue }
            var inner: [(json: JSON, areNames: Bool)] = []
            for (name, value) in json.members {
                if !areNames, name.hasPrefix("x-") {
                    if !Self.read.contains(name) { count(name, value, line) }
                    continue
                }
                guard value.kind == .object || value.kind == .array else { continue }
                if !areNames, Self.values.contains(name) { continue }
                inner.append((value, !areNames && Self.names.contains(name)))
            }
            waiting += inner.reversed()
        }
    }

    private mutating func count(_ name: String, _ value: JSON, _ line: (JSON) -> Int?) {
        if kinds[name] == nil {
            order.append(name)
            kinds[name] = Kind(line: line(value))
        }
        kinds[name]?.count += 1
        guard let kind = kinds[name], kind.size < Self.maximumText else {
            kinds[name]?.more += 1
            return
        }
        var text = value.string ?? value.text(.pretty) ?? ""
        if text.utf8.count > Self.maximumValue { text = "\(text.prefix(Self.maximumValue))…" }
        guard kinds[name]?.isSeen.insert(text).inserted == true else { return }
        kinds[name]?.texts.append(text)
        kinds[name]?.size += text.utf8.count + 1
    }

    /// One loss for each name, in the order of their first members.
    var losses: [ImportLoss] {
        order.compactMap { name in
            guard let kind = kinds[name] else { return nil }
            var lines = kind.texts
            if kind.more > 0 { lines.append("… (\(kind.more) more)") }
            let times = kind.count == 1 ? "once" : "\(kind.count) times"
            return ImportLoss(
                "the extension \(name.inOneLine)",
                "it is no part of OpenAPI, and means nothing to a workspace; the file has it \(times)",
                text: lines.joined(separator: "\n"),
                line: kind.line
            )
        }
    }
}
