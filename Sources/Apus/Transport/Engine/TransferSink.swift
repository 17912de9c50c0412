import HTTPTypes

/// What a transfer's answer goes to.
///
/// All is called on the engine's thread.
protocol TransferSink: AnyObject {
    /// Whether the body is likely to be long.
    var readsLongBody: Bool { get }
    /// The most bytes that it takes if the request does not say it; nil for any number.
    var standardLimit: Int? { get }
    /// Called before anything is sent.
    func prepare(for request: PreparedRequest) throws(ApusError)
    /// The answer's head, when no redirect is to be followed from it.
    ///
    /// `url` is that of the answer if the request's destination has yet to be
    /// named, else empty.
    func begin(_ head: HTTPResponse, expected: Int?, url: String) throws(ApusError)
    /// A piece of the body, decoded.
    func receive(_ chunk: UnsafeRawBufferPointer) throws(ApusError) -> BodyVerdict
    /// What was received; it is asked for once.
    var body: ResponseBody { get }
    /// Puts the body of a whole answer where it belongs; nil if that is where it is.
    func place(_ answer: Response) throws(ApusError) -> ResponseBody?
    /// The end. It is called exactly once.
    func finish(_ result: Result<Response, ApusError>)
}

/// What became of a piece of a body.
enum BodyVerdict {
    /// It was taken.
    case taken
    /// There is no room; it is to be offered again later.
    case full
    /// The transfer must end.
    case failed
}

/// Collects an answer for one waiting task.
final class CollectingSink: TransferSink {
    private var collector: BodyCollector
    /// The file that was asked for, until the answer's head is there.
    private var destination: DownloadDestination?
    /// Set before the start.
    var waiter: UnsafeContinuation<Result<Response, ApusError>, Never>?
    /// Who looks on; nil for nobody.
    private let live: LiveBody?

    init(memoryLimit: Int, spool: SpoolFolder, live: LiveBody? = nil) {
        collector = BodyCollector(memoryLimit: memoryLimit, spool: spool)
        self.live = live
    }

    private(set) var readsLongBody = false
    /// Who asks for a file has asked for all of it.
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

    func receive(_ chunk: UnsafeRawBufferPointer) throws(ApusError) -> BodyVerdict {
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

/// Hands the head to one waiting task and the body to a window.
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

    func receive(_ chunk: UnsafeRawBufferPointer) -> BodyVerdict {
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

/// The wire trace of one transfer, its secrets masked as they come in.
final class WireTrace {
    /// Bytes; a server can make remarks without end, and heads have limits of their own.
    private static let limit = 8 << 20

    private(set) var entries: [WireTraceEntry] = []
    private var count = 0

    func add(_ kind: WireTraceEntry.Kind, _ text: String, _ mask: CredentialMask) {
        guard count < Self.limit else { return }
        count += text.utf8.count
        let mayBeCut = Self.mayBeCut(text, kind)
        // By bytes: a value may have what is a line's end in Unicode only.
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines {
            let isCut = mayBeCut && line.endIndex == lines.last?.endIndex
            let shown = mask.masking(traced: String(Substring(line)), kind, isCut: isCut)
            entries.append(WireTraceEntry(kind: kind, text: shown))
        }
        if count >= Self.limit {
            entries.append(.init(kind: .remark, text: "The trace ends here."))
        }
    }

    /// libcurl cuts a remark at 2,048 bytes, and one that tells of a failure at 255; of a request's
    /// header it gives what a first call could write.
    private static func mayBeCut(_ text: String, _ kind: WireTraceEntry.Kind) -> Bool {
        switch kind {
        case .remark: text.utf8.count >= CredentialMask.possibleCut
        case .headerIn, .headerOut: text.utf8.last != UInt8(ascii: "\n")
        }
    }
}
