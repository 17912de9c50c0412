import Synchronization

/// A body whose tree or whose lines are made from it: of another format than JSON, or in another
/// encoding than UTF-8.
///
/// What is made is shared by all copies of a `BodyDocument`.
final class ConvertedBody: Sendable {
    /// What is taken in on the calling thread.
    static let smallSize = 64 << 10

    /// The body as it came.
    let bytes: DocumentBytes
    /// What the tree is made from; nil when there is none.
    let format: DocumentFormat?
    /// The encoding of the Content-Type, when it counts.
    let charset: String?
    /// Whether the bytes are in another encoding than UTF-8.
    let isEncoded: Bool

    private struct State {
        var decoded: DecodedText?
        var opened: FormattedDocument?
        var lines: TextDocument?
        var treeProblem: String?
    }

    private let state = Mutex(State())
    private let isWorking = Atomic(false)

    init(_ bytes: DocumentBytes, format: DocumentFormat?, charset: String?, isEncoded: Bool) {
        self.bytes = bytes
        self.format = format
        self.charset = charset
        self.isEncoded = isEncoded
    }

    /// Whether it is small enough to be taken in at once.
    var isSmall: Bool { bytes.isComplete && bytes.count <= Self.smallSize }

    /// The tree, when it was made.
    var opened: FormattedDocument? { state.withLock { $0.opened } }

    /// Why there will be no tree; nil when there may be one.
    var treeProblem: String? { state.withLock { $0.treeProblem } }

    /// The lines of a body in another encoding, when it was converted.
    var lines: TextDocument? { state.withLock { $0.lines } }

    /// The tree of the first part.
    func previewTree() -> Document? {
        format.map { FormattedDocument.preview(start, as: $0) }
    }

    /// The first lines of a body in another encoding.
    func previewLines() -> TextDocument { TextDocument(start) }

    /// Makes the tree of all bytes on the calling thread; while somebody else does, it returns at once.
    func openTree() {
        guard let format, bytes.isComplete else { return }
        work { state in
            guard state.opened == nil, state.treeProblem == nil else { return nil }
            let decoded = state.decoded ?? decode()
            let opened = FormattedDocument(decoded, original: bytes, as: format)
            return { state in
                // What was cancelled is made anew by a later call.
                if !decoded.isCancelled { state.decoded = decoded }
                if !opened.isCancelled { state.opened = opened }
            }
        }
        dropTreeOverLimit()
    }

    /// Lets go of a tree that went over its limit of memory.
    func dropTreeOverLimit() {
        guard let problem = opened?.limitProblem else { return }
        let dropped = state.withLock { state in
            defer { state.opened = nil }
            state.treeProblem = problem
            return state.opened
        }
        // Freeing it takes time: not under the lock.
        _ = dropped
    }

    /// Converts a body on the calling thread, for its lines.
    func openLines() {
        guard bytes.isComplete else { return }
        work { state in
            guard state.lines == nil else { return nil }
            let decoded = state.decoded ?? decode()
            guard !decoded.isCancelled else { return nil }
            let lines = TextDocument(decoded.text)
            return { state in
                state.decoded = decoded
                state.lines = lines
            }
        }
    }

    /// The first part, in UTF-8.
    private var start: DocumentBytes {
        isSmall ? decode().text : DecodedText.start(of: bytes, as: format, charset: charset)
    }

    private func decode() -> DecodedText {
        DecodedText(bytes, format: format, charset: charset)
    }

    /// Does what is long without the lock, by one caller at a time.
    private func work(_ make: (State) -> ((inout State) -> Void)?) {
        guard !isWorking.exchange(true, ordering: .acquiring) else { return }
        defer { isWorking.store(false, ordering: .releasing) }
        let before = state.withLock { $0 }
        guard let change = make(before) else { return }
        state.withLock { change(&$0) }
    }
}
