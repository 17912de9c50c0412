import Documents
import Workspaces

/// An example by its name, which may be empty.
typealias NamedExample = (name: String, summary: String?, value: Value)

/// A body that an operation takes, in one of its media types.
struct OpenAPIMedia {
    /// The media type as the description writes it; nil if it names none.
    let type: String?
    let schema: OpenAPINode?
    /// Examples by their names; one without a name is called "".
    var examples: [NamedExample] = []
    let encoding: OpenAPIObject?

    /// The media type without its parameters, in lowercase.
    var essence: String {
        String((type ?? "").prefix { $0 != ";" }).trimmingBlanks.lowercased()
    }

    var isJSON: Bool {
        essence.hasSuffix("/json") || essence.hasSuffix("+json") || essence == "text/json"
    }
    var isXML: Bool { essence.hasSuffix("/xml") || essence.hasSuffix("+xml") }
    var isForm: Bool { essence == "application/x-www-form-urlencoded" }
    var isMultipart: Bool { essence.hasPrefix("multipart/") }
    var isLines: Bool {
        ["application/x-ndjson", "application/jsonl", "application/ndjson", "application/json-seq"]
            .contains(essence)
    }
    var isText: Bool {
        essence.hasPrefix("text/")
            || [
                "application/graphql", "application/yaml", "application/x-yaml", "application/sql",
                "application/javascript", "application/sparql-query",
            ].contains(essence)
    }

    /// How well a workspace holds it: less is better.
    var rank: Int {
        switch true {
        case essence == "application/json": 0
        case isJSON: 1
        case isForm: 3
        case isMultipart: 2
        case isXML: 4
        case isLines, isText: 5
        default: essence.contains("*") ? 6 : 7
        }
    }
}

extension OpenAPIReader {
    /// Gives a target the body of an operation.
    func addBody(
        _ operation: OpenAPIObject,
        _ parameters: [OpenAPIObject],
        to draft: inout OpenAPIDraft
    ) {
        if isSwagger {
            addSwaggerBody(operation, parameters, to: &draft)
            return
        }
        guard let node = operation["requestBody"] else { return }
        guard let body = document.object(node) else {
            draft.target.losses.append(
                ImportLoss(
                    "a body",
                    "its reference leads nowhere",
                    text: node.json["$ref"].string ?? ""
                )
            )
            return
        }
        let contents = document.object(body["content"])?.members ?? []
        let media = contents.map { self.media($0.name, $0.node) }
        if let description = body.words("description") { draft.bodyWords.append(description) }
        if media.isEmpty, let schema = body["schema"] {
            add([OpenAPIMedia(type: "application/json", schema: schema, encoding: nil)], to: &draft)
        } else {
            add(media, to: &draft)
        }
    }

    private func media(_ name: String, _ node: OpenAPINode) -> OpenAPIMedia {
        let object = document.object(node)
        var media = OpenAPIMedia(
            type: name,
            schema: object?["schema"] ?? object?["itemSchema"],
            encoding: document.object(object?["encoding"])
        )
        if let object { media.examples = examples(of: object, for: media) }
        return media
    }

    /// The examples that a media type gives itself.
    func examples(
        of object: OpenAPIObject,
        for media: OpenAPIMedia
    ) -> [NamedExample] {
        var found: [NamedExample] = []
        for key in ["example", "x-example"] {
            if let node = object[key], let value = exampleValue(node, media) {
                found.append(("", nil, value))
            }
        }
        guard let node = object["examples"] ?? object["x-examples"] else { return found }
        guard let examples = document.object(node) else {
            for node in node.list {
                if let value = exampleValue(node, media) { found.append(("", nil, value)) }
            }
            return found
        }
        for (name, node) in examples.members {
            guard let example = document.object(node) else {
                if let value = exampleValue(node, media) { found.append((name, nil, value)) }
                continue
            }
            let summary = [example.words("summary"), example.words("description")].compactMap(
                \.self
            )
            .joined(separator: ": ")
            if let value = example["value"] ?? example["dataValue"] ?? example["serializedValue"] {
                if let value = exampleValue(value, media) {
                    found.append((name, summary.isEmpty ? nil : summary, value))
                }
            } else if let place = example.words("externalValue") {
                if let bytes = document.source.bytes(of: place),
                    let text = String(validating: bytes, as: UTF8.self)
                {
                    let json = media.isJSON ? try? JSON(parsing: bytes) : nil
                    let value =
                        json.flatMap { Value(imported: $0) } ?? .string(ImportNames.literal(text))
                    found.append((name, summary.isEmpty ? nil : summary, value))
                }
            } else if let value = Value(imported: node.json), example["$ref"] == nil,
                node.json["$ref"].string == nil
            {
                // As people write them who forget `value`.
                found.append((name, nil, value))
            }
        }
        return found
    }

    /// An example; a text of JSON in a JSON body is what it says.
    func exampleValue(_ node: OpenAPINode, _ media: OpenAPIMedia) -> Value? {
        let node = node.json["$ref"].string.flatMap { document.target(of: $0, from: node) } ?? node
        if media.isJSON || media.isForm || media.isMultipart, let text = node.json.string {
            let start = text.trimmingBlanks.first
            if start == "{" || start == "[", let json = try? JSON(parsing: text) {
                return Value(imported: json)
            }
        }
        return Value(imported: node.json)
    }

