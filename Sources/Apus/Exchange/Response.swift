// Cached answers keep their real status; where they came from is `source`, never a made-up status.

public import FoundationEssentials
public import HTTPTypes

/// An answer, from the server or from anywhere else, with what is known of it.
public struct Response: Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var request: PreparedRequest
        var answer: CopyOnWriteBox<ResponseParts>
        var source: ResponseSource
        var isComplete: Bool
        var decision: CacheDecision?
        var serverFailure: ApusError?
    }

    // One reference, for it goes through many hands.
    private var parts: CopyOnWriteBox<Parts>

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
    /// Whether its framing, and not only the end of the connection, says that it is whole.
    var isSurelyWhole: Bool { isComplete && metrics?.endedWithConnection != true }
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

    /// Why the server's answer did not come after this one, which is the cache's; nil if it was not
    /// asked, or did answer.
    public internal(set) var serverFailure: ApusError? {
        get { parts.value.serverFailure }
        set { parts = parts.with { $0.serverFailure = newValue } }
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
            answer: CopyOnWriteBox(
                ResponseParts(head: head, body: body, received: received, metrics: metrics)
            ),
            source: source,
            isComplete: isComplete
        )
    }

    /// Makes a response of an answer that it shares with the cache's entry.
    init(
        request: PreparedRequest,
        answer: CopyOnWriteBox<ResponseParts>,
        source: ResponseSource,
        isComplete: Bool = true
    ) {
        parts = CopyOnWriteBox(
            Parts(
                request: request,
                answer: answer,
                source: source,
                isComplete: isComplete
            )
        )
    }

    /// What it has from the server.
    private(set) var answer: CopyOnWriteBox<ResponseParts> {
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

/// Where an answer came from.
public enum ResponseSource: Sendable, Hashable {
    /// The server, just now.
    case server
    /// The cache in this process's memory.
    case memory(CacheHit)
    /// The cache on disk.
    case disk(CacheHit)
    /// The cache itself: a 504, because the request says `only-if-cached` and the cache has
    /// nothing that it may serve.
    case gateway
    /// A stub.
    case stub
    /// A recorded session.
    case replay
    /// A plugin, which made it of a failure; the original answer, if there was
    /// one, is in the error.
    indirect case synthetic(ApusError)

    /// What the cache knew of the entry, if it came from there.
    public var cacheHit: CacheHit? {
        switch self {
        case .memory(let hit), .disk(let hit): hit
        case .server, .gateway, .stub, .replay, .synthetic: nil
        }
    }
}

/// What a response has from the server.
///
/// The cache's entry and every response made of it share one: a hit then touches little memory
/// that is not in the processor's cache.
struct ResponseParts: Sendable, Hashable {
    /// The status and header fields.
    var head: HTTPResponse
    /// The body.
    var body: ResponseBody
    /// When its last byte was received.
    var received: Date
    /// What the transfer measured, read or not.
    private(set) var measurement: LazyMetrics

    init(head: HTTPResponse, body: ResponseBody, received: Date, measurement: LazyMetrics) {
        self.head = head
        self.body = body
        self.received = received
        self.measurement = measurement
    }

    init(head: HTTPResponse, body: ResponseBody, received: Date, metrics: TransferMetrics?) {
        self.init(head: head, body: body, received: received, measurement: .read(metrics))
    }

    /// What the transfer measured.
    var metrics: TransferMetrics? {
        get { measurement.metrics }
        set { measurement = .read(newValue) }
    }
}

extension Response {
    /// The redirects on the way to this answer, first to last; none for an
    /// answer that no transfer brought.
    public var redirects: [TransferMetrics.Redirect] { metrics?.redirects ?? [] }

    /// What redirects to other origins left behind, in words that may be shown: a server that
    /// knows a secret may have made a host's name of it.
    package var withheldTexts: [String] {
        let texts = redirects.compactMap(\.withheldText)
        return texts.isEmpty ? [] : texts.map { request.mask.masking(line: $0) }
    }

    /// The URL that answered, after all redirects, its password masked.
    public var finalURL: String {
        metrics?.effectiveURL ?? CredentialMask.maskingUser(in: request.url)
    }

    /// The phrase that the server sent with the status; empty if none, as always
    /// with HTTP/2.
    public var reasonPhrase: String { head.status.reasonPhrase }

    /// What is known of the status.
    public var statusFacts: HTTPStatus { HTTPStatus(status) }
}
