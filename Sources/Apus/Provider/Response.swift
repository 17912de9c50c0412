public import FoundationEssentials
public import HTTPTypes

/// An answer, from the server or from anywhere else, with what is known of it.
public struct Response: Sendable, Hashable {
    /// The request that it answers.
    public var request: PreparedRequest
    /// The status and header fields, as received.
    public var head: HTTPResponse
    /// The body, decoded (gzip, brotli, zstd) unless the options say otherwise.
    public var body: ResponseBody
    /// Where it came from.
    public var source: ResponseSource
    /// False if the connection was cut before the end of the body.
    public var isComplete: Bool
    /// When its last byte was received from the server.
    public var received: Date
    /// What the transfer from the server measured; also kept with cached answers.
    public var metrics: TransferMetrics?
    /// Why the cache answered, or asked the server; nil without `CachePolicy.http`.
    public var decision: CacheDecision?

    /// Makes a response.
    public init(
        request: PreparedRequest,
        head: HTTPResponse,
        body: ResponseBody,
        source: ResponseSource,
        isComplete: Bool = true,
        received: Date,
        metrics: TransferMetrics? = nil
    ) {
        self.request = request
        self.head = head
        self.body = body
        self.source = source
        self.isComplete = isComplete
        self.received = received
        self.metrics = metrics
    }

    /// The status code, 100 to 999.
    public var status: Int { head.status.code }

    /// The media type without parameters, in lower case; nil if not given.
    public var mediaType: String? {
        head.headerFields[.contentType]?
            .prefix { $0 != ";" }
            .trimmingPrefix { $0 == " " }
            .split(separator: " ").first?
            .lowercased()
    }
}
