import Documents
import Workspaces

/// Forms, with files and without, and the bodies of Swagger 2.0.
extension OpenAPIReader {
    func setForm(
        _ value: Value,
        _ media: OpenAPIMedia,
        _ schema: OpenAPISchema?,
        in draft: inout OpenAPIDraft
    ) {
        if let type = media.type, type.contains(";") {
            draft.headers["Content-Type"] = .string(type)
        }
        guard case .object(let members) = value else {
            let text = value.importedText ?? ImportNames.literal(value.plain.json)
            draft.target["body"] = .string(text)
            draft.headers["Content-Type"] = .string(
                media.type ?? "application/x-www-form-urlencoded"
            )
            return
        }
        var form: [Value.Member] = []
        for member in members {
            let encoding = document.object(media.encoding?[member.name])
            let style = encoding?.text("style")
            let explodes =
                encoding?.flag("explode")
                ?? (style == nil || style == "form" || style == "deepObject")
            switch member.value {
            case .object(let inner) where style == "deepObject":
                form += Self.deep(member.name, inner)
            case .object(let inner) where style == "form" && explodes:
                form += inner.map { Value.Member($0.name, $0.value.inQuery) }
            case .array(let values) where explodes:
                if style == "deepObject" {
                    form += Self.deep(member.name, [Value.Member("", .array(values))])
                } else if !values.isEmpty {
                    form.append(Value.Member(member.name, .array(values.map(\.inQuery))))
                }
            case .array(let values):
                let sign =
                    ["pipeDelimited": "|", "spaceDelimited": " ", "tabDelimited": "\t"][style ?? ""]
                    ?? ","
                let text = values.map { $0.inQuery.importedText ?? "" }.joined(separator: sign)
                form.append(Value.Member(member.name, .string(text)))
            default: form.append(Value.Member(member.name, member.value.inQuery))
            }
        }
        var merged: [Value.Member] = []
        for member in form { merged.append(member.value, for: member.name) }
        draft.target["form"] = .object(merged)
    }

    private static func deep(_ name: String, _ members: [Value.Member]) -> [Value.Member] {
        members.flatMap { member -> [Value.Member] in
            let inner = "\(name)[\(member.name)]"
            switch member.value {
            case .object(let members): return deep(inner, members)
            case .array(let values):
                if values.contains(where: { $0.importedText == nil }) {
                    return values.enumerated().flatMap {
                        deep(inner, [Value.Member(String($0.offset), $0.element)])
                    }
                }
                return [Value.Member(inner, .array(values.map(\.inQuery)))]
            default: return [Value.Member(inner, member.value.inQuery)]
            }
        }
    }

    func setMultipart(
        _ value: Value,
        _ media: OpenAPIMedia,
        _ schema: OpenAPISchema?,
        in draft: inout OpenAPIDraft
    ) {
        if media.essence != "multipart/form-data", media.essence != "multipart/*" {
            draft.target.losses.append(
                ImportLoss(
                    "a media type",
                    "the body is sent as multipart/form-data",
                    text: media.type ?? ""
                )
            )
        }
        var members: [Value.Member] = []
        if case .object(let made) = value { members = made }
        // A file is in a request even where the value that was made leaves it out.
        for (name, node) in schema?.properties ?? [] where members[name] == nil {
            let property = OpenAPISchema(node, in: document)
            if property?.isBinary == true, property?.flag("readOnly") != true {
                members.append(Value.Member(name, .string("")))
            }
        }
        var parts: [Value.Member] = []
        for member in members {
            let node = schema?.properties.first { $0.name == member.name }?.node
            let encoding = document.object(media.encoding?[member.name])
            parts.append(Value.Member(member.name, part(member, node, encoding, in: &draft)))
        }
        guard !parts.isEmpty else {
            draft.target["multipart"] = .object([
                Value.Member("file", .object([Value.Member("file", .string(fileReference("")))]))
            ])
            return
        }
        draft.target["multipart"] = .object(parts)
    }

