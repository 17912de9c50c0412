import Documents
import FoundationEssentials
public import HTTPTypes
import Secrets

/// A resolved target: its URL is complete, and its task has become a body.
public struct Endpoint: Sendable {
    /// The request to send.
    public var request: PreparedRequest
    /// Which responses are accepted.
    public var validation: Validation
    /// Where responses are cached.
    public var cachePolicy: CachePolicy

    /// Resolves a target.
    ///
    /// - Parameters:
    ///   - target: the target to resolve.
    ///   - task: what the request carries; nil for the target's own task.
    ///   - defaults: header fields that are added if neither the target nor its environment has a field of
    ///     the name.
    /// - Throws: `ApusError` with the reason `.invalidRequest`; nothing has been sent then.
    public init(
        _ target: some TargetType,
        task: RequestTask? = nil,
        defaults: HTTPFields = [:]
    ) throws(ApusError) {
        let environment = target.environment
        let base = environment?.effectiveBaseURL ?? target.baseURL
        let url = try RequestURL(base: base.absoluteString, appending: target.path)
        let fields = target.headerFields
        try fields.check()
        var draft = RequestDraft(
            method: target.method,
            url: url,
            fields: fields,
            options: target.options
        )
        let isAbsolute = RequestURL.isAbsolute(target.path)
        let isElsewhere = isAbsolute && !URLOrigin.isSame(base.absoluteString, target.path)
        if isElsewhere { draft.options.isElsewhere = true }
        // Without a base, there is no origin that the environment's credentials belong to.
        let hasLeft = isElsewhere && (try? RequestURL(absolute: base.absoluteString)) != nil
        if let environment { draft.adopt(environment, withoutCredentials: hasLeft) }
        if let cdn = target.cdn, !isAbsolute {
            let base = CDNBase(
                try RequestURL(absolute: cdn.absoluteString),
                standingFor: try RequestURL(absolute: base.absoluteString)
            )
            draft.options.cdn = base
        }
        try draft.complete(with: task ?? target.task)
        try draft.checkFraming()
        // After the task, because the type of a body comes before a type that all requests share.
        if let environment {
            try draft.adopt(environment.headerFields, withoutCredentials: hasLeft)
        }
        try draft.adopt(defaults, withoutCredentials: hasLeft)
        validation = target.validation
        request = draft.prepared(accepting: validation)
        cachePolicy = target.cachePolicy
    }
}

extension RequestDraft {
    /// Adds the environment's parameters, and its timeout and cookie jar unless the target has its own.
    fileprivate mutating func adopt(
        _ environment: TargetEnvironment,
        withoutCredentials isOpen: Bool
    ) {
        shared = environment.parameters
        if isOpen { shared.items.removeAll { SecretFields.contains(parameter: $0.name) } }
        if let timeout = environment.timeout, options.timeout == TransportOptions.defaultTimeout {
            options.timeout = timeout
        }
        if let jar = environment.cookieJar, options.cookieJar == nil { options.cookieJar = jar }
    }
}

extension RequestDraft {
    /// Adds the header fields that the request does not have yet.
    fileprivate mutating func adopt(
        _ defaults: HTTPFields,
        withoutCredentials isOpen: Bool
    ) throws(ApusError) {
        guard !defaults.isEmpty else { return }
        try defaults.check()
        guard isOpen || !fields.isEmpty || !options.omittedFields.isEmpty else {
            fields = defaults
            return
        }
        let own = Set(fields.map(\.name)).union(options.omittedFields)
        fields.append(
            contentsOf: defaults.filter { field in
                !own.contains(field.name) && !(isOpen && SecretFields.contains(field.name))
            }
        )
        try fields.check()
    }
}

/// A request under construction.
struct RequestDraft {
    let method: HTTPRequest.Method
    var url: RequestURL
    var fields: HTTPFields
    var options: TransportOptions
    /// The environment's parameters, until they are placed.
    var shared = ParameterList()
    private(set) var body = PreparedRequest.Body.none
    private(set) var destination: DownloadDestination?

