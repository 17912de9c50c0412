public import HTTPTypes

/// A request as it goes on the wire: everything is decided.
public struct PreparedRequest: Sendable, Hashable {
    /// What the body is made of.
    public enum Body: Sendable, Hashable {
        /// No body.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// A file's bytes, read while they are sent.
        case file(path: String)
        /// Parts, put together while they are sent.
        case multipart(MultipartForm)
    }

    /// Method, scheme, authority, path with query, and header fields.
    public var head: HTTPRequest
    /// The body.
    public var body: Body
    /// How it travels.
    public var options: TransportOptions
    /// The file that the answer's body goes to, if it does.
    public var destination: DownloadDestination?

    /// Makes a request.
    public init(
        head: HTTPRequest,
        body: Body = .none,
        options: TransportOptions = TransportOptions(),
        destination: DownloadDestination? = nil
    ) {
        self.head = head
        self.body = body
        self.options = options
        self.destination = destination
    }

    /// The absolute URL, without a fragment.
    public var url: String {
        "\(head.scheme ?? "http")://\(head.authority ?? "")\(head.path ?? "/")"
    }
}
