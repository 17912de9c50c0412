public import HTTPTypes
import Synchronization

/// Sends requests to servers and returns their responses.
///
/// A custom transport only has to implement `send`; the rest has defaults.
///
/// Cancelling the task that waits in `send` or reads a stream ends the transfer.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole response.
    ///
    /// A body of more than `options.memoryLimit` bytes is returned in a file.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - progress: called on the transport's own thread, at most about 30 times a second and once at the
    ///     end; it must not block.
    /// - Returns: the whole response.
    /// - Throws: `ApusError`, with whatever was received before the failure attached.
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response

    /// Sends a request and returns when the response's header has arrived; the body follows in chunks as it
    /// is read, and the server waits while nobody reads.
    ///
    /// The default implementation waits for the whole response and returns its body in pieces.
    ///
    /// - Throws: `ApusError` if there is no response.
    func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse

    /// The header fields that the transport adds to those of a request, as far as they are known before it
    /// is sent; for logs, and for plugins that sign requests.
    ///
    /// None by default.
    func addedFields(to request: PreparedRequest) -> HTTPFields

    /// The most requests that may run at once in the background: revalidations of responses that were
    /// already delivered.
    ///
    /// Default 8.
    var backgroundLimit: Int { get }
}

extension Transport {
    /// By default nothing is added.
    public func addedFields(to request: PreparedRequest) -> HTTPFields { [:] }
    /// By default eight revalidations run at once.
    public var backgroundLimit: Int { 8 }

    /// Waits for the whole response of `send` and returns its body in pieces.
    public func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
        StreamedResponse(piecesOf: try await send(request, progress: nil))
    }
}

/// A response whose body is still arriving.
public struct StreamedResponse: Sendable {
    /// The status and header fields.
    public let head: HTTPResponse
    /// The body in chunks; it can be read only once.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable
    /// The transfer's metrics; nil until the body has ended, successfully or not.
    package var metrics: TransferMetrics? { measure() }
    private let measure: @Sendable () -> TransferMetrics?
    /// Where it comes from.
    let source: ResponseSource

    /// Makes a streamed response.
    public init(head: HTTPResponse, body: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.init(head: head, body: body) { nil }
    }

    init(
        head: HTTPResponse,
        body: any AsyncSequence<[UInt8], any Error> & Sendable,
        source: ResponseSource = .server,
        measure: @escaping @Sendable () -> TransferMetrics?
    ) {
        self.head = head
        self.body = body
        self.source = source
        self.measure = measure
    }

    /// Makes a streamed response of one that is there; its body is given in pieces.
    init(piecesOf response: Response) {
        let (body, size) = (response.body, BodyBuffer.size)
        let offset = Mutex(0)
        let pieces = AsyncThrowingStream<[UInt8], any Error> {
            let start = offset.withLock { offset in
                defer { offset += size }
                return offset
            }
            guard start < body.count else { return nil }
            return try body.load(start..<min(start + size, body.count))
        }
        let metrics = response.metrics
        self.init(head: response.head, body: pieces, source: response.source) { metrics }
    }
}

/// The progress of a transfer.
///
/// A total that is not known is nil; it is never guessed.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body sent so far.
    public var bytesSent: Int
    /// Total bytes of the request's body; nil if unknown.
    public var bytesToSend: Int?
    /// Bytes of the response's body received so far, before content decoding.
    public var bytesReceived: Int
    /// Total bytes of the response's body, before content decoding; nil if unknown.
    public var bytesToReceive: Int?
    /// The part of the response received so far; nil unless `LiveBody.isWanted` was set.
    package var live: LiveBody?

    /// Makes a progress value; omitted values are zero or unknown.
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

    /// Compares the counts, not `live`.
    public static func == (a: TransferProgress, b: TransferProgress) -> Bool {
        a.bytesSent == b.bytesSent && a.bytesToSend == b.bytesToSend
            && a.bytesReceived == b.bytesReceived && a.bytesToReceive == b.bytesToReceive
    }

    /// Hashes the counts, not `live`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesSent)
        hasher.combine(bytesToSend)
        hasher.combine(bytesReceived)
        hasher.combine(bytesToReceive)
    }
}

/// A header line that went over the wire, or a remark of the transport.
public struct WireTraceEntry: Sendable, Hashable, Codable {
    /// The kind of an entry.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A remark of the transport, such as the TLS version that was agreed on.
        case remark
        /// A header line sent.
        case headerOut
        /// A header line received.
        case headerIn
    }

    /// Whether the text is a header line or a remark.
    public var kind: Kind
    /// The text without its line end; secrets are masked.
    public var text: String

    /// Makes an entry.
    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}
