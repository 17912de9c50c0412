import HTTPTypes
import Secrets

/// Receives a transfer's response.
///
/// All methods are called on the engine's thread.
protocol TransferSink: AnyObject {
    /// Whether the body is likely to be long.
    var readsLongBody: Bool { get }
    /// The body's size limit if the request sets none; nil for no limit.
    var standardLimit: Int? { get }
    /// Called before anything is sent.
    func prepare(for request: PreparedRequest) throws(ApusError)
    /// Called with the response's head, unless it is a redirect that is followed.
    ///
    /// `url` is the response's URL if the download's name depends on it; otherwise empty.
    func begin(_ head: HTTPResponse, expected: Int?, url: String) throws(ApusError)
    /// Called with a decoded piece of the body.
    func receive(_ chunk: UnsafeRawBufferPointer) throws(ApusError) -> BodyOutcome
    /// The body received; read only once.
    var body: ResponseBody { get }
    /// Moves the body of a complete response to its destination; nil if it stays where it is.
    func place(_ answer: Response) throws(ApusError) -> ResponseBody?
    /// Called exactly once, at the end.
    func finish(_ result: Result<Response, ApusError>)
}

/// The outcome for a piece of a body.
enum BodyOutcome {
    case taken
    /// There is no room; the piece must be offered again later.
    case full
    /// The transfer must end.
    case failed
}

/// Collects a response for a waiting task.
final class CollectingSink: TransferSink {
    private var collector: BodyCollector
    /// The download's destination until the response's head has arrived.
    private var destination: DownloadDestination?
    /// Set before the start.
    var waiter: UnsafeContinuation<Result<Response, ApusError>, Never>?
    /// Receives a copy of the body's start; nil if nobody watches the transfer.
    private let live: LiveBody?

    init(memoryLimit: Int, spool: SpoolFolder, live: LiveBody? = nil) {
        collector = BodyCollector(memoryLimit: memoryLimit, spool: spool)
        self.live = live
    }

    private(set) var readsLongBody = false
    /// A download has no limit.
    var standardLimit: Int? { readsLongBody ? nil : TransportOptions.standardMaximumBodySize }

    func prepare(for request: PreparedRequest) throws(ApusError) {
        guard let destination = request.destination else { return }
        readsLongBody = true
        self.destination = destination
        if destination.naming == nil { try collector.open(destination) }
    }

    func begin(_ head: HTTPResponse, expected: Int?, url: String) throws(ApusError) {
        if let destination, destination.refuses(head) {
            collector.leaveDestination()
            readsLongBody = false
        } else if let destination, destination.naming != nil {
            try collector.open(destination.resolved(for: head, url: url))
        }
        destination = nil
        if let expected { collector.expect(expected) }
        live?.begin(head)
    }

    func receive(_ chunk: UnsafeRawBufferPointer) throws(ApusError) -> BodyOutcome {
        try collector.append(chunk)
        live?.append(chunk)
        return .taken
    }

    var body: ResponseBody { collector.body }

    func place(_ answer: Response) throws(ApusError) -> ResponseBody? {
        try collector.place(answer)
    }

    func finish(_ result: Result<Response, ApusError>) {
        waiter.take()?.resume(returning: result)
    }
}

/// Gives the head to a waiting task and the body to a buffer.
final class StreamingSink: TransferSink {
    private let window: BodyBuffer
    /// Set before the start.
    var waiter: CheckedContinuation<Result<HTTPResponse, ApusError>, Never>?

    init(window: BodyBuffer) { self.window = window }

    var readsLongBody: Bool { true }
    var standardLimit: Int? { nil }

    func prepare(for request: PreparedRequest) {}

    func begin(_ head: HTTPResponse, expected: Int?, url: String) {
        waiter.take()?.resume(returning: .success(head))
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> BodyOutcome {
        window.offer(chunk) ? .taken : .full
    }

    var body: ResponseBody { .bytes([]) }

    func place(_ answer: Response) -> ResponseBody? { nil }

    func finish(_ result: Result<Response, ApusError>) {
        switch result {
        case .success(let response):
            waiter.take()?.resume(returning: .success(response.head))
            window.finish(nil, response.metrics)
        case .failure(let error):
            waiter.take()?.resume(returning: .failure(error))
            window.finish(error, error.response?.metrics)
        }
    }
}

/// The wire trace of a transfer; secrets are masked as entries are added.
final class WireTrace {
    /// In bytes, because a server can cause endless remarks; heads have limits of their own.
    private static let limit = 8 << 20

    private(set) var entries: [WireTraceEntry] = []
    private var count = 0

    func add(_ kind: WireTraceEntry.Kind, _ text: String, _ mask: CredentialMask) {
        guard count < Self.limit else { return }
        count += text.utf8.count
        let mayBeCut = Self.mayBeCut(text, kind)
        // Split by bytes, because a value may contain a line separator of Unicode.
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines {
            let isCut = mayBeCut && line.endIndex == lines.last?.endIndex
            let shown = mask.masking(
                traced: String(Substring(line)),
                isRemark: kind == .remark,
                isCut: isCut
            )
            entries.append(WireTraceEntry(kind: kind, text: shown))
        }
        if count >= Self.limit {
            let text = "The trace was cut off here, at \(Self.limit >> 20) MiB."
            entries.append(.init(kind: .remark, text: text))
        }
    }

    /// Whether libcurl may have cut the text.
    ///
    /// libcurl cuts a remark at 2,048 bytes, and one about a failure at 255; of a request's header it
    /// passes what its first write sent.
    private static func mayBeCut(_ text: String, _ kind: WireTraceEntry.Kind) -> Bool {
        switch kind {
        case .remark: text.utf8.count >= CredentialMask.possibleCut
        case .headerIn, .headerOut: text.utf8.last != UInt8(ascii: "\n")
        }
    }
}
