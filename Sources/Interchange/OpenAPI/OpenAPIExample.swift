import Documents
import Secrets
import Workspaces

/// Makes values that schemas allow: those that they give as examples, else the plainest ones.
struct OpenAPIExample {
    private static let maximumDepth = 12

    let document: OpenAPIDocument
    /// The schemas that are being made, so that recursive ones end.
    private var stack: Set<OpenAPIObject.ID> = []
    /// The schemas that were looked for on the stack while the innermost object or list was made.
    private var met: Set<OpenAPIObject.ID> = []
    private var remaining: Int
    /// How many values there are around it.
    private var depth = 0
    /// The name of the property or the parameter that is made.
    var name = ""

    init(_ document: OpenAPIDocument) {
        self.document = document
        remaining = document.exampleSize.values
    }

    /// How large an example gets, so that those of a description with thousands of operations are one workspace.
    struct Size {
        /// The most values in it.
        let values: Int
        /// How deep it has members that are not required.
        let optionalDepth: Int

        /// The size in a description with so many operations.
        init(operations count: Int) {
            switch count {
            case ...1000: (values, optionalDepth) = (1500, 6)
            case ...3000: (values, optionalDepth) = (100, 3)
            default: (values, optionalDepth) = (60, 2)
            }
        }
    }

    /// A value for a schema; nil where a recursive schema must end.
    mutating func value(_ node: OpenAPINode?, variant: Int = 0) -> Value? {
        guard remaining > 0, depth < Self.maximumDepth else { return nil }
        remaining -= 1
        guard let node, node.json.kind == .object else { return .string("string") }
        // Its reference leads nowhere.
        guard let schema = OpenAPISchema(node, in: document) else { return .object([]) }
        let ids = Set(schema.ids)
        met.formUnion(ids)
        guard stack.isDisjoint(with: ids) else { return nil }
        if let given = Self.given(schema, variant: variant, in: document) { return given }
        guard let key = key(of: schema) else {
            return make(schema, ids, variant: variant)
        }
        if let made = document.made[key], made.count < remaining, stack.isDisjoint(with: made.met) {
            remaining -= made.count
            met.formUnion(made.met)
            return made.value
        }
        let (before, outer) = (remaining, met)
        met = []
        let value = make(schema, ids, variant: variant)
        // Where it ended early, because of what is around it or of its size, it is another value elsewhere.
        if remaining > 0, stack.isDisjoint(with: met) {
            document.made[key] = Made(value: value, count: before - remaining, met: met)
        }
        met.formUnion(outer)
        return value
    }

    private mutating func make(
        _ schema: OpenAPISchema,
        _ ids: Set<OpenAPIObject.ID>,
        variant: Int
    ) -> Value {
        stack.formUnion(ids)
        defer { stack.subtract(ids) }
        return make(schema, variant: variant)
    }

    /// What a value depends on, unless it ends early.
    struct Key: Hashable {
        fileprivate let schema: OpenAPIObject.ID
        fileprivate let referenceName: String?
        fileprivate let depth: Int
        fileprivate let name: String
    }

    /// An object or a list that was made.
    struct Made {
        fileprivate let value: Value
        /// The number of values in it.
        fileprivate let count: Int
        /// The schemas that must not be around it, or it would have ended early.
        fileprivate let met: Set<OpenAPIObject.ID>
    }

    /// Nil for what is made as fast as it is found.
    private func key(of schema: OpenAPISchema) -> Key? {
        guard schema.type == "object" || schema.type == "array",
            let id = schema.object.plainID
        else { return nil }
        // Only what has no name of its own is made for that of what is around it.
        let isNamed =
            schema.type == "object" && !schema.properties.isEmpty
            && schema["additionalProperties"] == nil
        return Key(
            schema: id,
            referenceName: schema.object.referenceName,
            depth: depth,
            name: isNamed ? "" : name
        )
    }

    /// A value for a schema that gives none itself.
    mutating func make(_ schema: OpenAPISchema, variant: Int) -> Value {
        depth += 1
        defer { depth -= 1 }
        switch schema.type {
        case "object": return object(schema)
        case "array": return array(schema)
        case "integer", "number": return number(schema, variant: variant)
        case "boolean": return .boolean(variant.isMultiple(of: 2))
        case "null": return .null
        case "string": return string(schema, variant: variant)
        default: return schema.parts.allSatisfy(\.isAnything) ? .object([]) : .string("string")
        }
    }

    /// The value that a schema says itself: an example, a constant, a default, one of a list.
    static func given(
        _ schema: OpenAPISchema,
        variant: Int = 0,
        in document: OpenAPIDocument
    ) -> Value? {
        let own = schema.object
        if variant == 0 {
            for key in ["example", "x-example"] {
                if let node = own[key], let value = Self.value(node, for: schema) { return value }
            }
            if let examples = own["examples"] {
                let first =
                    examples.json.kind == .object
                    ? document.object(examples)?.members.first.flatMap { member in
                        document.object(member.node)?["value"] ?? member.node
                    } : examples.list.first
                if let first, let value = Self.value(first, for: schema) { return value }
            }
        }
        if let constant = schema["const"] { return Value(imported: constant.json) }
        if variant == 0, let preset = own["default"], let value = Self.value(preset, for: schema) {
            return value
        }
        let choices = (schema["enum"]?.list ?? []).filter { !$0.json.isNull }
        if !choices.isEmpty { return Value(imported: choices[variant % choices.count].json) }
        // Of a scalar, what any part says.
        guard variant == 0, schema.properties.isEmpty, schema.type != "object",
            let node = schema["example"] ?? schema["default"]
        else { return nil }
        return Self.value(node, for: schema)
    }

