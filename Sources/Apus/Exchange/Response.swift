// Cached responses keep their real status; `source` says where they came from.

import Documents
public import FoundationEssentials
public import HTTPTypes
import Secrets

/// A response from the server or another source, with the facts of its transfer.
public struct Response: Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var request: PreparedRequest
        var content: CopyOnWriteBox<ResponseParts>
        var source: ResponseSource
        var isComplete: Bool
        var decision: CacheDecision?
        var serverFailure: ApusError?
        var arriving: ArrivingBody?
    }

    // A single reference, because a response is copied often.
    private var parts: CopyOnWriteBox<Parts>

    /// The request that this responds to.
    public var request: PreparedRequest {
        get { parts.value.request }
        set { parts = parts.with { $0.request = newValue } }
    }
    /// The status and header fields, as received.
    public var head: HTTPResponse {
        get { content.value.head }
        set { content = content.with { $0.head = newValue } }
    }
    /// The body, decoded (gzip, brotli, zstd) unless the options say otherwise, or `undecodedReason` does.
    public var body: ResponseBody {
        get { content.value.body }
        set {
            content = content.with { $0.body = newValue }
            // A plugin's own body takes the place of one that is still arriving.
            if arriving != nil { arriving = nil }
        }
    }
    /// Where the response came from.
    public var source: ResponseSource {
        get { parts.value.source }
        set { parts = parts.with { $0.source = newValue } }
    }
    /// False if the body is incomplete, for example because the connection was lost.
    public var isComplete: Bool {
        get { parts.value.isComplete }
        set { parts = parts.with { $0.isComplete = newValue } }
    }
    /// Whether its framing, and not only the end of the connection, shows that the body is complete.
    var isSurelyWhole: Bool { isComplete && metrics?.endedWithConnection != true }
    /// When its last byte was received from the server.
    public var received: Date {
        get { content.value.received }
        set { content = content.with { $0.received = newValue } }
    }
    /// The metrics of the transfer from the server; also kept with cached responses.
    public var metrics: TransferMetrics? {
        get { content.value.metrics }
        set { content = content.with { $0.metrics = newValue } }
    }
    /// Why the cache responded or asked the server; nil without `CachePolicy.http`.
    public var decision: CacheDecision? {
        get { parts.value.decision }
        set { parts = parts.with { $0.decision = newValue } }
    }

    /// Why no response of the server followed this cached one; nil if the server was not asked or did respond.
    public internal(set) var serverFailure: ApusError? {
        get { parts.value.serverFailure }
        set { parts = parts.with { $0.serverFailure = newValue } }
    }

    /// Whether the body is still arriving, as the body of a ``ResponseStream`` is; `body` is empty then.
    public var isStreamed: Bool { arriving != nil }

    /// The body that is still arriving; nil unless the caller asked for a stream.
    var arriving: ArrivingBody? {
        get { parts.value.arriving }
        set { parts = parts.with { $0.arriving = newValue } }
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
            content: CopyOnWriteBox(
                ResponseParts(head: head, body: body, received: received, metrics: metrics)
            ),
            source: source,
            isComplete: isComplete
        )
    }

    /// Makes a response that shares its parts with a cache entry.
    init(
        request: PreparedRequest,
        content: CopyOnWriteBox<ResponseParts>,
        source: ResponseSource,
        isComplete: Bool = true
    ) {
        parts = CopyOnWriteBox(
            Parts(
                request: request,
                content: content,
                source: source,
                isComplete: isComplete
            )
        )
    }

    /// The parts that came from the server.
    private(set) var content: CopyOnWriteBox<ResponseParts> {
        get { parts.value.content }
        set { parts = parts.with { $0.content = newValue } }
    }

    /// The status code, 100 to 999.
    public var status: Int { head.status.code }

    /// The media type without parameters, in lowercase; nil if not given.
    public var mediaType: String? {
        // By scalars, not characters: a `;` with a combining accent is still a `;` to the server.
        let field = head.headerFields[.contentType]?.unicodeScalars.prefix { $0 != ";" }
        let words = field?.split { $0 == " " || $0 == "\t" }
        return words?.first.map { String($0).asciiLowercased }
    }
}

