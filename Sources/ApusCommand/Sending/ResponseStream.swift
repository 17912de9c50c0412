import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import Terminal

/// Writes a response to standard output while it arrives.
///
/// | where to | what is written at once |
/// |---|---|
/// | a file or a pipe | every body, byte for byte |
/// | a terminal, with `-o -` | the same, unless it has control characters |
/// | a terminal | text, its control characters as symbols; JSON whose end is not near; no binary data |
///
/// What is not written at once is printed when it is complete: JSON that ends soon is indented then.
final class ResponseStream: ResponseObserver {
    /// How long JSON of unknown length is collected for a terminal.
    private static let patience = Duration.seconds(1)

    /// What has been written so far, so that the rest can be printed at the end.
    struct Written {
        var hasHead = false
        var hasBody = false
        /// The number of entries of the wire trace.
        var traceCount = 0
    }

    private enum Phase {
        /// No response has begun that is written at once.
        case waiting
        /// What has arrived may be JSON that ends soon.
        case held([UInt8])
        /// Each piece is written.
        case written
        /// The body is printed when it is complete.
        case collected
    }

    private struct State: ~Copyable {
        var phase = Phase.waiting
        var written = Written()
        var output = StandardOutput()
        var lastByte: UInt8?
        var check = UTF8Check()
        /// Whether what is held is written as soon as there is something.
        var isImpatient = false
        var failure: (any Error)?
        var timer: Task<Void, Never>?
    }

    private let printer: ResponsePrinter
    /// Whether a response is the one that the user gets, whatever follows.
    private let isFinal: @Sendable (Response) -> Bool
    /// Whether a body of unknown length has no time limit.
    private let hasOwnLimit: Bool
    private let executor: any TaskExecutor
    /// Everything runs on the transport's thread, one call after the other; the lock only says so.
    private let state = Mutex(State())

    /// Makes a stream.
    ///
    /// - Parameters:
    ///   - printer: Prints heads and traces.
    ///   - hasOwnLimit: Whether the user set a time limit, which then also ends bodies without an end.
    ///   - executor: Runs tasks on the transport's thread.
    ///   - isFinal: Whether a response is the one that the user gets, whatever follows.
    init(
        printer: ResponsePrinter,
        hasOwnLimit: Bool,
        executor: any TaskExecutor,
        isFinal: @escaping @Sendable (Response) -> Bool
    ) {
        self.printer = printer
        self.hasOwnLimit = hasOwnLimit
        self.executor = executor
        self.isFinal = isFinal
    }

    /// Why nothing more could be written; nil if nothing went wrong.
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// Whether some of a body was written.
    var hasBody: Bool { state.withLock { $0.written.hasBody } }

    // MARK: the transport's calls

    func begin(_ start: ResponseStart) -> ObservationReply {
        let response = Response(
            request: start.request,
            head: start.head,
            body: .bytes([]),
            source: .server,
            received: Date(),
            metrics: start.metrics
        )
        guard isFinal(response) else { return .proceed }
        let type = MediaKind(start.head.headerFields[.contentType])
        let isHeld = printer.isTerminal && printer.arguments.output == nil && type != .lines
        let isBegun = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            do {
                if printer.arguments.verbose {
                    printer.printTrace(start.metrics.trace)
                    state.written.traceCount = start.metrics.trace.count
                }
                try printer.printHead(start.head, start.metrics)
                state.written.hasHead = true
            } catch {
                state.failure = error
            }
            state.phase = isHeld ? .held([]) : .written
            state.output = StandardOutput(printer.content)
            return true
        }
        guard isBegun else { return .proceed }
        guard failure == nil else { return .cancel }
        guard start.expected == nil else { return .proceed }
        if isHeld { waitForEnd() }
        return hasOwnLimit || type == .other && isHeld ? .proceed : .proceedWithoutTimeLimit
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .waiting, .collected: return true
            case .written: return Self.write(piece, &state)
            case .held(var held):
                guard !piece.contains(0), state.check.check(piece) else {
                    state.phase = .collected
                    return true
                }
                // Not held twice, so that it grows in place.
                state.phase = .waiting
                held += piece
                return Self.decide(held, &state)
            }
        }
    }

    /// Ends what was written, before anything else is printed; says what that was.
    func end() throws -> Written {
        try state.withLock { state in
            state.timer?.cancel()
            guard case .written = state.phase, state.failure == nil else {
                state.phase = .collected
                return state.written
            }
            state.phase = .collected
            guard state.written.hasBody else { return state.written }
            let endsLine = printer.isTerminal && printer.arguments.output == nil
            if endsLine, state.lastByte != 0x0A { try state.output.write("\n") }
            try state.output.flush()
            return state.written
        }
    }

    // MARK: what is held

    /// Writes what is held when it takes too long.
    private func waitForEnd() {
        let timer = Task(executorPreference: executor) { [weak self] in
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            self?.loseHope()
        }
        state.withLock { $0.timer = timer }
    }

    private func loseHope() {
        state.withLock { state in
            guard case .held(let held) = state.phase else { return }
            state.isImpatient = true
            guard !held.isEmpty else { return }
            state.phase = .waiting
            _ = Self.decide(held, &state)
        }
    }

    /// Decides what becomes of the beginning of a body; false if it could not be written.
    private static func decide(_ held: [UInt8], _ state: inout State) -> Bool {
        let first = held.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let mayBeJSON = first.map { "{[".utf8.contains($0) } ?? true
        guard !mayBeJSON || state.isImpatient || held.count > ResponsePrinter.indentedLimit else {
            state.phase = .held(held)
            return true
        }
        state.phase = .written
        return held.withUnsafeBytes { write($0, &state) }
    }

    private static func write(_ piece: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
        guard !piece.isEmpty else { return true }
        state.written.hasBody = true
        state.lastByte = piece.last
        do {
            try state.output.write(piece)
            try state.output.flush(more: true)
            return true
        } catch {
            state.failure = error
            return false
        }
    }
}

/// What a media type says about how a body comes.
private enum MediaKind {
    /// Events or lines, each of which is complete in itself.
    case lines
    /// Any other text.
    case text
    /// Anything but text.
    case other

    init(_ contentType: String?) {
        let type = (contentType ?? "").prefix { $0 != ";" }.asciiLowercased
        let name = type.filter { !$0.isWhitespace }
        if name == "text/event-stream" || Self.lineTypes.contains(where: name.hasSuffix) {
            self = .lines
        } else if name.hasPrefix("text/") || name.hasSuffix("json") || name.hasSuffix("xml") {
            self = .text
        } else {
            self = .other
        }
    }

    private static let lineTypes = [
        "ndjson", "jsonl", "json-lines", "jsonlines", "json-seq", "stream+json",
    ]
}
