import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Workspaces

/// A program's own target in one of the explorer's environments, with the edits of a draft.
///
/// Plugins see the wrapped target.
struct ProgramTarget: TargetWrapper {
    let wrapped: any TargetType
    private(set) var environment: TargetEnvironment?
    /// The edits of a draft; nil if there is none.
    private(set) var edits: Edits?

    struct Edits {
        var method: HTTPRequest.Method
        var path: String
        var headerFields: HTTPFields
        var task: RequestTask
        var credentials: ServerCredentials?
    }

    init(_ target: any TargetType, in environment: TargetEnvironment?) {
        wrapped = target
        self.environment = environment ?? target.environment
    }

    var path: String { edits?.path ?? wrapped.path }
    var method: HTTPRequest.Method { edits?.method ?? wrapped.method }
    var headerFields: HTTPFields { edits?.headerFields ?? wrapped.headerFields }
    var task: RequestTask { edits?.task ?? wrapped.task }
    var options: TransportOptions {
        guard let credentials = edits?.credentials else { return wrapped.options }
        return wrapped.options.with { $0.credentials = credentials }
    }
    var envelope: ResponseEnvelope? { wrapped.envelope ?? environment?.envelope }
}

extension ProgramTarget {
    /// The target with a draft's edits.
    init(_ draft: TargetDraft, of target: ProgramTarget) throws(CatalogError) {
        let written = try TargetDraftSource(target)
        guard let method = HTTPRequest.Method(draft.method) else {
            throw CatalogError("\"\(draft.method)\" is not a method")
        }
        var environment = target.environment
        environment?.keep(draft, of: written)
        var fields = try draft.ownFields(beside: written)
        if draft.body.key != written.draft.body.key, let type = written.type,
            fields[.contentType] == type
        {
            fields[.contentType] = nil
        }
        let edits = Edits(
            method: method,
            path: draft.path(beside: written),
            headerFields: fields,
            task: try draft.task(beside: written),
            credentials: draft.credentials
        )
        self.init(target.wrapped, in: environment, edits)
    }

    private init(_ target: any TargetType, in environment: TargetEnvironment?, _ edits: Edits) {
        wrapped = target
        self.environment = environment
        self.edits = edits
    }
}

/// A program's request, taken apart as a draft.
struct TargetDraftSource {
    let draft: TargetDraft
    /// The request before plugins.
    fileprivate let request: PreparedRequest
    fileprivate let target: ProgramTarget
    /// The target's own query, as sent.
    private(set) var query = ""
    /// The query with inherited parameters.
    private(set) var wholeQuery = ""
    /// The request's content type.
    fileprivate var type: String? { request.head.headerFields[.contentType] }

    /// Throws if the target cannot be resolved.
    init(_ target: ProgramTarget) throws(CatalogError) {
        self.target = target
        let own: PreparedRequest
        do throws(ApusError) {
            request = try Endpoint(target).request
            own = try Endpoint(target.withoutShared).request
        } catch {
            throw CatalogError(error.message.title)
        }
        let url = Self.url(of: target.path)
        let base = Self.query(
            of: (target.environment?.effectiveBaseURL ?? target.baseURL).absoluteString
        )
        var rest = Self.query(of: own.head.path ?? "")
        var whole = Self.query(of: request.head.path ?? "")
        if !base.isEmpty, rest.hasPrefix(base), !url.isEmpty, !url.contains("://") {
            rest = String(rest.dropFirst(base.count).drop { $0 == "&" })
            whole = String(whole.dropFirst(base.count).drop { $0 == "&" })
        }
        (query, wholeQuery) = (rest, whole)
        var draft = TargetDraft(
            method: target.method.rawValue,
            url: url.isEmpty ? own.url.prefixOfPath : url,
            query: Self.rows(of: rest)
        )
        draft.inheritQuery(of: request, beside: own, from: target.environment)
        draft.addHeaders(of: request, beside: own, of: target)
        draft.body = Self.body(of: request)
        self.draft = draft
    }

    /// The target's path without its query.
    fileprivate static func url(of path: String) -> String {
        String(path.prefix { $0 != "?" && $0 != "#" })
    }

