import Synchronization

/// A body that must be converted for its tree or its lines, because it is in a format other than JSON or in an
/// encoding other than UTF-8.
///
/// All copies of a `BodyDocument` share the result.
final class ConvertedBody: Sendable {
    /// The size in bytes up to which a body is converted on the calling thread.
    static let smallSize = 64 << 10

    /// The body as received.
    let bytes: DocumentBytes
    /// The format that the tree is made from; nil if there is no tree.
    let format: DocumentFormat?
    /// The charset of the Content-Type; nil if it does not apply.
    let charset: String?
    /// Whether the bytes are in an encoding other than UTF-8.
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

    /// Whether it is small enough to be converted at once.
    var isSmall: Bool { bytes.isComplete && bytes.count <= Self.smallSize }

    /// The tree; nil until it is made.
    var opened: FormattedDocument? { state.withLock { $0.opened } }

    /// Why there is no tree; nil as long as there may be one.
    var treeProblem: String? { state.withLock { $0.treeProblem } }

    /// The lines of a body in another encoding; nil until they are made.
    var lines: TextDocument? { state.withLock { $0.lines } }

    /// The tree of the first part; nil if the body has no format.
    func previewTree() -> Document? {
        format.map { FormattedDocument.preview(start, as: $0) }
    }

    /// The first lines of a body in another encoding.
    func previewLines() -> TextDocument { TextDocument(start) }

    /// Makes the tree of all bytes on the calling thread; returns at once while another thread does.
    func openTree() {
        guard let format, bytes.isComplete else { return }
        work { state in
            guard state.opened == nil, state.treeProblem == nil else { return nil }
            let decoded = state.decoded ?? decode()
            let opened = FormattedDocument(decoded, original: bytes, as: format)
            return { state in
                // A later call repeats what was cancelled.
                if !decoded.isCancelled { state.decoded = decoded }
                if !opened.isCancelled { state.opened = opened }
            }
        }
        dropTreeOverLimit()
    }

    /// Drops a tree that exceeded its memory limit.
    func dropTreeOverLimit() {
        guard let problem = opened?.limitProblem else { return }
        let dropped = state.withLock { state in
            defer { state.opened = nil }
            state.treeProblem = problem
            return state.opened
        }
        // Freed outside the lock, because that takes time.
        _ = dropped
    }

    /// Converts a body on the calling thread to make its lines.
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

    /// Does the long part of the work without the lock, for one caller at a time; others return at once.
    private func work(_ make: (State) -> ((inout State) -> Void)?) {
        guard !isWorking.exchange(true, ordering: .acquiring) else { return }
        defer { isWorking.store(false, ordering: .releasing) }
        let before = state.withLock { $0 }
        guard let change = make(before) else { return }
        state.withLock { change(&$0) }
    }
}
