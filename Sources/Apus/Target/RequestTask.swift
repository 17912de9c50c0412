public import FoundationEssentials

/// What a request carries, and where the body of its response goes.
///
/// Impossible combinations, such as two bodies, a form with GET, or a body with HEAD or TRACE, are the error
/// `.invalidRequest(.combination)` when the target is resolved, before anything is sent.
public enum RequestTask: Sendable {
    /// No body and no parameters.
    case plain
    /// These bytes as the body. `type` is their `Content-Type` unless the target sets one; nil for none.
    case data([UInt8], type: String? = nil)
    /// A value as a JSON body with sorted keys; its `Content-Type` is `application/json` unless the target
    /// sets one.
    case json(any Encodable & Sendable)
    /// A value that is encoded by an encoder of your own: a `JSONEncoder` with its own strategies, or any
    /// other.
    case encoded(any Encodable & Sendable, with: any BodyEncoder)
    /// Parameters in the query or the body, as `encoding` says: `.parameters(["q": "swift"], encoding: .query)`.
    case parameters(ParameterList, encoding: ParameterEncoding)
    /// A body, and parameters in the query.
    ///
    /// The body may be parameters too, encoded as a form or as JSON. `encoding` says how the query is
    /// written; its destination must be the query or depend on the method.
    indirect case composite(
        body: RequestTask,
        query: ParameterList,
        encoding: ParameterEncoding = .query
    )
    /// The bytes of a file as the body, streamed from disk.
    ///
    /// Without a `type`, the file's extension decides.
    case uploadFile(path: String, type: String? = nil)
    /// Parts of many kinds, as `multipart/form-data` (RFC 7578).
    ///
    /// To add a query: `.composite(body: .multipart(form), query: …)`.
    case multipart(MultipartForm)
    /// A GraphQL query: in the URL's query with GET, in the body with other methods.
    case graphQL(GraphQLQuery)
    /// The body of the response goes to a file instead of memory.
    ///
    /// With parameters: `.download(to: file, sending: .parameters(…))`.
    indirect case download(to: DownloadDestination, sending: RequestTask)

    /// Whether bytes of the body are in a file, which must be read to compute the request's cache key.
    package var sendsFile: Bool {
        switch self {
        case .plain, .data, .json, .encoded, .parameters, .graphQL: false
        case .uploadFile: true
        case .multipart(let form): form.hasFile
        case .composite(let body, _, _): body.sendsFile
        case .download(_, let task): task.sendsFile
        }
    }
}

/// Encodes values as the bytes of a body.
public protocol BodyEncoder: Sendable {
    /// The media type of the bytes; it becomes the `Content-Type` unless the target sets one.
    var mediaType: String { get }

    /// Encodes a value as the bytes of a body.
    ///
    /// - Throws: any error; it is reported as `.invalidRequest(.encoding)` with the error's text.
    func body(of value: some Encodable) throws -> [UInt8]
}

extension JSONEncoder: BodyEncoder {
    /// `application/json`.
    public var mediaType: String { "application/json" }

    /// Encodes a value as this encoder is configured.
    ///
    /// Unless `outputFormatting` has `.sortedKeys`, the order of keys changes from run to run.
    public func body(of value: some Encodable) throws -> [UInt8] { Array(try encode(value)) }
}
