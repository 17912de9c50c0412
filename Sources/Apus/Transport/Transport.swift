public import HTTPTypes
import Synchronization

/// What carries a request to a server and its answer back.
///
/// One of your own needs `send` alone; the rest has defaults.
///
/// Cancelling the task that waits in `send` or reads a stream ends the transfer.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// A body of more than `options.memoryLimit` bytes is in a file.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - progress: called on the transport's own thread, at most some tens of
    ///     times a second and once at the end; it must not block.
    /// - Returns: the answer, whole.
    /// - Throws: `ApusError`; what was received before the fault is attached.
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response

    /// Sends a request and returns when the answer's header is there; the body
    /// comes in chunks as it is read, and the server waits when nobody reads.
    ///
    /// The default waits for the whole answer, and hands out its body in pieces.
    ///
    /// - Throws: `ApusError` if there is no answer.
    func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse

    /// The header fields that it puts beside those of a request, as far as they are known before it is
    /// sent: for logs, and for plugins that sign.
    ///
    /// None by default.
    func addedFields(to request: PreparedRequest) -> HTTPFields

    /// How many requests that nobody waits for may be under way at once: revalidations behind
    /// answers that were delivered.
    ///
    /// Default 8.
    var backgroundLimit: Int { get }
}

extension Transport {
    /// None.
    public func addedFields(to request: PreparedRequest) -> HTTPFields { [:] }
    /// Eight.
    public var backgroundLimit: Int { 8 }

    /// The whole answer of `send`, its body in pieces.
    public func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
        let response = try await send(request, progress: nil)
        let (body, size) = (response.body, BodyBuffer.size)
        let offset = Mutex(0)
        return StreamedResponse(
            head: response.head,
            body: AsyncThrowingStream {
                let start = offset.withLock { offset in
                    defer { offset += size }
                    return offset
                }
                guard start < body.count else { return nil }
                return try body.load(start..<min(start + size, body.count))
            }
        )
    }
}

/// An answer whose body is still coming.
public struct StreamedResponse: Sendable {
    /// The status and header fields.
    public let head: HTTPResponse
    /// The body in chunks; it can be read once.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable
    /// What the transfer measured; nil before the body has ended, well or not.
    package var metrics: TransferMetrics? { measure() }
    private let measure: @Sendable () -> TransferMetrics?

    /// Makes a streamed answer.
    public init(head: HTTPResponse, body: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.init(head: head, body: body) { nil }
    }

    init(
        head: HTTPResponse,
        body: any AsyncSequence<[UInt8], any Error> & Sendable,
        measure: @escaping @Sendable () -> TransferMetrics?
    ) {
        self.head = head
        self.body = body
        self.measure = measure
    }
}

/// How far a transfer has come.
///
/// A total that nobody told is nil, never guessed.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body sent so far.
    public var bytesSent: Int
    /// Bytes of the request's body in all.
    public var bytesToSend: Int?
    /// Bytes of the answer's body received so far, as they came over the wire.
    public var bytesReceived: Int
    /// Bytes of the answer's body in all.
    public var bytesToReceive: Int?
    /// What has come of the answer, if somebody looks on.
    package var live: LiveBody?

    /// Makes a progress; what is not given is zero or unknown.
    public init(
        bytesSent: Int = 0,
        bytesToSend: Int? = nil,
        bytesReceived: Int = 0,
        bytesToReceive: Int? = nil
    ) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }

    /// Whether two are equally far.
    public static func == (a: TransferProgress, b: TransferProgress) -> Bool {
        a.bytesSent == b.bytesSent && a.bytesToSend == b.bytesToSend
            && a.bytesReceived == b.bytesReceived && a.bytesToReceive == b.bytesToReceive
    }

    /// Hashes how far it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesSent)
        hasher.combine(bytesToSend)
        hasher.combine(bytesReceived)
        hasher.combine(bytesToReceive)
    }
}

/// One thing that went over the wire, or that the transport says about it.
public struct WireTraceEntry: Sendable, Hashable, Codable {
    /// What kind of thing.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A remark of the transport, such as which TLS version was agreed on.
        case remark
        /// A header line sent.
        case headerOut
        /// A header line received.
        case headerIn
    }

    /// What kind of thing.
    public var kind: Kind
    /// Its text, without the line end; secrets are masked.
    public var text: String

    /// Makes an entry.
    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}
