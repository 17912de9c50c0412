import Apus
import HTTPTypes
import Secrets
import Workspaces

/// Makes an exported request of a prepared one with marks in it.
struct ExportedRequestBuilder {
    let definition: TargetDefinition
    let id: String
    let target: WorkspaceTarget
    let prepared: PreparedRequest
    let captures: [Capture]
    let reader: ExportMarkReader

    /// The request; `base` is what its URL begins with if a variable stands for that.
    func request(base: String?) -> ExportedRequest {
        var url = reader.text(prepared.url, .url)
        if let base {
            let rest = reader.text(String(prepared.url.dropFirst(base.count)), .url)
            url = ExportText([.variable(.baseURL)], .url) + rest
        }
        let body = body()
        return ExportedRequest(
            id: id,
            name: definition.name,
            summary: definition.summary,
            note: definition.note,
            method: prepared.head.method.rawValue,
            url: url,
            fields: fields(),
            omittedFields: prepared.options.omittedFields
                .filter { prepared.head.headerFields[$0] == nil }
                .map(\.rawName).sorted(),
            body: body,
            bodyKind: bodyKind(),
            rawParts: rawParts(),
            authorization: authorization(),
            options: prepared.options,
            download: prepared.destination?.path,
            expectations: target.expectations,
            captures: captures,
            reader: reader
        )
    }

    private func fields() -> [ExportedRequest.Field] {
        var boundary: String?
        if case .multipart(let form) = prepared.body { boundary = form.boundary }
        let fields = prepared.head.headerFields
        var hasCookies = false
        return fields.compactMap { field in
            var value = field.value
            if field.name == .cookie {
                guard !hasCookies else { return nil }
                hasCookies = true
                value = fields[.cookie] ?? value
            }
            if let boundary { value = value.replacing(boundary, with: self.boundary) }
            return ExportedRequest.Field(name: field.name.rawName, value: reader.text(value))
        }
    }

    /// The same in each export of the target, so that the same workspace gives the same bytes.
    private var boundary: String {
        // FNV-1a.
        let hash = id.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "apus-" + String(hash, radix: 36)
    }

    private func body() -> ExportedRequest.Body {
        switch prepared.body {
        case .none: return .none
        case .bytes(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { return .bytes(bytes) }
            return .text(reader.text(text, place))
        case .file(let path): return .file(path: path)
        case .stream: return .unknown
        case .multipart(let form):
            return .multipart(form.parts.map(part), boundary: boundary)
        }
    }

    private var place: ExportText.Place {
        if prepared.hasForm { return .url }
        let type = prepared.head.headerFields[.contentType]?.lowercased() ?? ""
        return type.contains("json") ? .json : .plain
    }

    private func part(_ part: MultipartForm.Part) -> ExportedRequest.Part {
        let content: ExportedRequest.Part.Content =
            switch part.content {
            case .bytes(let bytes):
                String(validating: bytes, as: UTF8.self).map { .text(reader.text($0)) }
                    ?? .bytes(bytes)
            case .file(let path): .file(path: path)
            case .stream: .text(ExportText(literal: ""))
            }
        return ExportedRequest.Part(
            name: part.name,
            content: content,
            fileName: part.shownFileName,
            type: part.shownType,
            fields: part.headerFields.map {
                ExportedRequest.Field(name: $0.name.rawName, value: reader.text($0.value))
            }
        )
    }

    private func rawParts() -> [ExportedRequest.RawPart] {
        guard case .multipart(let form) = prepared.body else { return [] }
        return form.pieces().map { piece in
            switch piece {
            case .bytes(let bytes):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    return .bytes(bytes)
                }
                return .text(reader.text(text.replacing(form.boundary, with: boundary)))
            case .file(let path): return .file(path: path)
            case .stream: return .bytes([])
            }
        }
    }

    private func bodyKind() -> ExportedRequest.BodyKind {
        let (workspace, environment) = (reader.workspace, reader.environment)
        // What a name of a credential hides in the body must not stand in its parts.
        guard case .text(let body) = self.body() else { return .text }
        if let form = workspace.form(of: definition, in: environment) {
            let fields = form.map { field in
                ExportedRequest.FormField(
                    name: field.name,
                    value: hidden(ExportMarkReader.text(of: field.value), in: body, field.name)
                )
            }
            return .form(fields)
        }
        if let graphQL = workspace.graphQL(of: definition, in: environment) {
            return .graphQL(
                query: reader.text(graphQL.query),
                operation: graphQL.operation.map { reader.text($0) },
                variables: graphQL.variables.map { reader.text($0.json, .json) }
            )
        }
        return workspace.hasJSONBody(definition) ? .json : .text
    }

    /// A value of a form; a variable if the body has one in the value's place.
    private func hidden(_ value: String, in body: ExportText, _ name: String) -> ExportText {
        let text = reader.text(value)
        guard text.variables.isEmpty, let literal = text.literal, !literal.isEmpty,
            target.mask.masking(value: literal, named: name) != literal
        else { return text }
        return reader.text(reader.hiding(literal, label: "secret"))
    }

    private func authorization() -> ExportedAuthorization {
        let found = reader.workspace.authorization(of: definition, in: reader.environment) ?? .none
        return found.mappingSecrets { secret, label in reader.hiding(secret, label: label) }
    }
}