    /// Chooses the media type that a target sends, and says the others.
    func add(_ media: [OpenAPIMedia], to draft: inout OpenAPIDraft) {
        let order = media.indices.sorted { (media[$0].rank, $0) < (media[$1].rank, $1) }
        guard let first = order.first else { return }
        let chosen = media[first]
        set(chosen, in: &draft)
        if let schema = draft.bodySchema {
            for key in ["title", "description"] {
                guard let words = schema.object.words(key), !draft.bodyWords.contains(words) else {
                    continue
                }
                draft.bodyWords.append(words)
            }
        }
        if let summary = chosen.examples.first?.summary {
            draft.bodyWords.append("The body is an example: \(summary)")
        }
        for example in chosen.examples.dropFirst() {
            draft.bodyWords.append(Self.words(for: example, title: "Another body"))
        }
        for index in order.dropFirst() {
            let other = media[index]
            var words = "It also takes `\(other.type ?? "")`."
            if let example = other.examples.first {
                words = Self.words(for: example, title: "It also takes `\(other.type ?? "")`")
            } else if !isSame(other.schema, chosen.schema) {
                var maker = OpenAPIExample(document)
                if let value = maker.value(other.schema), case .object(let members) = value,
                    !members.isEmpty
                {
                    words = Self.words(
                        for: ("", nil, value),
                        title: "It also takes `\(other.type ?? "")`"
                    )
                }
            }
            draft.bodyWords.append(words)
        }
    }

    private func isSame(_ first: OpenAPINode?, _ second: OpenAPINode?) -> Bool {
        guard let first = document.object(first), let second = document.object(second) else {
            return true
        }
        return first.ids.last == second.ids.last
            || first.members.map(\.name) == second.members.map(\.name)
                && document.object(first["properties"])?.members.map(\.name)
                    == document.object(second["properties"])?.members.map(\.name)
    }

    static func words(
        for example: NamedExample,
        title: String
    ) -> String {
        var head = title
        if !example.name.isEmpty { head += " (\(example.name))" }
        if let summary = example.summary { head += ", \(summary)" }
        let text =
            if case .string(let text) = example.value { text.withoutTemplateEscapes } else {
                example.value.plain.prettyJSON
            }
        let fence = text.contains("```") ? "~~~~" : "```"
        return "\(head):\n\n\(fence)\n\(text.withPlainLineEnds)\n\(fence)"
    }

    // MARK: the body itself

    private func set(_ media: OpenAPIMedia, in draft: inout OpenAPIDraft) {
        var maker = OpenAPIExample(document)
        func value() -> Value {
            media.examples.first?.value ?? maker.value(media.schema) ?? .object([])
        }
        let schema = media.schema.flatMap { OpenAPISchema($0, in: document) }
        draft.bodySchema = schema
        switch true {
        case media.isJSON:
            draft.target["json"] = value()
            setType(media, unless: "application/json", in: &draft)
        case media.isForm:
            setForm(value(), media, schema, in: &draft)
        case media.isMultipart:
            setMultipart(value(), media, schema, in: &draft)
        case media.isXML:
            let given = media.examples.first?.value
            if case .string(let text)? = given {
                draft.target["body"] = .string(text)
            } else {
                var writer = OpenAPIXML(document)
                let text = writer.text(media.schema, given)
                draft.target["body"] = .string(ImportNames.literal(text))
            }
            setType(media, unless: nil, in: &draft)
        case media.isLines:
            let value = value()
            if case .string(let text) = value {
                draft.target["body"] = .string(text)
            } else {
                let lines = if case .array(let values) = value { values } else { [value] }
                let text = lines.map { $0.plain.json + "\n" }.joined()
                draft.target["body"] = .string(ImportNames.literal(text))
            }
            setType(media, unless: nil, in: &draft)
        case media.isText && schema?.isBinary != true:
            let value = value()
            let text = value.importedText ?? ImportNames.literal(value.plain.json)
            draft.target["body"] = .string(text)
            setType(media, unless: nil, in: &draft)
        case media.essence == "*/*" || media.essence.isEmpty || media.essence == "application/*":
            if let schema, schema.isBinary || schema.type == "string" {
                draft.target["upload"] = .string(fileReference(""))
            } else {
                draft.target["json"] = value()
            }
        default:
            draft.target["upload"] = .string(fileReference(""))
            setType(media, unless: nil, in: &draft)
            if case .string(let text)? = media.examples.first?.value, schema?.isBinary != true {
                draft.target["upload"] = nil
                draft.target["body"] = .string(text)
            } else if let schema, schema.type == "object" || schema.type == "array" {
                draft.target["upload"] = nil
                draft.target["body"] = .string(ImportNames.literal(value().plain.json))
            }
        }
    }

    func setType(
        _ media: OpenAPIMedia,
        unless preset: String?,
        in draft: inout OpenAPIDraft
    ) {
        guard let type = media.type?.trimmingBlanks.inOneLine, type.lowercased() != preset,
            !type.contains("*"),
            type.contains("/")
        else { return }
        draft.headers["Content-Type"] = .string(ImportNames.literal(type))
    }

    /// A variable for the path of a file, which is asked for.
    func fileReference(_ name: String) -> String {
        let original = name.isEmpty || name.lowercased() == "file" ? "upload_file" : "\(name) file"
        let key = "file \(original)"
        let variable = credentialNames[key] ?? workspace.names.use(original)
        credentialNames[key] = variable
        if workspace.variables[variable] == nil {
            let text = name.isEmpty ? "The file to send" : "The file to send as “\(name)”"
            workspace.variables[variable] = .object([Value.Member("ask", .string(text))])
        }
        return "{{ \(variable) }}"
    }
}
