import Apus
import Documents
import HTTPTypes
import Secrets
import Workspaces

/// Makes an exported request of a prepared one with marks in it.
struct ExportedRequestBuilder {
    /// What a workspace says of a request.
    struct Source {
        let definition: TargetDefinition
        let target: WorkspaceTarget
        let captures: [Capture]
    }

    let id: String
    let prepared: PreparedRequest
    /// What its workspace says of it; nil for a request that none has.
    let source: Source?
    let reader: ExportMarkReader

    /// The request; `base` is what its URL begins with if a variable stands for that.
    func request(base: String?) -> ExportedRequest {
        var url = reader.text(prepared.url, .url)
        if let base {
            let rest = reader.text(String(prepared.url.dropFirst(base.count)), .url)
            url = ExportText([.variable(reader.baseURL)], .url) + rest
        }
        let body = body()
        let definition = source?.definition
        return ExportedRequest(
            id: reader.words(id),
            name: reader.words(definition?.name ?? TargetID(id).name),
            summary: definition?.summary.map { reader.words($0) },
            note: definition?.note.map { reader.words($0) },
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
            expectations: (source?.target.expectations ?? []).map { expectation in
                reader.secrets.map { $0.expectation(expectation) } ?? expectation
            },
            captures: (source?.captures ?? []).map {
                $0.named(reader.variable(named: $0.name).name)
            },
            settings: settings(),
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
        guard case .bytes = prepared.body, let definition = source?.definition else { return .text }
        if let form = workspace.form(of: definition, in: environment) {
            let fields = form.map { field in
                ExportedRequest.FormField(
                    name: field.name,
                    value: hidden(ExportMarkReader.text(of: field.value), field.name)
                )
            }
            return .form(fields)
        }
        if let graphQL = workspace.graphQL(of: definition, in: environment) {
            let (query, variables) = (graphQL.query, graphQL.variables)
            return .graphQL(
                query: reader.text(reader.secrets?.graphQL(query) ?? query),
                operation: graphQL.operation.map { reader.text($0) },
                variables: variables.map {
                    reader.text((reader.secrets?.value($0) ?? $0).json, .json)
                }
            )
        }
        return workspace.hasJSONBody(definition) ? .json : .text
    }

    private func hidden(_ value: String, _ name: String) -> ExportText {
        reader.text(reader.secrets?.value(value, named: name) ?? value)
    }

    private func settings() -> [ExportedSetting] {
        guard let definition = source?.definition else {
            return ExportedSetting.all(of: prepared.options).map {
                ExportedSetting(key: $0.key, text: reader.words($0.text).inOneLine)
            }
        }
        let written = reader.workspace.writtenSettings(of: definition, in: reader.environment)
        return written.map {
            ExportedSetting(key: $0.key, text: reader.words($0.text).inOneLine)
        }
    }

    /// The authorization that the request has: a target of another origin has none of those that others give it.
    private func authorization() -> ExportedAuthorization {
        let written = source.map {
            reader.workspace.authorization(of: $0.definition, in: reader.environment) ?? .none
        }
        let found = written ?? prepared.options.authorization
        guard isUsed(found) else { return .none }
        return found.mappingSecrets { secret, label in
            reader.hiding(secret, label: ExportVariable.environmentName(of: label).lowercased())
        }
    }

    private func isUsed(_ authorization: ExportedAuthorization) -> Bool {
        let head = prepared.head
        switch authorization {
        case .none: return true
        case .bearer, .basic: return head.headerFields[.authorization] != nil
        case .digest, .ntlm, .negotiate: return prepared.options.credentials != nil
        case .netrc: return prepared.options.usesNetrc
        case .apiKey(.header, let name, _):
            return HTTPField.Name(name).map { head.headerFields[$0] != nil } ?? false
        case .apiKey(.cookie, _, _): return head.headerFields[.cookie] != nil
        case .apiKey(.query, let name, _):
            let query = ImportedURL(prepared.url).pairs
            return query.contains { $0.name == PercentEncoding.component(name) }
        case .oauth2, .aws, .custom: return source?.target.signing != nil
        }
    }
}

extension TransportOptions {
    /// How they answer a server's challenge; what a field says is in the field.
    fileprivate var authorization: ExportedAuthorization {
        guard let credentials = self.credentials else {
            return self.usesNetrc ? .netrc(file: self.netrcFile) : .none
        }
        let (user, password) = (credentials.user, credentials.password.value)
        return switch credentials.scheme {
        case .basic: .none
        case .digest, .any: .digest(user: user, password: password)
        case .ntlm: .ntlm(user: user, password: password)
        case .negotiate: .negotiate
        }
    }
}
