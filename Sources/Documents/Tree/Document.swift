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

    private let publication = Publication()
    private let finished: Atomic<Bool>
    private let finalFault: Mutex<DocumentFault?>
    /// Nil while somebody parses, and in the end.
    private let paused: Mutex<ParseState?>

    init(
        _ bytes: DocumentBytes,
        as form: DocumentForm = .value,
        limits: ParseLimits = ParseLimits()
    ) {
        self.bytes = bytes
        self.form = form
        self.limits = limits
        // The worst text is one opening bracket per byte.
        let isFitting = bytes.count <= limits.textLength
        let capacity = isFitting ? bytes.count + 2 : 1
        let nodeMemory = NodeMemory(size: capacity * MemoryLayout<Node>.size)
        let containerMemory = NodeMemory(size: capacity * MemoryLayout<Container>.size)
        // Never read without memory: nothing is published then.
        let nothing = UnsafeMutableRawPointer(mutating: bytes.base)
        nodes = (nodeMemory?.base ?? nothing).assumingMemoryBound(to: Node.self)
        containers = (containerMemory?.base ?? nothing).assumingMemoryBound(to: Container.self)
        self.nodeMemory = nodeMemory
        self.containerMemory = containerMemory
        let hasMemory = nodeMemory != nil && containerMemory != nil
        paused = Mutex(isFitting && hasMemory ? ParseState() : nil)
        let isPossible = isFitting && hasMemory
        let refusal = DocumentFault(isFitting ? .outOfMemory : .textTooLong, at: 0)
        finalFault = Mutex(isPossible ? nil : refusal)
        finished = Atomic(!isPossible)
    }

    // MARK: - Parsing

    /// Parses a whole text on the calling thread.
    public static func parse(_ bytes: DocumentBytes) -> Document {
        let document = Document(bytes)
        document.parseAll(with: FastestScanner.self)
        return document
    }

    /// Parses the first 64 KiB of a text on the calling thread, enough for a screen.
    ///
    /// A text that is not longer is finished by it; `finishParsing` does the rest of a longer one.
    public static func begin(_ bytes: DocumentBytes) -> Document {
        let document = Document(bytes)
        document.parseStart(with: FastestScanner.self, window: firstWindow)
        return document
    }

    /// Parses what is left, off the calling actor.
    ///
    /// `onProgress` is called every few megabytes and once at the end. When the task is cancelled
    /// it returns early, and a later call goes on. While another call is at work, and on a
    /// finished document, it returns at once.
    @concurrent public func finishParsing(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        while !Task.isCancelled, parseSlice(with: FastestScanner.self, length: Self.slice) {
            onProgress?(progress)
            await Task.yield()
        }
        if isFinished { onProgress?(progress) }
    }

    func parseAll<Scanner: StringScanner>(with scanner: Scanner.Type) {
        while parseSlice(with: scanner, length: .max) {}
    }

    func parseStart<Scanner: StringScanner>(with scanner: Scanner.Type, window: Int) {
        guard bytes.count > window else { return parseAll(with: scanner) }
        guard let state = take() else { return }
        // A copy with padding of its own: no value can run past the window.
        let start = bytes.withUnsafeBytes {
            DocumentBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<window]))
        }
        let parser = TreeParser<Scanner>(
            start.base,
            end: window,
            isCut: true,
            limits: limits,
            target: target,
            resuming: state
        )
        settle(parser.run())
    }

    /// Parses about `length` more bytes; false when there is nothing left to do.
    func parseSlice<Scanner: StringScanner>(with _: Scanner.Type, length: Int) -> Bool {
        guard let state = take() else { return false }
        let stop = state.at.addingReportingOverflow(length)
        let parser = TreeParser<Scanner>(
            bytes.base,
            end: bytes.count,
            stop: stop.overflow ? .max : stop.partialValue,
            limits: limits,
            target: target,
            resuming: state
        )
        return settle(parser.run())
    }

    private func take() -> ParseState? {
        paused.withLock { state in
            defer { state = nil }
            return state
        }
    }

    /// Keeps what a parser returned; true when there is more to do.
    @discardableResult private func settle(_ state: ParseState) -> Bool {
        switch state.outcome {
        case .paused:
            paused.withLock { $0 = state }
            return true
        case .complete: break
        case .fault(let kind):
            finalFault.withLock { $0 = DocumentFault(kind, at: state.at) }
        }
        finished.store(true, ordering: .releasing)
        return false
    }

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

    /// How far the parse is.
    public var progress: ParseProgress {
        let isWhole = isFinished && fault == nil
        let parsed = isWhole ? bytes.count : publication.parsedBytes
        return ParseProgress(parsedBytes: parsed, totalBytes: bytes.count)
    }

    /// What ended the parse early; nil while it still runs.
    public var fault: DocumentFault? {
        isFinished ? finalFault.withLock { $0 } : nil
    }

    /// The values that may be read; it only grows.
    public var nodeCount: Int { publication.nodeCount }

    /// The containers that may be read; a few of them may be newer than `nodeCount`.
    var containerCount: Int { publication.containerCount }

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