    init(
        method: HTTPRequest.Method,
        url: RequestURL,
        fields: HTTPFields,
        options: TransportOptions
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.options = options
    }

    /// Adds what the task carries, and checks that it can be sent.
    mutating func complete(with task: RequestTask) throws(ApusError) {
        try apply(task)
        addQuery([], .query)
        guard body == .none || ![.head, .trace].contains(method) else {
            throw Self.refusal("a \(method.rawValue) request with a body")
        }
    }

    private mutating func apply(_ task: RequestTask) throws(ApusError) {
        switch task {
        case .plain: break
        case .data(let bytes, let type): setBody(.bytes(bytes), type: type)
        case .json(let value): try setBody(value, Self.sortingEncoder)
        case .encoded(let value, let encoder): try setBody(value, encoder)
        case .parameters(let parameters, let encoding): try put(parameters.items, encoding)
        case .composite(let body, let query, let encoding): try put(body, query.items, encoding)
        case .uploadFile(let path, let type):
            setBody(.file(path: path), type: type ?? MediaType.ofFile(named: path))
        case .multipart(let form): try put(form)
        case .graphQL(let query): try put(query)
        case .download(let destination, let task):
            guard self.destination == nil else {
                throw Self.refusal("a download inside a download")
            }
            self.destination = destination
            try apply(task)
        }
    }

    // MARK: parameters

    private mutating func put(
        _ parameters: [Parameter],
        _ encoding: ParameterEncoding
    ) throws(ApusError) {
        let place = place(of: encoding)
        guard place != .query else { return addQuery(parameters, encoding) }
        let parameters = takeShared(under: parameters)
        switch place {
        case .json:
            try setBody(
                .bytes(ParameterValue.object(parameters).json(encoding)),
                type: "application/json"
            )
        case .form, .query, .methodDependent, .methodDependentJSON:
            setBody(
                .bytes(Array(encoding.formText(of: parameters).utf8)),
                type: "application/x-www-form-urlencoded; charset=utf-8"
            )
        }
    }

    /// Resolves a destination that depends on the method.
    private func place(of encoding: ParameterEncoding) -> ParameterEncoding.Destination {
        switch encoding.destination {
        case .query, .form, .json: encoding.destination
        case .methodDependent: [.get, .head, .delete].contains(method) ? .query : .form
        case .methodDependentJSON:
            [.get, .head, .delete, .options, .trace].contains(method) ? .query : .json
        }
    }

    private mutating func addQuery(_ parameters: [Parameter], _ encoding: ParameterEncoding) {
        let parameters = takeShared(under: parameters)
        guard !parameters.isEmpty else { return }
        url.append(query: encoding.queryText(of: parameters))
    }

    /// Merges the environment's parameters, once, into the first parameters of the task.
    private mutating func takeShared(under parameters: [Parameter]) -> [Parameter] {
        guard !shared.isEmpty else { return parameters }
        defer { shared = [] }
        return ParameterList(parameters).overriding(shared).items
    }

    private mutating func put(
        _ body: RequestTask,
        _ query: [Parameter],
        _ encoding: ParameterEncoding
    ) throws(ApusError) {
        guard [.query, .methodDependent, .methodDependentJSON].contains(encoding.destination) else {
            throw Self.refusal("the query of a composite, encoded as a body")
        }
        switch body {
        case .composite: throw Self.refusal("a composite inside a composite")
        case .download: throw Self.refusal("a download inside a composite")
        case .parameters(_, let encoding) where place(of: encoding) == .query:
            throw Self.refusal("the body of a composite, encoded as a query")
        // The body's parameters come first, so that the environment's are merged into them.
        case .parameters:
            try apply(body)
            addQuery(query, encoding)
        default:
            addQuery(query, encoding)
            try apply(body)
        }
    }

    // MARK: bodies

    private mutating func put(_ form: MultipartForm) throws(ApusError) {
        guard ![.get, .head, .trace].contains(method) else {
            throw Self.refusal("a multipart form with \(method.rawValue)")
        }
        try form.check()
        // Adds the boundary, which a type that the target sets cannot know.
        if fields[.contentType] != nil || !options.omittedFields.contains(.contentType) {
            fields[.contentType] = form.contentType(under: fields[.contentType])
        }
        body = .multipart(form)
    }

