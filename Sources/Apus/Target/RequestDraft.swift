import FoundationEssentials
import HTTPTypes

/// A request while its parts are put in.
struct RequestDraft {
    let method: HTTPRequest.Method
    var url: RequestURL
    var fields: HTTPFields
    var options: TransportOptions
    var body = PreparedRequest.Body.none
    var destination: DownloadDestination?

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

    /// Puts in what the task carries.
    ///
    /// It is called once, or for each part of a composite task.
    mutating func apply(_ task: RequestTask) throws(ApusError) {
        switch task {
        case .plain: break
        case .data(let bytes): try setBody(.bytes(bytes), type: nil)
        case .json(let value): try setBody(.bytes(Self.encode(value)), type: "application/json")
        case .parameters(let parameters, let encoding): try put(parameters, encoding)
        case .composite(let body, let query):
            try apply(body)
            url.append(query: ParameterEncoding.query.queryText(of: query))
        case .uploadFile(let path):
            try setBody(.file(path: path), type: MediaType.ofFile(named: path))
        case .download(let destination, let task):
            guard self.destination == nil else {
                throw ApusError(
                    .invalidRequest(.combination(detail: "a download inside a download"))
                )
            }
            self.destination = destination
            try apply(task)
        }
    }

    private mutating func put(
        _ parameters: [Parameter],
        _ encoding: ParameterEncoding
    ) throws(ApusError) {
        switch encoding.destination {
        case .query: url.append(query: encoding.queryText(of: parameters))
        case .methodDependent where [.get, .head, .delete].contains(method):
            url.append(query: encoding.queryText(of: parameters))
        case .form, .methodDependent:
            try setBody(
                .bytes(Array(encoding.formText(of: parameters).utf8)),
                type: "application/x-www-form-urlencoded; charset=utf-8"
            )
        case .json:
            try setBody(
                .bytes(ParameterValue.object(parameters).json()),
                type: "application/json"
            )
        }
    }

    private mutating func setBody(
        _ body: PreparedRequest.Body,
        type: String?
    ) throws(ApusError) {
        guard self.body == .none else {
            throw ApusError(.invalidRequest(.combination(detail: "two bodies in one request")))
        }
        self.body = body
        if let type, fields[.contentType] == nil { fields[.contentType] = type }
    }

    private static func encode(_ value: any Encodable) throws(ApusError) -> [UInt8] {
        let encoder = JSONEncoder()
        // Sorted, because a cache key and a diff must not change from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw ApusError(.invalidRequest(.encoding(detail: String(describing: error))))
        }
    }

    var prepared: PreparedRequest {
        PreparedRequest(
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
