public import FoundationEssentials
public import HTTPTypes

/// An answer, from the server or from anywhere else, with what is known of it.
public struct Response: Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var request: PreparedRequest
        var head: HTTPResponse
        var body: ResponseBody
        var source: ResponseSource
        var isComplete: Bool
        var received: Date
        var metrics: TransferMetrics?
        var decision: CacheDecision?
    }

    // One reference, for it goes through many hands.
    private var parts: Box<Parts>

    /// The request that it answers.
    public var request: PreparedRequest {
        get { parts.value.request }
        set { parts = parts.with { $0.request = newValue } }
    }
    /// The status and header fields, as received.
    public var head: HTTPResponse {
        get { parts.value.head }
        set { parts = parts.with { $0.head = newValue } }
    }
    /// The body, decoded (gzip, brotli, zstd) unless the options say otherwise.
    public var body: ResponseBody {
        get { parts.value.body }
        set { parts = parts.with { $0.body = newValue } }
    }
    /// Where it came from.
    public var source: ResponseSource {
        get { parts.value.source }
        set { parts = parts.with { $0.source = newValue } }
    }
    /// False if the connection was cut before the end of the body.
    public var isComplete: Bool {
        get { parts.value.isComplete }
        set { parts = parts.with { $0.isComplete = newValue } }
    }
    /// When its last byte was received from the server.
    public var received: Date {
        get { parts.value.received }
        set { parts = parts.with { $0.received = newValue } }
    }
    /// What the transfer from the server measured; also kept with cached answers.
    public var metrics: TransferMetrics? {
        get { parts.value.metrics }
        set { parts = parts.with { $0.metrics = newValue } }
    }
    /// Why the cache answered, or asked the server; nil without `CachePolicy.http`.
    public var decision: CacheDecision? {
        get { parts.value.decision }
        set { parts = parts.with { $0.decision = newValue } }
    }

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
        parts = Box(
            Parts(
                request: request,
                head: head,
                body: body,
                source: source,
                isComplete: isComplete,
                received: received,
                metrics: metrics
            )
        )
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
