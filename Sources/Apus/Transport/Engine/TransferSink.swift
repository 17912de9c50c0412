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
    /// What was received; `isComplete` says whether it is all.
    func body(isComplete: Bool) throws(ApusError) -> ResponseBody
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
    /// The destination, until the answer names it.
    private var unnamed: DownloadDestination?
    /// Set before the start.
    var waiter: UnsafeContinuation<Result<Response, ApusError>, Never>?

    init(memoryLimit: Int, spool: SpoolFolder) {
        collector = BodyCollector(memoryLimit: memoryLimit, spool: spool)
    }

    private(set) var readsLongBody = false
    /// Who asks for a file has asked for all of it.
    var standardLimit: Int? { readsLongBody ? nil : TransportOptions.standardMaximumBodySize }

    func prepare(for request: PreparedRequest) throws(ApusError) {
        guard let destination = request.destination else { return }
        readsLongBody = true
        if destination.naming == nil {
            try collector.open(destination)
        } else {
            unnamed = destination
        }
    }

    func begin(_ head: HTTPResponse, expected: Int?, url: String) throws(ApusError) {
        if let unnamed {
            self.unnamed = nil
            try collector.open(unnamed.resolved(for: head, url: url))
        }
        if let expected { collector.expect(expected) }
    }

    func receive(_ chunk: UnsafeRawBufferPointer) throws(ApusError) -> BodyVerdict {
        try collector.append(chunk)
        return .taken
    }

    func body(isComplete: Bool) throws(ApusError) -> ResponseBody {
        isComplete ? try collector.finish() : collector.partial()
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

    func body(isComplete: Bool) -> ResponseBody { .bytes([]) }

    func finish(_ result: Result<Response, ApusError>) {
        switch result {
        case .success(let response):
            waiter.take()?.resume(returning: .success(response.head))
            window.finish(nil)
        case .failure(let error):
            waiter.take()?.resume(returning: .failure(error))
            window.finish(error)
        }
    }
}

/// The wire trace of one transfer, its secrets masked as they come in.
final class WireTrace {
    private(set) var entries: [WireTraceEntry] = []

    func add(_ kind: WireTraceEntry.Kind, _ text: String, _ mask: CredentialMask) {
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            entries.append(WireTraceEntry(kind: kind, text: Self.masked(String(line), kind, mask)))
        }
    }

    /// A remark may quote a header line in brackets, as libcurl does for HTTP/2
    /// ("h2h3 [authorization: …]"), or a URL.
    private static func masked(
        _ line: String,
        _ kind: WireTraceEntry.Kind,
        _ mask: CredentialMask
    ) -> String {
        guard kind == .remark, let start = line.lastIndex(of: "["), line.last == "]" else {
            return mask.masking(headerLine: line)
        }
        let inner = String(line[line.index(after: start)...].dropLast())
        return "\(line[...start])\(mask.masking(headerLine: inner))]"
    }
}