    fileprivate static func query(of url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return "" }
        return String(url[url.index(after: mark)...].prefix { $0 != "#" })
    }

    fileprivate static func rows(of query: String) -> [TargetDraft.Row] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? PercentEncoding.decodedForm(parts[1]) : ""
            return TargetDraft.Row(PercentEncoding.decodedForm(parts[0]), value)
        }
    }

    fileprivate static func authorization(_ value: String) -> TargetDraft.Authorization? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].asciiLowercased {
        case "bearer": return .bearer(String(parts[1]))
        case "basic":
            guard let data = Data(base64Encoded: String(parts[1])),
                let text = String(validating: data, as: UTF8.self),
                let colon = text.firstIndex(of: ":")
            else { return nil }
            let password = text[text.index(after: colon)...]
            return .basic(user: String(text[..<colon]), password: String(password))
        default: return nil
        }
    }

    private static func body(of request: PreparedRequest) -> TargetDraft.Body {
        switch request.body {
        case .none: return .none
        case .file(let path): return .file(path)
        case .multipart: return .text("(a multipart form, built by the program)")
        case .stream: return .text("(a stream, built by the program)")
        case .bytes(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return .text("(\(bytes.count) bytes of binary data)")
            }
            let type = request.head.headerFields[.contentType]?.asciiLowercased ?? ""
            if type.hasPrefix("application/x-www-form-urlencoded") { return .form(rows(of: text)) }
            return type.contains("json") ? .json(text) : .text(text)
        }
    }

    /// Whether the draft has a remark in place of the body.
    fileprivate var hasOpaqueBody: Bool {
        switch request.body {
        case .none, .file: false
        case .multipart, .stream: true
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self) == nil
        }
    }

    /// The unchanged body as a task.
    fileprivate var unchangedBody: RequestTask {
        get throws(CatalogError) {
            switch request.body {
            case .none: .plain
            case .bytes(let bytes): .data(bytes)
            case .file(let path): .uploadFile(path: path)
            case .multipart(let form): .multipart(form)
            case .stream:
                throw CatalogError(
                    "the program streams this body, so the request cannot be edited here"
                )
            }
        }
    }

    /// The task; if the target downloads to a file, it does so too.
    fileprivate func sending(_ task: RequestTask) -> RequestTask {
        request.destination.map { .download(to: $0, sending: task) } ?? task
    }
}

extension ProgramTarget {
    /// The target without the fields and parameters of its environment.
    fileprivate var withoutShared: ProgramTarget {
        var target = self
        target.environment?.headerFields = [:]
        target.environment?.parameters = []
        return target
    }
}

extension MultipartForm.Part {
    /// The part that a row of a draft stands for.
    fileprivate init(_ row: TargetDraft.Row) {
        switch row.part {
        case .text(let text): self = .text(row.name, text)
        case .file(let path, let type): self = .file(row.name, path: path, type: type)
        }
    }
}

extension String {
    /// A URL up to its query.
    fileprivate var prefixOfPath: String { String(prefix { $0 != "?" }) }

    fileprivate func appending(query: String) -> String {
        query.isEmpty ? self : "\(self)\(contains("?") ? "&" : "?")\(query)"
    }
}

extension TargetEnvironment {
    /// What a draft's inherited rows name as their source.
    fileprivate var draftSource: String { "environment \(name)" }

    /// Keeps only what a draft still inherits.
    fileprivate mutating func keep(_ draft: TargetDraft, of written: TargetDraftSource) {
        func isInherited(_ name: String, in rows: [TargetDraft.Row], _ old: [TargetDraft.Row])
            -> Bool
        {
            rows.contains { row in
                row.name.asciiLowercased == name.asciiLowercased && row.inheritedFrom != nil
                    && old.contains(row)
            }
        }
        headerFields = headerFields.filter {
            isInherited($0.name.rawName, in: draft.headers, written.draft.headers)
        }
        parameters.items.removeAll {
            draft.query == written.draft.query
                || !isInherited($0.name, in: draft.query, written.draft.query)
        }
    }
}

extension HTTPFields {
    fileprivate func filter(_ isKept: (HTTPField) -> Bool) -> HTTPFields {
        var kept = HTTPFields()
        for field in self where isKept(field) { kept.append(field) }
        return kept
    }
}

/// The parts of a program's request, some of which its environment adds.
extension TargetDraft {
    /// Puts the parameters that only the environment sets before the target's own.
    fileprivate mutating func inheritQuery(
        of request: PreparedRequest,
        beside own: PreparedRequest,
        from environment: TargetEnvironment?
    ) {
        let all = TargetDraftSource.rows(of: TargetDraftSource.query(of: request.head.path ?? ""))
        let ownRows = TargetDraftSource.rows(of: TargetDraftSource.query(of: own.head.path ?? ""))
        guard let environment, all.count > ownRows.count else { return }
        let names = Set(environment.parameters.items.map(\.name))
        let ownNames = Set(query.map(\.name))
        let shared = all.filter { names.contains($0.name) && !ownNames.contains($0.name) }
        query =
            shared.map { Row($0.name, $0.value, inheritedFrom: environment.draftSource) } + query
    }

