import Synchronization

/// A JSON text as a tree: the bytes, and a flat array of nodes that point into them.
///
/// Nothing is copied: numbers keep their text, and duplicate keys and their order are kept. A broken or
/// truncated text gives the tree of everything before its fault. While the text is still being parsed, every
/// value with a number below `nodeCount` may be read from any thread; open containers extend to the last
/// published value.
public final class Document: Sendable {
    /// The number of bytes that `begin` parses on the calling thread.
    static let firstWindow = 64 << 10
    /// The number of bytes parsed between two checks for cancellation.
    static let slice = 4 << 20

    /// The JSON text; all nodes refer to it by offset.
    public let bytes: DocumentBytes
    // Safe to share: only the parser writes, and readers stay below the published counts.
    nonisolated(unsafe) let nodes: UnsafeMutablePointer<Node>
    nonisolated(unsafe) let containers: UnsafeMutablePointer<Container>
    private let nodeMemory: NodeMemory?
    private let containerMemory: NodeMemory?
    private let limits: ParseLimits
    /// Whether the text is read as one value or as several.
    public let form: DocumentForm

    let indexes = Mutex(LookupIndexes())
    private let publication = PublishedCount()
    private let finished: Atomic<Bool>
    private let log: Mutex<FaultLog>
    private let turn: Mutex<PausedParse>

    init(
        _ bytes: DocumentBytes,
        as form: DocumentForm = .value,
        limits: ParseLimits = ParseLimits()
    ) {
        self.bytes = bytes
        self.form = form
        self.limits = limits
        let isFitting = bytes.count <= limits.textLength
        // In the worst case, every byte is an opening bracket.
        let capacity = isFitting ? bytes.capacity + 2 : 1
        let nodeMemory = NodeMemory(size: capacity * MemoryLayout<Node>.size)
        let containerMemory = NodeMemory(size: capacity * MemoryLayout<Container>.size)
        // A placeholder if there is no memory; it is never read, because nothing is published then.
        let nothing = UnsafeMutableRawPointer(mutating: bytes.base)
        nodes = (nodeMemory?.base ?? nothing).assumingMemoryBound(to: Node.self)
        containers = (containerMemory?.base ?? nothing).assumingMemoryBound(to: Container.self)
        self.nodeMemory = nodeMemory
        self.containerMemory = containerMemory
        let isPossible = isFitting && nodeMemory != nil && containerMemory != nil
        turn = Mutex(PausedParse(paused: isPossible ? ParseState() : nil))
        finished = Atomic(!isPossible)
        var log = FaultLog()
        if !isPossible { log.append(DocumentFault(isFitting ? .outOfMemory : .textTooLong, at: 0)) }
        self.log = Mutex(log)
    }

    deinit {
        nodeMemory?.touch(nodeCount * MemoryLayout<Node>.size)
        containerMemory?.touch(containerCount * MemoryLayout<Container>.size)
    }

    // MARK: - Parsing

    /// Parses a whole text on the calling thread.
    ///
    /// If the tree would take more than `memory`, the parse ends with a fault of the kind `treeTooLarge`.
    public static func parse(
        _ bytes: DocumentBytes,
        as form: DocumentForm = .value,
        memory: TreeMemoryLimit = .standard
    ) -> Document {
        let document = Document(bytes, as: form, limits: ParseLimits(memory: memory))
        document.parseToEnd()
        return document
    }

    /// Parses the first 64 KiB of a text on the calling thread, enough for a screen.
    ///
    /// This finishes a shorter text; `finishParsing` parses the rest of a longer one.
    public static func begin(
        _ bytes: DocumentBytes,
        as form: DocumentForm = .value,
        memory: TreeMemoryLimit = .standard
    ) -> Document {
        let document = Document(bytes, as: form, limits: ParseLimits(memory: memory))
        document.parseStart(with: FastestScanner.self, window: firstWindow)
        return document
    }

