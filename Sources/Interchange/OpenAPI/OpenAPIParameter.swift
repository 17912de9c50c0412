import Documents
import Secrets
import Workspaces

/// A parameter of an operation, with a value and how it is written into a request (OpenAPI 3.1, section 4.8.12).
struct OpenAPIParameter {
    /// Where a parameter stands.
    enum Place: String {
        case path, query, header, cookie
        /// The whole query (OpenAPI 3.2).
        case querystring
    }

    let name: String
    let place: Place
    let isRequired: Bool
    let isDeprecated: Bool
    let description: String?
    let style: String
    let explodes: Bool
    let allowsReserved: Bool
    /// The type and bounds in words.
    let type: String
    /// The media type by which its value is written; nil for a style.
    let mediaType: String?
    var value: Value
    /// Whether the description says a value.
    private(set) var isGiven = true
    /// Other values that it says, with their names.
    private(set) var otherExamples: [String] = []

    /// Reads a parameter; nil for one of a Swagger body, or without a name or a place.
    init?(_ object: OpenAPIObject, in document: OpenAPIDocument, isSwagger: Bool) {
        guard let place = object.text("in").flatMap({ Place(rawValue: $0.lowercased()) }) else {
            return nil
        }
        let name = object.text("name") ?? ""
        guard !name.isEmpty || place == .querystring else { return nil }
        self.name = name
        self.place = place
        isRequired = object.flag("required") ?? false || place == .path
        isDeprecated = object.flag("deprecated") ?? false
        description = object.words("description") ?? object.words("summary")
        let content = document.object(object["content"])?.members.first
        mediaType = content?.name
        let media = content.flatMap { document.object($0.node) }
        // In Swagger 2.0 the parameter itself is the schema.
        let schemaNode = media?["schema"] ?? object["schema"]
        let schema =
            schemaNode.flatMap { OpenAPISchema($0, in: document) }
            ?? OpenAPISchema(plain: object, in: document)
        type = OpenAPINotes.type(of: schema, in: document)
        let preset = place == .path || place == .header ? "simple" : "form"
        var style = object.text("style") ?? preset
        var explodes = object.flag("explode") ?? (style == "form" || style == "deepObject")
        if isSwagger, content == nil {
            (style, explodes) = Self.swaggerStyle(object.text("collectionFormat"), preset)
        }
        // People write it for lists and objects in the query of any style.
        if style == "deepObject", schema.type != "object", schema.type != "" { style = preset }
        self.style = style
        self.explodes = explodes
        allowsReserved = object.flag("allowReserved") ?? false
        var given = Self.given(object, media, in: document)
        if given == nil {
            var example = OpenAPIExample(document)
            example.name = name
            isGiven = schema.has(["example", "x-example", "examples", "default", "enum", "const"])
            given = schemaNode != nil ? example.value(schemaNode) : example.value(of: schema)
        }
        value = given ?? .string("")
        otherExamples = Self.others(object, media, besides: value, in: document)
    }

    /// The examples but the first, and what is said about them.
    private static func others(
        _ object: OpenAPIObject,
        _ media: OpenAPIObject?,
        besides value: Value,
        in document: OpenAPIDocument
    ) -> [String] {
        [object, media].compactMap(\.self).flatMap { owner -> [String] in
            guard let node = owner["examples"] else { return [] }
            guard let named = document.object(node) else {
                return node.list.compactMap { Value(imported: $0.json) }.filter { $0 != value }
                    .map { "`\($0.inQuery.importedText ?? "")`" }
            }
            return named.members.compactMap { name, node in
                let example = document.object(node)
                let own =
                    example?["value"] ?? example?["dataValue"] ?? (example == nil ? node : nil)
                let said = own.flatMap { Value(imported: $0.json) }
                let about = [example?.words("summary"), example?.words("description")]
                    .compactMap(\.self).joined(separator: ", ")
                if said == value, about.isEmpty { return nil }
                let text = said.map { " `\($0.inQuery.importedText ?? "")`" } ?? ""
                return "\(name):\(text)\(about.isEmpty ? "" : " \(about)")"
            }
        }
    }

