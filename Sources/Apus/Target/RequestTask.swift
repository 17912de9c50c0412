/// What a request carries, and where its answer goes.
public enum RequestTask: Sendable {
    /// No body and no parameters.
    case plain
    /// These bytes as the body; the target names their `Content-Type`.
    case data([UInt8])
    /// A value as a JSON body; `Content-Type: application/json` unless given.
    case json(any Encodable & Sendable)
    /// Parameters in the query or the body, as `encoding` says.
    case parameters([Parameter], encoding: ParameterEncoding)
    /// A body, and parameters in the query beside it.
    indirect case composite(body: RequestTask, query: [Parameter])
    /// The bytes of a file as the body, streamed from disk.
    case uploadFile(path: String)
    /// The answer goes to a file instead of memory.
    indirect case download(to: DownloadDestination, sending: RequestTask)
}
