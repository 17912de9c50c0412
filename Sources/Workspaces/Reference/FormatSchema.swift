/// The JSON Schema (draft 2020-12) of a workspace file, by which editors complete and check it.
package enum FormatSchema {
    /// Where the schema says that it is from; nothing need be there.
    package static let id = "https://apus.invalid/workspace.schema.json"

    /// The schema as text, a line for each member.
    package static var text: String { value.prettyJSON }

    private static var value: Value {
        .object(
            [
                member("$schema", "https://json-schema.org/draft/2020-12/schema"),
                member("$id", id),
                member("title", "An Apus workspace"),
            ] + members(of: FormatSection[.workspace]) + [
                Value.Member("$defs", .object(definitions))
            ]
        )
    }

    private static var definitions: [Value.Member] {
        let sections = FormatSection.all.filter { ![.workspace, .group].contains($0.id) }
        return sections.map { Value.Member($0.id.rawValue, .object(members(of: $0))) } + [
            Value.Member("item", item),
            Value.Member("requestLine", requestLine),
        ]
    }

    /// A target or a group: a mapping with `request` is a target.
    private static var item: Value {
        .object([
            Value.Member("if", schema(of: .text)),
            Value.Member("then", reference("requestLine")),
            Value.Member(
                "else",
                .object([
                    Value.Member(
                        "if",
                        .object([
                            Value.Member("anyOf", .array(["request", "like"].map(requiring)))
                        ])
                    ),
                    Value.Member("then", reference(FormatSection.ID.target.rawValue)),
                    Value.Member("else", group),
                ])
            ),
        ])
    }

    private static func requiring(_ name: String) -> Value {
        .object([Value.Member("required", .array([.string(name)]))])
    }

    private static var group: Value {
        .object([
            member("type", "object"),
            Value.Member("properties", .object(groupKeys)),
            Value.Member("additionalProperties", reference("item")),
            member(
                "description",
                "A group: targets and groups by their names, none of which has a `/`."
            ),
            Value.Member("propertyNames", .object([member("pattern", "^[^/]*$")])),
        ])
    }

    /// What a group says itself; a target may have the same name.
    private static var groupKeys: [Value.Member] {
        FormatSection[.group].keys.map { key in
            Value.Member(
                key.name,
                .object([Value.Member("anyOf", .array([schema(of: key), reference("item")]))])
            )
        }
    }

    private static var requestLine: Value {
        .object([
            member("type", "string"),
            member("pattern", "^[A-Z-]+ +\\S"),
            member("description", "A request: `METHOD path`, or `METHOD URL`."),
            Value.Member("examples", .array([.string("GET /users")])),
        ])
    }

    private static func members(of section: FormatSection) -> [Value.Member] {
        let required = section.keys.filter { $0.isRequired && $0.substitute == nil }
            .map { Value.string($0.name) }
        var members = [
            member("type", "object"),
            Value.Member(
                "properties",
                .object(section.keys.map { Value.Member($0.name, schema(of: $0)) })
            ),
            Value.Member("additionalProperties", .boolean(false)),
        ]
        for key in section.keys {
            guard let other = key.substitute else { continue }
            members.append(Value.Member("anyOf", .array([key.name, other].map(requiring))))
        }
        if !required.isEmpty { members.append(Value.Member("required", .array(required))) }
        return members
    }

    /// What may stand under a key, and what an editor says of it.
    private static func schema(of key: FormatKey) -> Value {
        let kind = schema(of: key.kind)
        var summary = key.summary
        if let standard = key.standard { summary += " Default: \(standard)." }
        summary += "\n\n    \(key.example)"
        let words = member("description", summary)
        guard case .object(let members) = kind, !members.contains(where: { $0.name == "$ref" })
        else { return .object([Value.Member("allOf", .array([kind])), words]) }
        return .object(members + [words])
    }

    private static func schema(of kind: FormatKind) -> Value {
        switch kind {
        case .template, .text, .path:
            .object([Value.Member("type", types(["string", "number", "boolean"]))])
        case .value: .object([])
        case .requestLine: reference("requestLine")
        case .boolean: .object([member("type", "boolean")])
        case .integer(let range):
            .object([
                member("type", "integer"),
                Value.Member("minimum", .number("\(range.lowerBound)")),
                Value.Member("maximum", .number("\(range.upperBound)")),
            ])
        case .word(let words): .object([Value.Member("enum", .array(words.flatMap(constants)))])
        case .time: pattern("^[0-9.]+ *(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$")
        case .size: pattern("^[0-9.]+ *([bB]|[bB]ytes?|[kKmMgG][iI]?[bB])$")
        case .form(_, let text): pattern(text)
        case .list(let element):
            .object([member("type", "array"), Value.Member("items", schema(of: element))])
        case .names(let value):
            .object([
                Value.Member("type", types(["object", "null"])),
                Value.Member("additionalProperties", schema(of: value)),
            ])
        case .section(let id): reference(id.rawValue)
        case .targets:
            .object([
                Value.Member("type", types(["object", "null"])),
                Value.Member("additionalProperties", reference("item")),
                Value.Member("propertyNames", .object([member("pattern", "^[^/]*$")])),
            ])
        case .null: .object([member("type", "null")])
        case .either(let kinds): .object([Value.Member("anyOf", .array(kinds.map(schema(of:))))])
        }
    }

    /// A word as YAML may have it: an unquoted `2` is a number there.
    private static func constants(_ word: String) -> [Value] {
        let plain = Value(plain: word)
        return plain == .string(word) ? [plain] : [.string(word), plain]
    }

    private static func pattern(_ text: String) -> Value {
        .object([member("type", "string"), member("pattern", text)])
    }

    private static func types(_ names: [String]) -> Value { .array(names.map { .string($0) }) }

    private static func reference(_ name: String) -> Value {
        .object([member("$ref", "#/$defs/\(name)")])
    }

    private static func member(_ name: String, _ text: String) -> Value.Member {
        Value.Member(name, .string(text))
    }
}
