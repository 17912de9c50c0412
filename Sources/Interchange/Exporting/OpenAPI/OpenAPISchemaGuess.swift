import Documents
import Workspaces

/// A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it) that samples of a value allow.
struct OpenAPISchemaGuess {
    private static let maximumLevels = 32

    /// The schema of samples, of which there is at least one.
    static func schema(of samples: [Value], levels: Int = maximumLevels) -> Value {
        guard levels > 0 else { return .object([]) }
        var types: [String] = []
        for sample in samples {
            let type = kind(of: sample)
            if !types.contains(type) { types.append(type) }
        }
        // Whole numbers are numbers, too.
        if types.contains("number") { types.removeAll { $0 == "integer" } }
        types.sort { $0 != "null" && $1 == "null" }
        var members: [Value.Member] = []
        if types.count == 1 {
            members.append(Value.Member("type", .string(types[0])))
        } else if !types.isEmpty {
            members.append(Value.Member("type", .array(types.map { .string($0) })))
        }
        members += object(samples, levels) + items(samples, levels)
        return .object(members)
    }

    private static func kind(of value: Value) -> String {
        switch value {
        case .string: "string"
        case .number(let text): Int(text) == nil ? "number" : "integer"
        case .boolean: "boolean"
        case .null: "null"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The properties of all samples that are objects; required is what all of them have.
    private static func object(_ samples: [Value], _ levels: Int) -> [Value.Member] {
        var names: [String] = []
        var values: [String: [Value]] = [:]
        var count = 0
        for case .object(let members) in samples {
            count += 1
            for member in members {
                if values[member.name] == nil { names.append(member.name) }
                values[member.name, default: []].append(member.value)
            }
        }
        guard !names.isEmpty else { return [] }
        let properties = names.map { name in
            Value.Member(name, schema(of: values[name] ?? [], levels: levels - 1))
        }
        let required = names.filter { values[$0]?.count == count }
        return [Value.Member("properties", .object(properties))]
            + (required.isEmpty
                ? [] : [Value.Member("required", .array(required.map { .string($0) }))])
    }

    private static func items(_ samples: [Value], _ levels: Int) -> [Value.Member] {
        var elements: [Value] = []
        var isArray = false
        for case .array(let values) in samples {
            isArray = true
            elements += values.prefix(1000)
        }
        guard isArray else { return [] }
        let schema: Value =
            elements.isEmpty ? .object([]) : Self.schema(of: elements, levels: levels - 1)
        return [Value.Member("items", schema)]
    }

    /// A text of a URL or a field as the JSON value that is written the same.
    static func scalar(_ text: String) -> Value {
        if let number = Int(text), String(number) == text { return .number(text) }
        if text == "true" || text == "false" { return .boolean(text == "true") }
        return .string(text)
    }

    /// A text as JSON; nil if it is none, or not written the same again.
    static func json(_ text: String) -> Value? {
        guard let json = try? JSON(parsing: text) else { return nil }
        return Value(json, levels: maximumLevels) { $0 }
    }
}
