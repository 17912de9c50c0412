import Glibc
import Synchronization

/// A JSON text as a tree: the bytes and a flat array of nodes that point into them.
///
/// Nothing is copied: numbers keep their text, equal keys and their order stay. A broken or cut
/// text is the tree of everything before its fault. While the text is still being parsed, every
/// value with a number under `nodeCount` may be read from any thread; containers that are not
/// closed yet reach to what is published.
public final class Document: Sendable {
    /// What `begin` parses on the calling thread.
    static let firstWindow = 64 << 10
    /// What is parsed between two looks at cancellation.
    static let slice = 4 << 20

    /// The text.
    public let bytes: DocumentBytes
    // Unsafe because the parser alone writes, and readers stay under the published counts.
    nonisolated(unsafe) let nodes: UnsafeMutablePointer<Node>
    nonisolated(unsafe) let containers: UnsafeMutablePointer<Container>
    private let nodeMemory: NodeMemory?
    private let containerMemory: NodeMemory?
    private let limits: ParseLimits
    /// How many values the text is taken for.
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
        // The worst text is one opening bracket per byte.
        let capacity = isFitting ? bytes.capacity + 2 : 1
        let nodeMemory = NodeMemory(size: capacity * MemoryLayout<Node>.size)
        let containerMemory = NodeMemory(size: capacity * MemoryLayout<Container>.size)
        // Never read without memory: nothing is published then.
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
    /// A tree that would take more than `memory` ends in a fault of the kind `treeTooLarge`.
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
    /// A text that is not longer is finished by it; `finishParsing` does the rest of a longer one.
    public static func begin(
        _ bytes: DocumentBytes,
        as form: DocumentForm = .value,
        memory: TreeMemoryLimit = .standard
    ) -> Document {
        let document = Document(bytes, as: form, limits: ParseLimits(memory: memory))
        document.parseStart(with: FastestScanner.self, window: firstWindow)
        return document
    }

    /// Parses what is left, off the calling actor; bytes that stream are read as they come.
    ///
    /// `onProgress` is called every few megabytes and once at the end. When the task is cancelled
    /// it returns early, and a later call goes on. While another call is at work, and on a
    /// finished document, it returns at once.
    @concurrent public func finishParsing(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        while !Task.isCancelled, !isFinished {
            // What a value that is longer than the last piece needs: twice as much each time.
            let goal = bytes.count + max(1, bytes.count - progress.parsedBytes)
            while bytes.count < goal, await bytes.loadMore(Self.slice), !Task.isCancelled {}
            guard parseSlice(with: FastestScanner.self, length: Self.slice) else { break }
            onProgress?(progress)
            await Task.yield()
        }
        if isFinished { onProgress?(progress) }
    }

    /// Parses what is left on the calling thread; it waits for bytes that stream.
    public func parseToEnd() { parseAll(with: FastestScanner.self) }

    func parseAll<Scanner: StringScanner>(with scanner: Scanner.Type) {
        repeat {
            bytes.load(atLeast: max(Self.slice, bytes.count - progress.parsedBytes))
        } while parseSlice(with: scanner, length: .max)
    }

    func parseStart<Scanner: StringScanner>(with scanner: Scanner.Type, window: Int) {
        let count = bytes.count
        guard count > window || !bytes.isComplete else { return parseAll(with: scanner) }
        guard let state = take() else { return }
        // A copy with padding of its own: no value can run past the window.
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

    /// Parses about `length` more bytes of those that are there; false when there is nothing left
    /// to do.
    func parseSlice<Scanner: StringScanner>(with _: Scanner.Type, length: Int) -> Bool {
        guard let taken = take() else { return false }
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

    private func take() -> ParseState? {
        turn.withLock { turn in
            defer { turn.paused = nil }
            return turn.paused
        }
    }

    /// Keeps what a parser returned; true when there is more to do.
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

    /// Goes on behind a fault, or keeps where it was; true when there is more to do.
    private func pass(_ fault: DocumentFault, _ state: ParseState) -> Bool {
        let endsLine = form == .sequence && (fault.canBePassed || fault.kind == .unexpectedEnd)
        guard fault.canBePassed || endsLine else { return false }
        // Between two faults there may be fewer values than the parser looks at its limits for.
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
            guard turn.passesFaults else {
                turn.stopped = state
                return false
            }
            turn.paused = state
            turn.paused?.outcome = .passing(fault.kind)
            return true
        }
    }

    /// Where to go on; nil when a fault is to be passed and not everything is there that the
    /// recovery may look at.
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

    /// Makes a parse that a fault ended go on at the next plausible value; false when it cannot.
    ///
    /// It only prepares: the document is not finished any more, and `finishParsing` or
    /// `parseToEnd` goes on, to the next fault or, with `toEnd`, past all of them. Containers that
    /// the fault left open are filled again, what cannot be read is skipped, and what can be read
    /// leniently is kept and irregular. All bytes of a text that streams have to arrive first.
    @discardableResult public func resume(toEnd: Bool = false) -> Bool {
        turn.withLock { turn in
            guard var state = turn.stopped, case .fault(let kind) = state.outcome else {
                return false
            }
            state.outcome = .passing(kind)
            turn.stopped = nil
            turn.passesFaults = turn.passesFaults || toEnd
            turn.paused = state
            finished.store(false, ordering: .releasing)
            return true
        }
    }

    /// What was wrong first; nil so far, or when the text is as it should be.
    public var fault: DocumentFault? { log.withLock { $0.faults.first } }

    /// The fault that says that the text may be right, but is more than a tree can be made of.
    var limitFault: DocumentFault? {
        // It is the last one; of the faults in the log it may not be any more.
        log.withLock { $0.limit }
    }

    /// What was wrong, in the order of the text; the first thousand.
    public var faults: [DocumentFault] { log.withLock { $0.faults } }

    /// How many faults there are so far.
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

    /// How far the parse is; of bytes whose number nobody knows all are those that are there.
    public var progress: ParseProgress {
        let parsed = publication.parsedBytes
        let total = bytes.isComplete ? bytes.count : bytes.expectedCount ?? bytes.count
        return ParseProgress(parsedBytes: parsed, totalBytes: max(parsed, total))
    }

    /// The values that may be read; it only grows.
    public var nodeCount: Int { publication.nodeCount }

    /// The containers that may be read; a few of them may be newer than `nodeCount`.
    var containerCount: Int { publication.containerCount }

    /// The memory of the tree so far.
    var treeSize: Int {
        nodeCount * MemoryLayout<Node>.size + containerCount * MemoryLayout<Container>.size
    }

    /// The line and column of a byte; it counts from the start of the text.
    public func position(of offset: Int) -> TextPosition {
        let offset = max(0, min(offset, bytes.count))
        var line = 1
        var start = 0
        while start < offset, let found = memchr(bytes.base + start, 0x0A, offset - start) {
            start = UnsafeRawPointer(found) - UnsafeRawPointer(bytes.base) + 1
            line += 1
        }
        var column = 1
        for index in start..<offset where bytes.base[index] & 0xC0 != 0x80 { column += 1 }
        return TextPosition(line: line, column: column)
    }
}

/// How many values a text is made of.
public enum DocumentForm: Sendable {
    /// One value, as RFC 8259 wants.
    case value
    /// Any number of values: newline-delimited, behind record separators (RFC 7464), or one right
    /// after the other.
    ///
    /// They are the elements of one array without brackets, which spans the text.
    case sequence
}