    /// A given value; a text of JSON where the schema has a list or an object is what it says.
    private static func value(_ node: OpenAPINode, for schema: OpenAPISchema) -> Value? {
        let type = schema.type
        if let text = node.json.string, type == "object" || type == "array" {
            let start = text.trimmingBlanks.first
            if start == "{" || start == "[", let json = try? JSON(parsing: text) {
                return Value(imported: json)
            }
            if type == "object" || text.isEmpty { return nil }
            return .array([.string(ImportNames.literal(text))])
        }
        if type == "array", node.json.kind != .array {
            return Value(imported: node.json).map { .array([$0]) }
        }
        if type == "string", let number = node.json.numberText { return .string(number) }
        if type == "integer" || type == "number" || type == "boolean", let text = node.json.string {
            if let json = try? JSON(parsing: text.trimmingBlanks), json.kind != .object,
                json.kind != .array
            {
                return Value(imported: json)
            }
            // Such as "int" as the example of an integer.
            return nil
        }
        return Value(imported: node.json)
    }

    // MARK: objects and lists

    private mutating func object(_ schema: OpenAPISchema) -> Value {
        var members: [Value.Member] = []
        for (name, node) in schema.properties {
            let property = document.object(node)
            if property?.flag("readOnly") == true { continue }
            if depth > document.exampleSize.optionalDepth, !schema.required.contains(name) {
                continue
            }
            if let word = schema.discriminated[name] {
                members.append(Value.Member(name, .string(ImportNames.literal(word))))
            } else if let value = exampleMember(name, of: schema) ?? value(node, named: name) {
                members.append(Value.Member(name, value))
            }
        }
        let known = Set(schema.properties.map(\.name))
        for name in schema.requiredNames where !known.contains(name) {
            let made: Value? =
                schema.discriminated[name].map { .string(ImportNames.literal($0)) }
                ?? exampleMember(name, of: schema)
                ?? (schema["additionalProperties"].flatMap {
                    $0.json.kind == .object ? value($0) : nil
                })
            members.append(Value.Member(name, made ?? .string("string")))
        }
        if members.isEmpty, schema.properties.isEmpty { members = freeMembers(schema) }
        return .object(members)
    }

    /// A member of an example that a part of the schema has.
    private func exampleMember(_ name: String, of schema: OpenAPISchema) -> Value? {
        for part in schema.parts.reversed() {
            guard let example = part["example"], example.json.kind == .object else { continue }
            let member = example.json[name]
            if member.exists { return Value(imported: member) }
        }
        return nil
    }

    /// A member of an object that says nothing of its names.
    private mutating func freeMembers(_ schema: OpenAPISchema) -> [Value.Member] {
        if let pattern = document.object(schema["patternProperties"])?.members.first {
            let name = OpenAPIPattern.match(pattern.name) ?? "property"
            return value(pattern.node).map { [Value.Member(name, $0)] } ?? []
        }
        guard let node = schema["additionalProperties"], node.json.kind == .object else {
            return []
        }
        let name = document.object(node)?.words("x-additionalPropertiesName") ?? "property"
        return value(node).map { [Value.Member(name, $0)] } ?? []
    }

    private mutating func value(_ node: OpenAPINode, named name: String) -> Value? {
        let outer = self.name
        defer { self.name = outer }
        self.name = name
        return value(node)
    }

    private mutating func array(_ schema: OpenAPISchema) -> Value {
        var elements: [Value] = []
        let items = schema["items"]
        let prefix = schema["prefixItems"]?.list ?? (items?.json.kind == .array ? items?.list : nil)
        for node in prefix ?? [] { if let value = value(node) { elements.append(value) } }
        let most = schema.count("maxItems") ?? .max
        let wanted = min(most, max(prefix == nil ? 1 : 0, min(schema.count("minItems") ?? 0, 20)))
        let rest = items?.json.kind == .array ? schema["additionalItems"] : items
        var variant = 0
        while elements.count < wanted {
            guard let rest = rest ?? schema["contains"], rest.json.kind == .object else { break }
            guard let value = value(rest, variant: variant) else { break }
            elements.append(value)
            variant += 1
        }
        return .array(Array(elements.prefix(most)))
    }

    // MARK: scalars