    private static func given(
        _ object: OpenAPIObject,
        _ media: OpenAPIObject?,
        in document: OpenAPIDocument
    ) -> Value? {
        for owner in [object, media].compactMap(\.self) {
            for key in ["example", "x-example"] {
                if let node = owner[key], let value = Value(imported: node.json) { return value }
            }
            for key in ["examples", "x-examples"] {
                guard let node = owner[key] else { continue }
                let first =
                    node.json.kind == .object
                    ? document.object(node)?.members.first?.node : node.list.first
                let object = document.object(first)
                let value = object?["value"] ?? object?["dataValue"] ?? object?["serializedValue"]
                if let value = value ?? (object == nil ? first : nil) {
                    if let value = Value(imported: value.json) { return value }
                }
            }
        }
        return nil
    }

    private static func swaggerStyle(_ format: String?, _ preset: String) -> (String, Bool) {
        switch format {
        case "multi": ("form", true)
        case "ssv": ("spaceDelimited", false)
        case "pipes": ("pipeDelimited", false)
        case "tsv": ("tabDelimited", false)
        default: (preset, false)
        }
    }

    // MARK: as it is sent

    /// What a query parameter adds to a request.
    enum Query {
        /// Entries of `query`.
        case pairs([Value.Member])
        /// A text for the URL, whose separators must not be escaped.
        case text(String)
    }

    /// A query parameter as a request has it.
    var query: Query {
        if place == .querystring { return .text(queryString) }
        if mediaType != nil { return .pairs([Value.Member(name, .string(contentText))]) }
        switch value {
        case .object(let members) where style == "deepObject":
            return .pairs(Self.deep(name, members))
        case .object(let members) where explodes:
            return reserved(members.map { Value.Member($0.name, $0.value.inQuery) })
        case .array(let elements) where explodes:
            // Brackets in a list: none is sent of an empty one.
            return elements.isEmpty
                ? .pairs([]) : reserved([Value.Member(name, .array(elements.map(\.inQuery)))])
        case .object, .array:
            return .text("\(Self.escaped(name))=\(joined(separator))")
        case .null: return .pairs([Value.Member(name, .string(""))])
        default: return reserved([Value.Member(name, value.inQuery)])
        }
    }

    /// Entries, or if reserved characters stand for themselves, a text of them.
    private func reserved(_ members: [Value.Member]) -> Query {
        guard allowsReserved else { return .pairs(members) }
        let pairs = members.flatMap { member -> [String] in
            let values =
                if case .array(let values) = member.value { values } else { [member.value] }
            return values.map {
                "\(Self.escaped(member.name))=\(keepingReserved($0.importedText ?? ""))"
            }
        }
        return .text(pairs.joined(separator: "&"))
    }

    private func keepingReserved(_ text: String) -> String {
        let pieces: [String] = text.unicodeScalars.map { scalar in
            ":/?@!$'()*,;=".unicodeScalars.contains(scalar)
                ? String(scalar) : PercentEncoding.component(String(scalar))
        }
        return pieces.joined()
    }

    private static func deep(_ name: String, _ members: [Value.Member]) -> [Value.Member] {
        members.flatMap { member -> [Value.Member] in
            let inner = "\(name)[\(member.name)]"
            switch member.value {
            case .object(let members): return deep(inner, members)
            case .array(let values): return [Value.Member(inner, .array(values.map(\.inQuery)))]
            default: return [Value.Member(inner, member.value.inQuery)]
            }
        }
    }

    private var separator: String {
        switch style {
        case "pipeDelimited": "%7C"
        case "spaceDelimited": "%20"
        case "tabDelimited": "%09"
        default: ","
        }
    }