    /// Adds the header fields, those that the environment sets first, and credentials that can be edited as such.
    fileprivate mutating func addHeaders(
        of request: PreparedRequest,
        beside own: PreparedRequest,
        of target: ProgramTarget
    ) {
        for field in request.head.headerFields {
            // It names the boundary, which may differ each time.
            if case .multipart = request.body, field.name == .contentType,
                target.headerFields[.contentType] == nil
            {
                continue
            }
            let isOwn = own.head.headerFields.contains { $0.name == field.name }
            if isOwn, field.name == .authorization,
                let known = TargetDraftSource.authorization(field.value)
            {
                authorization = known
                continue
            }
            let source = isOwn ? nil : target.environment?.draftSource
            let row = Row(field.name.rawName, field.value, inheritedFrom: source)
            headers.insert(row, at: isOwn ? headers.count : 0)
        }
    }
}

extension TargetDraft {
    /// The rows that the draft sets itself, rather than inheriting them unchanged.
    private func own(_ rows: [Row], _ old: [Row]) -> [Row] {
        rows.filter { $0.value != nil && !($0.inheritedFrom != nil && old.contains($0)) }
    }

    fileprivate func ownFields(beside written: TargetDraftSource) throws(CatalogError)
        -> HTTPFields
    {
        var fields = HTTPFields()
        for row in own(headers, written.draft.headers) {
            guard let name = HTTPField.Name(row.name) else {
                throw CatalogError("\"\(row.name)\" is not the name of a header field")
            }
            fields.append(HTTPField(name: name, value: row.value ?? ""))
        }
        switch authorization {
        case .inherited, .digest, .other: break
        case .none:
            guard written.draft.authorization != .inherited else {
                throw CatalogError(
                    "a plugin may add credentials, which cannot be removed here"
                )
            }
        case .bearer(let token): fields[.authorization] = "Bearer \(token)"
        case .basic(let user, let password):
            let text = Data("\(user):\(password)".utf8).base64EncodedString()
            fields[.authorization] = "Basic \(text)"
        }
        return fields
    }

    /// Credentials for a server's challenge.
    fileprivate var credentials: ServerCredentials? {
        guard case .digest(let user, let password) = authorization else { return nil }
        return ServerCredentials(.digest, user: user, password: Secret(password))
    }

    /// The path with the query; an unedited query stays exactly as it was written.
    fileprivate func path(beside written: TargetDraftSource) -> String {
        let old = written.draft
        let path = url == old.url ? TargetDraftSource.url(of: written.target.path) : url
        // Includes inherited parameters, in the same order.
        if query == old.query { return path.appending(query: written.wholeQuery) }
        let rows = own(query, old.query)
        let text =
            rows == own(old.query, old.query)
            ? written.query
            : rows.map { row in
                let name = PercentEncoding.component(row.name)
                return "\(name)=\(PercentEncoding.component(row.value ?? ""))"
            }
            .joined(separator: "&")
        return path.appending(query: text)
    }

    fileprivate func task(beside written: TargetDraftSource) throws(CatalogError) -> RequestTask {
        guard body != written.draft.body else {
            return written.sending(try written.unchangedBody)
        }
        guard !written.hasOpaqueBody else {
            throw CatalogError("the program builds this body, so it cannot be edited here")
        }
        return written.sending(editedBody())
    }

    private func editedBody() -> RequestTask {
        switch body {
        case .none: return .plain
        case .text(let text): return .data(Array(text.utf8), type: "text/plain; charset=utf-8")
        case .json(let text): return .data(Array(text.utf8), type: "application/json")
        case .form(let rows):
            return .data(
                Array(PercentEncoding.formText(rows.map { ($0.name, $0.value ?? "") }).utf8),
                type: "application/x-www-form-urlencoded; charset=utf-8"
            )
        case .graphQL(let query, let variables, let operation):
            var members = ["\"query\":\(JSON(query).text() ?? "")"]
            if !variables.isEmpty { members.append("\"variables\":\(variables)") }
            if !operation.isEmpty {
                members.append("\"operationName\":\(JSON(operation).text() ?? "")")
            }
            return .data(
                Array("{\(members.joined(separator: ","))}".utf8),
                type: "application/json"
            )
        case .multipart(let rows):
            return .multipart(MultipartForm(rows.map { MultipartForm.Part($0) }))
        case .file(let path): return .uploadFile(path: path)
        }
    }
}
