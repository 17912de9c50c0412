import Documents
import Workspaces

extension OpenAPIReader {
    /// The responses of an operation with their statuses.
    private func responses(_ operation: OpenAPIObject) -> [(status: String, object: OpenAPIObject)]
    {
        (document.object(operation["responses"])?.members ?? []).compactMap { member in
            guard !member.name.hasPrefix("x-") else { return nil }
            return document.object(member.node).map { (member.name, $0) }
        }
    }

    /// Asks for the media type of the first successful response.
    func addAccept(_ operation: OpenAPIObject, _ draft: inout OpenAPIDraft) {
        guard !draft.headers.contains(where: { $0.name.lowercased() == "accept" }) else { return }
        var types: [String] = []
        if isSwagger {
            types = (operation["produces"]?.list ?? root.list("produces")).compactMap(\.text)
        } else {
            let all = responses(operation)
            let success =
                all.first { $0.status.hasPrefix("2") && $0.object["content"] != nil }
                ?? all.first { $0.status == "default" && $0.object["content"] != nil }
            types = document.object(success?.object["content"])?.members.map(\.name) ?? []
        }
        types = types.map(\.trimmingBlanks).filter {
            !$0.contains("*") && $0.contains("/") && $0 == $0.inOneLine
        }
        let json =
            types.first { $0.lowercased().hasPrefix("application/json") }
            ?? types.first { $0.lowercased().contains("json") }
        guard let type = json ?? types.first else { return }
        draft.headers["Accept"] = .string(ImportNames.literal(type))
    }

    /// What the documented successful responses say about the status, and an example of one as `sample`.
    func addExpectations(_ operation: OpenAPIObject, to target: inout ImportedTarget) {
        let all = responses(operation)
        let success = all.filter { $0.status.hasPrefix("2") }
        // A redirect is followed, and what comes then is not described.
        if !success.isEmpty, !all.contains(where: { $0.status.hasPrefix("3") }) {
            let codes = success.compactMap { Self.status($0.status) }
            if codes.count == success.count {
                let value = codes.count == 1 ? codes[0] : .array(codes)
                target["expect"] = .object([Value.Member("status", value)])
            }
        }
        for (status, response) in success {
            guard let sample = sample(response) else { continue }
            let code = Int(status).flatMap { (200...299).contains($0) ? $0 : nil } ?? 200
            target["sample"] = .object([Value.Member("status", .number(String(code)))] + sample)
            break
        }
    }

    /// The examples of responses but the one that is the sample: the texts for the note.
    func otherResponses(_ operation: OpenAPIObject, besides sample: Value?) -> [String] {
        var shown: Set<String> = []
        if case .object(let members)? = sample {
            shown = [(members["json"] ?? members["body"])?.json ?? ""]
        }
        return responses(operation).flatMap { status, response in
            examples(of: response).compactMap { type, example in
                guard shown.insert(example.value.json).inserted else {
                    return example.summary.map { "The response \(status) is an example: \($0)" }
                }
                return Self.words(for: example, title: "A response with \(status), `\(type)`")
            }
        }
    }

    /// The examples of a response with their media types.
    private func examples(of response: OpenAPIObject) -> [(type: String, example: NamedExample)] {
        if isSwagger {
            return (document.object(response["examples"])?.members ?? []).compactMap { type, node in
                Value(imported: node.json).map { (type, ("", nil, $0)) }
            }
        }
        return (document.object(response["content"])?.members ?? []).flatMap { type, node in
            let media = OpenAPIMedia(type: type, schema: nil, encoding: nil)
            return document.object(node).map { object in
                examples(of: object, for: media).map { (type, $0) }
            } ?? []
        }
    }

    /// Says once that schemas are not kept.
    func addSchemaLoss() {
        let schemas =
            document.object(root["definitions"])
            ?? document.object(document.object(root["components"])?["schemas"])
        let areThere =
            schemas?.members.isEmpty == false
            || operations.contains { operation in
                responses(operation.object).contains { _, response in
                    response["schema"] != nil
                        || (document.object(response["content"])?.members ?? []).contains {
                            document.object($0.node)?["schema"] != nil
                        }
                }
            }
        guard areThere else { return }
        lose([
            ImportLoss(
                "schemas",
                "a workspace expects statuses and values; bodies are made from schemas, and notes name those of responses"
            )
        ])
    }