    /// Parses the rest of the text, off the calling actor; streamed bytes are parsed as they arrive.
    ///
    /// `onProgress` is called every few megabytes and once at the end. If the task is cancelled, this returns
    /// early and a later call continues. It returns at once while another call is parsing, and if the document
    /// is finished.
    @concurrent public func finishParsing(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        while !Task.isCancelled, !isFinished {
            // For a value longer than the last piece, doubles the number of bytes each time.
            let goal = bytes.count + max(1, bytes.count - progress.parsedBytes)
            while bytes.count < goal, await bytes.loadMore(Self.slice), !Task.isCancelled {}
            guard parseSlice(with: FastestScanner.self, length: Self.slice) else { break }
            onProgress?(progress)
            await Task.yield()
        }
        if isFinished { onProgress?(progress) }
    }

    /// Parses the rest of the text on the calling thread; waits for streamed bytes.
    public func parseToEnd() { parseAll(with: FastestScanner.self) }

    func parseAll<Scanner: StringScanner>(with scanner: Scanner.Type) {
        repeat {
            bytes.load(atLeast: max(Self.slice, bytes.count - progress.parsedBytes))
        } while parseSlice(with: scanner, length: .max)
    }

    func parseStart<Scanner: StringScanner>(with scanner: Scanner.Type, window: Int) {
        let count = bytes.count
        guard count > window || !bytes.isComplete else { return parseAll(with: scanner) }
        guard let state = removePaused() else { return }
        // A copy with its own padding, so that no value runs past the window.
        let window = min(window, count)
        let start = bytes.withUnsafeBytes {
            DocumentBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<window]))
        }
        let next = TreeParser<Scanner>.run(
            start.base,
            end: window,
            isCut: true,
            limits: limits,
            target: target,
            resuming: state
        )
        settle(next)
    }

    /// Parses about `length` more of the bytes read so far; false if that is not possible now.
    func parseSlice<Scanner: StringScanner>(with _: Scanner.Type, length: Int) -> Bool {
        guard let taken = removePaused() else { return false }
        return bytes.whileStill { isComplete in
            guard let state = recovered(taken, isComplete: isComplete) else { return settle(taken) }
            let stop = state.at.addingReportingOverflow(length)
            let next = TreeParser<Scanner>.run(
                bytes.base,
                end: bytes.count,
                isCut: !isComplete,
                stop: stop.overflow ? .max : stop.partialValue,
                limits: limits,
                target: target,
                resuming: state
            )
            return settle(next)
        }
    }

    private func removePaused() -> ParseState? {
        turn.withLock { turn in
            defer { turn.paused = nil }
            return turn.paused
        }
    }

    /// Stores the state that the parser returned; true if there is more to parse.
    @discardableResult private func settle(_ state: ParseState) -> Bool {
        switch state.outcome {
        case .paused, .passing:
            turn.withLock { $0.paused = state }
            return true
        case .complete: break
        case .fault(let kind):
            let fault = DocumentFault(kind, at: state.at)
            log.withLock { $0.append(fault) }
            if pass(fault, state) { return true }
        }
        finished.store(true, ordering: .releasing)
        return false
    }

    // MARK: - Faults

    /// Prepares to continue after a fault, or keeps the state for `resume`; true if there is more to parse.
    private func pass(_ fault: DocumentFault, _ state: ParseState) -> Bool {
        let endsLine = form == .sequence && (fault.isRecoverable || fault.kind == .unexpectedEnd)
        guard fault.isRecoverable || endsLine else { return false }
        // The parser checks its limits only at intervals, and two faults may be closer together.
        let reached = limits.reached(
            nodeCount: state.nodeCount,
            containerCount: state.containerCount,
            at: state.at
        )
        if let reached {
            log.withLock { $0.append(DocumentFault(reached, at: state.at)) }
            return false
        }
        if endsLine {
            var recovery = recovery(from: state, after: fault.kind)
            let (next, skipped) = recovery.nextLine()
            log.withLock { $0.setSkipped(skipped) }
            turn.withLock { $0.paused = next }
            return true
        }
        return turn.withLock { turn in
            guard turn.recoversFromFaults else {
                turn.stopped = state
                return false
            }
            turn.paused = state
            turn.paused?.outcome = .passing(fault.kind)
            return true
        }
    }

    /// The state to continue from; nil if a fault is to be passed before all bytes have arrived.
    private func recovered(_ state: ParseState, isComplete: Bool) -> ParseState? {
        guard case .passing(let kind) = state.outcome else { return state }
        guard isComplete else { return nil }
        var recovery = recovery(from: state, after: kind)
        let (next, skipped) = recovery.next()
        log.withLock { $0.setSkipped(skipped) }
        return next
    }

    private func recovery(
        from state: ParseState,
        after kind: DocumentFault.Kind
    ) -> FaultRecovery {
        let text = LenientText(base: bytes.base, end: bytes.count)
        return FaultRecovery(state, after: kind, text: text, target: target)
    }

    /// Lets a parse that a fault ended continue at the next plausible value; false if it cannot.
    ///
    /// This only prepares: the document is no longer finished, and `finishParsing` or `parseToEnd` continues to
    /// the next fault or, with `toEnd`, past all of them. Containers that the fault left open get more values,
    /// unreadable text is skipped, and values that only a lenient reader accepts are kept and irregular. All
    /// bytes of a streamed text have to arrive first.
    @discardableResult public func resume(toEnd: Bool = false) -> Bool {
        turn.withLock { turn in
            guard var state = turn.stopped, case .fault(let kind) = state.outcome else {
                return false
            }
            state.outcome = .passing(kind)
            turn.stopped = nil
            turn.recoversFromFaults = turn.recoversFromFaults || toEnd
            turn.paused = state
            finished.store(false, ordering: .releasing)
            return true
        }
    }

    /// The first fault; nil if there is none so far.
    public var fault: DocumentFault? { log.withLock { $0.faults.first } }

    /// The fault of a text that may be valid but exceeds a limit of the tree.
    var limitFault: DocumentFault? {
        // It is the last fault, which `faults` may no longer have room for.
        log.withLock { $0.limit }
    }

    /// The first thousand faults, in the order of the text.
    public var faults: [DocumentFault] { log.withLock { $0.faults } }

    /// The number of faults so far.
    public var faultCount: Int { log.withLock { $0.count } }

    private var target: ParseTarget {
        ParseTarget(
            form: form,
            nodes: nodes,
            containers: containers,
            publication: .passUnretained(publication)
        )
    }

    // MARK: - State

    /// Whether the parse is over, with or without a fault.
    public var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// How far the parse is; if the number of bytes is unknown, the total is what has been read.
    public var progress: ParseProgress {
        let parsed = publication.parsedBytes
        let total = bytes.isComplete ? bytes.count : bytes.expectedCount ?? bytes.count
        return ParseProgress(parsedBytes: parsed, totalBytes: max(parsed, total))
    }

    /// The number of values that may be read; it only grows.
    public var nodeCount: Int { publication.nodeCount }

    /// The number of containers that may be read; a few of them may be newer than `nodeCount`.
    var containerCount: Int { publication.containerCount }

    /// The memory that the tree takes so far, in bytes.
    var treeSize: Int {
        nodeCount * MemoryLayout<Node>.size + containerCount * MemoryLayout<Container>.size
    }

    /// The line and column of a byte; takes time proportional to `offset`.
    public func position(of offset: Int) -> TextPosition { bytes.position(of: offset) }
}

/// Whether a text is one value or several.
public enum DocumentForm: Sendable {
    /// One value, as RFC 8259 requires.
    case value
    /// Any number of values: newline-delimited, after record separators (RFC 7464), or directly in a row.
    ///
    /// They are the elements of an array without brackets that spans the text.
    case sequence
}
