public import FoundationEssentials
public import HTTPTypes

/// An answer, from the server or from anywhere else, with what is known of it.
public struct Response: Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var request: PreparedRequest
        var answer: Box<ReceivedAnswer>
        var source: ResponseSource
        var isComplete: Bool
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
        get { answer.value.head }
        set { answer = answer.with { $0.head = newValue } }
    }
    /// The body, decoded (gzip, brotli, zstd) unless the options say otherwise.
    public var body: ResponseBody {
        get { answer.value.body }
        set { answer = answer.with { $0.body = newValue } }
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
        get { answer.value.received }
        set { answer = answer.with { $0.received = newValue } }
    }
    /// What the transfer from the server measured; also kept with cached answers.
    public var metrics: TransferMetrics? {
        get { answer.value.metrics }
        set { answer = answer.with { $0.metrics = newValue } }
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
        self.init(
            request: request,
            answer: Box(
                ReceivedAnswer(head: head, body: body, received: received, metrics: metrics)
            ),
            source: source,
            isComplete: isComplete
        )
    }

    /// Makes a response of an answer that it shares with the cache's entry.
    init(
        request: PreparedRequest,
        answer: Box<ReceivedAnswer>,
        source: ResponseSource,
        isComplete: Bool = true
    ) {
        parts = Box(
            Parts(
                request: request,
                answer: answer,
                source: source,
                isComplete: isComplete
            )
        )
    }

    /// What it has from the server.
    private(set) var answer: Box<ReceivedAnswer> {
        get { parts.value.answer }
        set { parts = parts.with { $0.answer = newValue } }
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