    private static func status(_ text: String) -> Value? {
        if let code = Int(text), (200...299).contains(code) { return .number(text) }
        return text.lowercased() == "2xx" ? .string("2xx") : nil
    }

    private static let maximumSample = 16 << 10

    private func sample(_ response: OpenAPIObject) -> [Value.Member]? {
        var types = document.object(response["content"])?.members ?? []
        if isSwagger { types = document.object(response["examples"])?.members ?? [] }
        for (type, node) in types {
            var media = OpenAPIMedia(type: type, schema: nil, encoding: nil)
            if isSwagger {
                if let value = Value(imported: node.json) { media.examples = [("", nil, value)] }
            } else if let object = document.object(node) {
                media.examples = examples(of: object, for: media)
            }
            guard let example = media.examples.first?.value,
                example.json.utf8.count <= Self.maximumSample
            else { continue }
            if media.isJSON {
                let isOwn = media.essence != "application/json"
                let fields =
                    isOwn ? [Value.Member("Content-Type", .string(ImportNames.literal(type)))] : []
                let headers = fields.isEmpty ? [] : [Value.Member("headers", .object(fields))]
                return headers + [Value.Member("json", example)]
            }
            guard case .string(let text) = example, !type.contains("*") else { continue }
            let fields = [
                Value.Member(
                    "Content-Type",
                    .string(ImportNames.literal(type.inOneLine.trimmingBlanks))
                )
            ]
            return [Value.Member("headers", .object(fields)), Value.Member("body", .string(text))]
        }
        return nil
    }

    // MARK: the note

    /// What the description says about an operation.
    func note(
        _ operation: OpenAPIObject,
        of item: OpenAPIObject,
        _ name: String,
        _ parameters: [OpenAPIParameter],
        _ left: Set<Int>,
        _ draft: OpenAPIDraft
    ) -> String? {
        var parts: [String] = []
        if operation.flag("deprecated") == true { parts.append("**Deprecated.**") }
        if let summary = operation.words("summary"), summary.inOneLine != name {
            parts.append(summary)
        }
        if let description = operation.words("description") { parts.append(description) }
        for key in ["summary", "description"] {
            guard let words = item.words(key), words.inOneLine != name, !parts.contains(words)
            else {
                continue
            }
            parts.append(words)
        }
        if let link = OpenAPINotes.link(document.object(operation["externalDocs"])) {
            parts.append(link)
        }
        if let id = operation.words("operationId"), id != name {
            parts.append("Operation `\(id)`.")
        }
        if let table = OpenAPINotes.parameters(parameters, left: left) { parts.append(table) }
        parts += draft.bodyWords
        if let fields = fields(of: draft.bodySchema) { parts.append(fields) }
        if let table = responseTable(operation) { parts.append(table) }
        parts += otherResponses(operation, besides: draft.target["sample"])
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }

    private static let maximumFields = 60

    /// The fields of a body that the schema says something about.
    private func fields(of schema: OpenAPISchema?) -> String? {
        guard let schema else { return nil }
        var rows: [[String]] = []
        addFields(schema, "", around: [], to: &rows)
        if rows.count == Self.maximumFields {
            rows.append(["…", "", "", "There are more fields."])
        }
        return OpenAPINotes.table(["Field", "Required", "Type", "What it is"], rows)
    }

    private func addFields(
        _ schema: OpenAPISchema,
        _ path: String,
        around outer: [Set<OpenAPIObject.ID>],
        to rows: inout [[String]]
    ) {
        let ids = Set(schema.ids)
        guard outer.count < 3, outer.allSatisfy({ $0.isDisjoint(with: ids) }) else { return }
        for (name, node) in schema.properties where rows.count < Self.maximumFields {
            guard let property = OpenAPISchema(node, in: document) else { continue }
            let full = path.isEmpty ? name : "\(path).\(name)"
            if property.flag("readOnly") { continue }
            let isRequired = schema.required.contains(name)
            let description = property.object.words("description") ?? ""
            let choices = property["enum"] != nil
            if !description.isEmpty || choices || isRequired {
                let type = OpenAPINotes.type(of: property, in: document)
                let words = property.flag("deprecated") ? "Deprecated. \(description)" : description
                rows.append(["`\(full)`", isRequired ? "yes" : "no", type, words])
            }
            if property.type == "object" {
                addFields(property, full, around: outer + [ids], to: &rows)
            } else if property.type == "array",
                let items = property["items"].flatMap({ OpenAPISchema($0, in: document) })
            {
                addFields(items, "\(full)[]", around: outer + [ids], to: &rows)
            }
        }
    }