    private func number(_ schema: OpenAPISchema, variant: Int) -> Value {
        var least = schema.number("minimum")
        var most = schema.number("maximum")
        let step = schema.number("multipleOf").flatMap { $0 > 0 ? $0 : nil }
        let isInteger = schema.type == "integer"
        let smallest = isInteger ? 1 : step ?? 0.5
        // A number in JSON Schema since draft 6, before it whether the minimum itself is left out.
        if let bound = schema["exclusiveMinimum"]?.json.double {
            least = max(least ?? bound + smallest, bound + smallest)
        } else if schema.flag("exclusiveMinimum") {
            least = least.map { $0 + smallest }
        }
        if let bound = schema["exclusiveMaximum"]?.json.double {
            most = min(most ?? bound - smallest, bound - smallest)
        } else if schema.flag("exclusiveMaximum") {
            most = most.map { $0 - smallest }
        }
        if isInteger {
            least = least?.rounded(.up)
            most = most?.rounded(.down)
        }
        var value = step ?? 1
        if let least, value < least { value = least }
        if let most, value > most { value = least.map { max($0, most) } ?? most }
        if let step, let least { value = max(value, (least / step).rounded(.up) * step) }
        value += Double(variant) * (step ?? 1)
        return .number(Self.text(value))
    }

    private static func text(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else {
            return value.isFinite ? JSON(value).numberText ?? "1" : "1"
        }
        return value == value.rounded() ? String(Int(value)) : JSON(value).numberText ?? "1"
    }

    private func string(_ schema: OpenAPISchema, variant: Int) -> Value {
        let least = schema.count("minLength") ?? 0
        let most = schema.count("maxLength") ?? .max
        if let pattern = schema.text("pattern"),
            let text = OpenAPIPattern.match(pattern, minimum: least, maximum: most)
        {
            return .string(ImportNames.literal(text))
        }
        if let text = Self.formatted(schema, variant: variant) { return .string(text) }
        // What is called a password looks like none.
        let plain = CredentialMask.isSecret(parameter: name) ? "abc" : "string"
        var text = variant == 0 ? plain : "\(plain)\(variant + 1)"
        if let refused = document.object(schema["not"]) {
            let words = refused.list("enum").compactMap(\.text) + [refused.text("const") ?? ""]
            while words.contains(text) { text += "2" }
        }
        while text.count < min(least, 10_000) {
            text += String("string".prefix(least - text.count))
        }
        return .string(String(text.prefix(most)))
    }

    private static func formatted(_ schema: OpenAPISchema, variant: Int) -> String? {
        let digit = (variant + 1) % 10
        if schema.text("contentEncoding") != nil { return "c3RyaW5n" }
        switch schema.text("format")?.lowercased() ?? "" {
        case "date-time", "datetime", "timestamp": return "2026-01-0\(digit)T12:00:00Z"
        case "date": return "2026-01-0\(digit)"
        case "time": return "12:00:00Z"
        case "partial-time": return "12:00:00"
        case "duration": return "P\(digit)D"
        case "uuid", "guid": return "123e4567-e89b-42d3-a456-42661417400\(digit)"
        case "email", "idn-email":
            return variant == 0 ? "user@example.com" : "user\(digit)@example.com"
        case "hostname", "idn-hostname": return "host.example.com"
        case "ipv4", "ip": return "192.0.2.\(digit)"
        case "ipv6": return "2001:db8::\(digit)"
        case "uri", "url", "iri": return "https://example.com/\(variant == 0 ? "" : String(digit))"
        case "uri-reference", "iri-reference", "uri-template": return "/path"
        case "json-pointer": return "/name"
        case "relative-json-pointer": return "0/name"
        case "regex": return "^.*$"
        case "byte", "base64", "base64url": return "c3RyaW5n"
        case "decimal", "double", "float", "number": return "\(digit).5"
        case "int32", "int64", "integer", "bigint", "uint64": return String(digit)
        case "char": return "a"
        case "phone": return "+12025550100"
        case "ulid": return "01ARZ3NDEKTSV4RRFFQ69G5FA\(digit)"
        case "objectid", "mongoid": return "507f1f77bcf86cd79943901\(digit)"
        default: return nil
        }
    }
}

extension OpenAPIObject {
    /// Whether it allows any value.
    fileprivate var isAnything: Bool {
        members.allSatisfy { name, _ in
            ["title", "description", "deprecated", "nullable", "externalDocs"].contains(name)
                || name.hasPrefix("x-")
        }
    }
}

extension Value {
    private static let maximumImportedLevels = 40

    /// A value of a file as a workspace has it, with literal texts; nil if it has too many levels.
    init?(imported json: JSON, levels: Int = Value.maximumImportedLevels) {
        guard levels > 0 else { return nil }
        switch json.kind {
        case nil: return nil
        case .null: self = .null
        case .false: self = .boolean(false)
        case .true: self = .boolean(true)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string: self = .string(ImportNames.literal(json.string ?? ""))
        case .array:
            var elements: [Value] = []
            for element in json.elements {
                guard let value = Value(imported: element, levels: levels - 1) else { return nil }
                elements.append(value)
            }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            var names: Set<String> = []
            for (name, element) in json.members where names.insert(name).inserted {
                guard let value = Value(imported: element, levels: levels - 1) else { return nil }
                members.append(Member(name, value))
            }
            self = .object(members)
        }
    }

    /// A scalar as the text that it has in a URL or a field.
    var importedText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null: ""
        case .array, .object: nil
        }
    }
}