    private var queryString: String {
        guard case .object(let members) = value, mediaType?.contains("json") != true else {
            return Self.escaped(contentText)
        }
        return members.map {
            "\(Self.escaped($0.name))=\(Self.escaped($0.value.inQuery.importedText ?? ""))"
        }
        .joined(separator: "&")
    }

    /// The value by its media type.
    private var contentText: String {
        switch value {
        case .string(let text) where mediaType?.contains("json") != true: text
        default: ImportNames.literal(value.plain.json)
        }
    }

    /// The value of a header field or a cookie, none of which escapes.
    var fieldText: String {
        let text = mediaType != nil ? contentText : joined(",", escapes: false)
        return text.inOneLine.trimmingBlanks
    }

    /// The value in a path by its style, escaped.
    var pathText: String {
        if mediaType != nil { return Self.escaped(contentText) }
        switch (style, value) {
        case ("label", _): return "." + joined(explodes ? "." : ",")
        case ("matrix", .array(let values)) where explodes:
            return values.map { ";\(name)=\(Self.escaped($0.inQuery.importedText ?? ""))" }.joined()
        case ("matrix", .object) where explodes: return ";" + joined(";")
        case ("matrix", _):
            let text = joined(",")
            return text.isEmpty ? ";\(name)" : ";\(name)=\(text)"
        default: return joined(",")
        }
    }

    /// Whether it is a credential, of which the description says nothing.
    var isCredential: Bool {
        guard !isGiven, mediaType == nil, style == "form" || style == "simple",
            value.importedText != nil
        else { return false }
        return CredentialMask.isSecret(parameter: name)
    }

    /// Whether the value in a path is only its text, which a template escapes.
    var isPlainInPath: Bool {
        guard mediaType == nil, style == "simple", !allowsReserved else { return false }
        return value.importedText != nil
    }

    private func joined(_ separator: String, escapes: Bool = true) -> String {
        func text(_ value: Value) -> String {
            let text = value.inQuery.importedText ?? ""
            return escapes ? Self.escaped(text) : text
        }
        switch value {
        case .array(let values): return values.map(text).joined(separator: separator)
        case .object(let members):
            let sign = explodes ? "=" : separator
            return members.map {
                "\(escapes ? Self.escaped($0.name) : $0.name)\(sign)\(text($0.value))"
            }
            .joined(separator: separator)
        default: return text(value)
        }
    }

    private static func escaped(_ text: String) -> String {
        PercentEncoding.component(text.withoutTemplateEscapes)
    }

    /// How a person adds it to a request: the line of `query`, `headers` or the URL.
    var written: String {
        switch place {
        case .header: return "\(name): \(fieldText)"
        case .cookie: return "\(name)=\(fieldText)"
        case .path: return pathText
        case .query, .querystring:
            switch query {
            case .text(let text): return "?\(text)"
            case .pairs(let members):
                let writer = YAMLWriter()
                return members.flatMap { writer.entry($0.name, $0.value, indent: 0) }
                    .map(\.trimmingBlanks).joined(separator: ", ")
            }
        }
    }
}

extension OpenAPIExample {
    /// A value for a schema that has no place of its own.
    mutating func value(of schema: OpenAPISchema) -> Value? {
        if let given = Self.given(schema, in: document) { return given }
        return make(schema, variant: 0)
    }
}

extension Value {
    /// A value in a query, a form or a path: what is not a scalar is JSON.
    var inQuery: Value {
        switch self {
        case .array, .object: .string(ImportNames.literal(plain.json))
        case .null: .string("")
        default: self
        }
    }

    /// The value with its texts as they are sent, not as templates.
    var plain: Value {
        switch self {
        case .string(let text): .string(text.withoutTemplateEscapes)
        case .array(let values): .array(values.map(\.plain))
        case .object(let members): .object(members.map { Member($0.name, $0.value.plain) })
        default: self
        }
    }
}

extension String {
    /// The text that a literal template stands for.
    var withoutTemplateEscapes: String {
        replacing("\\{{", with: "{{").replacing("\\${", with: "${")
    }
}