/// The source of a response.
public enum ResponseSource: Sendable, Hashable {
    /// The server, just now.
    case server
    /// The cache in this process's memory.
    case memory(CacheHit)
    /// The cache on disk.
    case disk(CacheHit)
    /// The store that the cache shares with other machines.
    case shared(CacheHit)
    /// The cache itself: a 504, because the request contains `only-if-cached` and the cache has no response
    /// that it may serve.
    case gateway
    /// A stub of the target or of the provider; nothing was sent.
    case stub
    /// A recorded session, by a replay; nothing was sent.
    case replay
    /// A plugin, which made it from a failure; the error contains the original response, if there was one.
    indirect case synthetic(ApusError)

    /// The facts of the cache entry; nil if the response is not from the cache.
    public var cacheHit: CacheHit? {
        switch self {
        case .memory(let hit), .disk(let hit), .shared(let hit): hit
        case .server, .gateway, .stub, .replay, .synthetic: nil
        }
    }
}

/// The parts of a response that came from the server.
///
/// A cache entry and all responses made from it share one instance, so that a hit touches little memory
/// outside the processor's cache.
struct ResponseParts: Sendable, Hashable {
    /// The status and header fields.
    var head: HTTPResponse
    /// The bytes of the body, in memory or in a file.
    var body: ResponseBody
    /// When its last byte was received.
    var received: Date
    /// The transfer's metrics, decoded or still encoded.
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

    /// The transfer's metrics.
    var metrics: TransferMetrics? {
        get { measurement.metrics }
        set { measurement = .read(newValue) }
    }
}

extension Response {
    /// The redirects that led to this response, first to last; empty if it did not come from a transfer.
    public var redirects: [TransferMetrics.Redirect] { metrics?.redirects ?? [] }

    /// Descriptions of the fields withheld in redirects, masked for display, because a server may have put
    /// a secret into a host name.
    package var withheldTexts: [String] {
        let texts = redirects.compactMap(\.withheldText)
        return texts.isEmpty ? [] : texts.map { request.mask.masking(line: $0) }
    }

    /// The URL that responded, after all redirects, with its password masked.
    public var finalURL: String {
        metrics?.effectiveURL ?? CredentialMask.maskingUser(in: request.url)
    }

    /// The phrase that the server sent with the status; empty if there is none, as always with HTTP/2.
    public var reasonPhrase: String { head.status.reasonPhrase }

    /// Facts about the status.
    public var httpStatus: HTTPStatus { HTTPStatus(status) }

    /// The header fields, as received.
    public var fields: HTTPFields { head.headerFields }

    /// The value of a header field, lines of the same name joined by commas; nil if it is absent.
    public func value(of name: HTTPField.Name) -> String? { head.headerFields[name] }

    /// The encoding that the Content-Type names; nil if it names none.
    public var charset: String? {
        DocumentBytes.charset(inContentType: head.headerFields[.contentType])
    }

    /// Whether the response came from a cache.
    public var isFromCache: Bool { source.cacheHit != nil }

    /// How long each phase of the transfer took; nil if there was no transfer.
    public var timings: TransferMetrics.Phases? { metrics?.phases }

    /// Why the body is as it was received, although `Content-Encoding` names a coding; nil if it is decoded.
    public var undecodedReason: String? { metrics?.undecoded }

    /// The bytes that went over the wire; empty unless the options asked for them.
    public var trace: [WireTraceEntry] { metrics?.trace ?? [] }

    /// The age of the response at a moment: the time since its origin made it, as far as its `Age` and `Date`
    /// tell (RFC 9111, 4.2.3).
    public func age(at now: Date) -> Duration {
        let sent = received.addingTimeInterval(-(metrics?.phases.total ?? .zero).seconds)
        let head = StoredHead(id: 0, response: head, requestTime: sent, responseTime: received)
        return ResponseAge(of: head, at: now).current
    }
}