    private mutating func put(_ query: GraphQLQuery) throws(ApusError) {
        try query.check()
        if fields[.accept] == nil, !options.omittedFields.contains(.accept) {
            fields[.accept] = "application/graphql-response+json, application/json;q=0.9"
        }
        guard method != .get else { return addQuery(try query.pairs(), .query) }
        try setBody(
            .bytes(ParameterValue.object(query.members).json()),
            type: "application/json"
        )
    }

    private mutating func setBody(
        _ value: any Encodable & Sendable,
        _ encoder: any BodyEncoder
    ) throws(ApusError) {
        do {
            setBody(.bytes(try encoder.body(of: value)), type: encoder.mediaType)
        } catch {
            throw ApusError(.invalidRequest(.encoding(detail: String(describing: error))))
        }
    }

    private mutating func setBody(_ body: PreparedRequest.Body, type: String?) {
        self.body = body
        guard let type, fields[.contentType] == nil,
            !options.omittedFields.contains(.contentType)
        else { return }
        fields[.contentType] = type
    }

    // MARK: framing

    /// Refuses fields that contradict the body or each other.
    ///
    /// The transport frames the body by itself. It would have to ignore such a field, or the server would wait
    /// for bytes that never come, or read the next request as a body (RFC 9112, section 6.3).
    fileprivate func checkFraming() throws(ApusError) {
        guard !fields.isEmpty || !options.omittedFields.isEmpty else { return }
        if let host = HTTPField.Name("Host"), fields[values: host].count > 1 {
            throw Self.refusedField("Host is given \(fields[values: host].count) times")
        }
        let lengths = fields[values: .contentLength]
        let codings = fields[values: .transferEncoding]
        if !lengths.isEmpty, !codings.isEmpty {
            throw Self.refusedField("Content-Length and Transfer-Encoding exclude each other")
        }
        if !lengths.isEmpty { try check(lengths) }
        if !codings.isEmpty { try check(codings: codings) }
        let left = [HTTPField.Name.contentLength, .transferEncoding]
            .first { options.omittedFields.contains($0) }
        if let left, body != .none {
            throw Self.refusedField("a body needs a length or chunks: \(left) cannot be left out")
        }
    }

    private func check(_ lengths: [String]) throws(ApusError) {
        guard lengths.count == 1 else {
            throw Self.refusedField("Content-Length is given \(lengths.count) times")
        }
        // A file that is missing is reported when it is sent.
        guard let count = try? UploadSource(body).count, count >= 0, lengths[0] != "\(count)" else {
            return
        }
        throw Self.refusedField(
            body == .none && lengths[0] != "0"
                ? "Content-Length is \(lengths[0]), but there is no body"
                : "Content-Length is \(lengths[0]), but the body has \(count) bytes"
        )
    }

    private func check(codings: [String]) throws(ApusError) {
        guard codings.count == 1, codings[0].asciiLowercased == "chunked" else {
            throw Self.refusedField(
                "Transfer-Encoding: \(codings.joined(separator: ", ")): only `chunked` can be sent"
            )
        }
        guard body != .none else {
            throw Self.refusedField("Transfer-Encoding is given, but there is no body")
        }
    }

    private static func refusedField(_ detail: String) -> ApusError {
        ApusError(.invalidRequest(.fields(detail: detail)))
    }

    /// Sorts keys, because cache keys and diffs must not change from run to run.
    private static var sortingEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private static func refusal(_ detail: String) -> ApusError {
        ApusError(.invalidRequest(.combination(detail: detail)))
    }

    func prepared(accepting validation: Validation) -> PreparedRequest {
        var destination = destination
        destination?.validation = validation
        return PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: url.scheme,
                authority: url.authority,
                path: url.requestTarget,
                headerFields: fields
            ),
            body: body,
            options: options,
            destination: destination
        )
    }
}