    private func responseTable(_ operation: OpenAPIObject) -> String? {
        let rows = responses(operation).map { status, response in
            var words: [String] = []
            if isSwagger {
                if let schema = response["schema"] { words.append(type(of: schema)) }
            } else {
                for (type, node) in document.object(response["content"])?.members ?? [] {
                    let schema = document.object(node)?["schema"]
                    let name = schema.map { self.type(of: $0) } ?? ""
                    words.append(name.isEmpty ? type : "\(type): \(name)")
                }
            }
            let fields = (document.object(response["headers"])?.members ?? []).map { name, node in
                let header = document.object(node)
                guard let about = header?.words("description") else { return "`\(name)`" }
                return "`\(name)` (\(about))"
            }
            if !fields.isEmpty { words.append("fields \(fields.joined(separator: ", "))") }
            return [
                status, response.words("description") ?? response.words("summary") ?? "",
                words.joined(separator: "; "),
            ]
        }
        return OpenAPINotes.table(["Response", "What it means", "Body"], rows)
    }

    private func type(of node: OpenAPINode) -> String {
        OpenAPISchema(node, in: document).map { OpenAPINotes.type(of: $0, in: document) } ?? ""
    }

    // MARK: losses

    /// What an operation has that a target cannot hold.
    func addOperationLosses(_ operation: OpenAPIObject, to target: inout ImportedTarget) {
        for (name, node) in document.object(operation["callbacks"])?.members ?? [] {
            target.losses.append(
                ImportLoss(
                    "a callback",
                    "a workspace has no requests that come from a server",
                    text: "\(name): \(text(of: node))",
                    line: document.line(of: node)
                )
            )
        }
    }

    /// Webhooks, credentials that nothing needs, and references that lead nowhere.
    func addLosses() {
        for key in ["webhooks", "x-webhooks"] {
            for (name, node) in document.object(root[key])?.members ?? [] {
                lose([
                    ImportLoss(
                        "a webhook",
                        "a workspace has no requests that come from a server",
                        text: "\(name): \(text(of: node))",
                        line: document.line(of: node)
                    )
                ])
            }
        }
        let all =
            document.object(root["securityDefinitions"])
            ?? document.object(document.object(root["components"])?["securitySchemes"])
        for (name, node) in all?.members ?? [] where schemes[name] == nil && !name.hasPrefix("x-") {
            lose([
                ImportLoss(
                    "credentials",
                    "no operation says that it needs `\(name)`",
                    text: text(of: node),
                    line: document.line(of: node)
                )
            ])
        }
        addSchemaLoss()
        lose(document.extensionLosses)
        let missing = Set(document.source.missing)
        for (reference, line) in document.broken {
            let isMissing =
                missing.contains { reference.hasPrefix($0) } || ImportSource.isURL(reference)
            let reason = isMissing ? "it was not fetched" : "it leads nowhere"
            lose([ImportLoss("a reference", reason, text: reference, line: line)])
        }
    }

    private static let maximumText = 4 << 10

    /// The text of a part of the description; of a long one, what it says in words.
    private func text(of node: OpenAPINode) -> String {
        let text = node.json.text(.pretty) ?? ""
        guard text.utf8.count > Self.maximumText else { return text }
        var lines: [String] = []
        for (name, node) in document.object(node)?.members ?? [] {
            guard let operation = document.object(node) else { continue }
            let head = [operation.words("summary"), operation.words("operationId")].compactMap(
                \.self
            )
            lines.append("\(name.uppercased()) \(head.joined(separator: ", "))")
            if let description = operation.words("description") { lines.append(description) }
            for parameter in operation.list("parameters").compactMap({ document.object($0) }) {
                let words = [
                    parameter.text("name"), parameter.text("in"), parameter.words("description"),
                ]
                lines.append("- \(words.compactMap(\.self).joined(separator: ", "))")
            }
        }
        let words = lines.joined(separator: "\n")
        return words.isEmpty ? String(text.prefix(Self.maximumText)) + "…" : words
    }
}
