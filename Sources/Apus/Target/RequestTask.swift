public import FoundationEssentials

/// What a request carries, and where its answer goes.
///
/// What cannot be — two bodies, a form with GET, a body with HEAD or TRACE — is
/// the error `.invalidRequest(.combination)` when the target is resolved, before
/// anything is sent.
public enum RequestTask: Sendable {
    /// No body and no parameters.
    case plain
    /// These bytes as the body, with their `Content-Type`, unless the target
    /// names one; nil for none.
    case data([UInt8], type: String? = nil)
    /// A value as a JSON body with sorted keys; `Content-Type: application/json`
    /// unless given.
    case json(any Encodable & Sendable)
    /// A value, encoded by an encoder of one's own: a `JSONEncoder` with its own
    /// strategies, or any other.
    case encoded(any Encodable & Sendable, with: any BodyEncoder)
    /// Parameters in the query or the body, as `encoding` says.
    case parameters([Parameter], encoding: ParameterEncoding)
    /// A body, and parameters in the query beside it.
    ///
    /// The body may be parameters too, encoded as a form or as JSON. `encoding`
    /// says how the query is written; its destination is the query.
    indirect case composite(
        body: RequestTask,
        query: [Parameter],
        encoding: ParameterEncoding = .query
    )
    /// The bytes of a file as the body, streamed from disk.
    ///
    /// Without a `type` it is told by the file's extension.
    case uploadFile(path: String, type: String? = nil)
    /// Parts of many kinds, as `multipart/form-data` (RFC 7578).
    ///
    /// A query beside it: `.composite(body: .multipart(form), query: …)`.
    case multipart(MultipartForm)
    /// A GraphQL query; the body with POST, the URL's query with GET.
    case graphQL(GraphQLQuery)
    /// The answer goes to a file instead of memory.
    ///
    /// With parameters: `.download(to: file, sending: .parameters(…))`.
    indirect case download(to: DownloadDestination, sending: RequestTask)

    /// Whether bytes of the body are in a file: the key of such a request takes reading it.
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

/// Turns a value into the bytes of a body.
public protocol BodyEncoder: Sendable {
    /// What the bytes are; it becomes the `Content-Type` unless the target names one.
    var mediaType: String { get }

    /// A value as the bytes of a body.
    ///
    /// - Throws: anything; it ends as `.invalidRequest(.encoding)` with the
    ///   error's words.
    func body(of value: some Encodable) throws -> [UInt8]
}

extension JSONEncoder: BodyEncoder {
    /// JSON's type.
    public var mediaType: String { "application/json" }

    /// The value as this encoder writes it.
    ///
    /// Unless `outputFormatting` has `.sortedKeys`, the order of keys changes from
    /// run to run.
    public func body(of value: some Encodable) throws -> [UInt8] { Array(try encode(value)) }
}