    private func part(
        _ member: Value.Member,
        _ node: OpenAPINode?,
        _ encoding: OpenAPIObject?,
        in draft: inout OpenAPIDraft
    ) -> Value {
        let schema = node.flatMap { OpenAPISchema($0, in: document) }
        let items = schema?["items"].flatMap { OpenAPISchema($0, in: document) }
        let type = encoding?.words("contentType").flatMap { text in
            text.contains(",") || text.contains("*") ? nil : text
        }
        let isFile =
            schema?.isBinary == true || items?.isBinary == true
            || type.map { $0.hasPrefix("image/") || $0 == "application/octet-stream" } ?? false
        if isFile {
            var members = [Value.Member("file", .string(fileReference(member.name)))]
            if let type { members.append(Value.Member("type", .string(type))) }
            return .object(members)
        }
        if let type, !type.hasPrefix("text/plain") {
            draft.target.losses.append(
                ImportLoss(
                    "a part's media type",
                    "a part that is no file has none; `\(member.name)` is of this",
                    text: type
                )
            )
        }
        if let headers = document.object(encoding?["headers"])?.members, !headers.isEmpty {
            draft.target.losses.append(
                ImportLoss(
                    "a part's header fields",
                    "a part has none of its own; `\(member.name)` has these",
                    text: headers.map(\.name).joined(separator: ", ")
                )
            )
        }
        switch member.value {
        case .array(let values) where !values.isEmpty:
            return .array(values.map { .string($0.inQuery.importedText ?? "") })
        default: return .string(member.value.inQuery.importedText ?? "")
        }
    }

    // MARK: Swagger 2.0

    func addSwaggerBody(
        _ operation: OpenAPIObject,
        _ parameters: [OpenAPIObject],
        to draft: inout OpenAPIDraft
    ) {
        let own = operation["consumes"]?.list ?? root.list("consumes")
        let types = own.compactMap(\.text)
        if let body = parameters.first(where: { $0.text("in") == "body" }) {
            if let description = body.words("description") { draft.bodyWords.append(description) }
            let named = types.isEmpty ? ["application/json"] : types
            let media = named.map { type in
                var media = OpenAPIMedia(type: type, schema: body["schema"], encoding: nil)
                media.examples = examples(of: body, for: media)
                let given = document.object(body["x-examples"] ?? body["x-example"])?[type]
                if let given, let value = exampleValue(given, media) {
                    media.examples = [("", nil, value)]
                }
                return media
            }
            // A form has parameters of its own.
            let usable = media.filter { !$0.isForm && !$0.isMultipart }
            add(
                usable.isEmpty
                    ? [
                        OpenAPIMedia(
                            type: "application/json",
                            schema: body["schema"],
                            encoding: nil
                        )
                    ] : usable,
                to: &draft
            )
            return
        }
        let fields = parameters.filter { $0.text("in") == "formData" }
        guard !fields.isEmpty else { return }
        setSwaggerForm(fields, types, in: &draft)
    }

    private func setSwaggerForm(
        _ fields: [OpenAPIObject],
        _ types: [String],
        in draft: inout OpenAPIDraft
    ) {
        let hasFile = fields.contains { $0.text("type") == "file" }
        let isMultipart =
            hasFile
            || types.contains { $0.hasPrefix("multipart/") }
                && !types.contains { $0.hasPrefix("application/x-www-form") }
        var members: [Value.Member] = []
        var rows: [[String]] = []
        for field in fields {
            let name = field.text("name") ?? "field"
            let schema = OpenAPISchema(plain: field, in: document)
            var maker = OpenAPIExample(document)
            let value =
                field["x-example"].flatMap { Value(imported: $0.json) } ?? maker.value(of: schema)
                ?? .string("")
            rows.append([
                "`\(name)`", field.flag("required") == true ? "yes" : "no",
                OpenAPINotes.type(of: schema, in: document),
                field.words("description") ?? "",
            ])
            if schema.isBinary, isMultipart {
                members.append(
                    Value.Member(
                        name,
                        .object([Value.Member("file", .string(fileReference(name)))])
                    ),
                )
                continue
            }
            let format = field.text("collectionFormat")
            switch value {
            case .array(let values) where format == "multi":
                let texts = values.map {
                    isMultipart ? Value.string($0.inQuery.importedText ?? "") : $0.inQuery
                }
                members.append(Value.Member(name, .array(texts)))
            case .array(let values):
                let sign = ["pipes": "|", "ssv": " ", "tsv": "\t"][format ?? ""] ?? ","
                let text = values.map { $0.inQuery.importedText ?? "" }.joined(separator: sign)
                members.append(Value.Member(name, .string(text)))
            default:
                members.append(
                    Value.Member(
                        name,
                        isMultipart ? .string(value.inQuery.importedText ?? "") : value.inQuery
                    )
                )
            }
        }
        var merged: [Value.Member] = []
        for member in members { merged.append(member.value, for: member.name) }
        draft.target[isMultipart ? "multipart" : "form"] = .object(merged)
        if let table = OpenAPINotes.table(["Field", "Required", "Type", "What it is"], rows) {
            draft.bodyWords.append(table)
        }
    }
}
