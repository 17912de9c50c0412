import Synchronization

/// The pretty-printed lines of a body: only its white space differs, everything else is as written.
///
/// All copies of a `BodyDocument` share the result.
final class PrettyLines: Sendable {
    /// A larger body is shown as it was sent: the new text would take as much memory again.
    static let largest = 32 << 20

    private struct State {
        var lines: TextDocument?
        var problem: String?
    }

    private let state = Mutex(State())

    /// The lines; nil until they are made.
    var lines: TextDocument? { state.withLock { $0.lines } }

    /// Why there are none; nil if there are, or may still be.
    var problem: String? { state.withLock { $0.problem } }

    /// Whether the work has ended.
    var isDone: Bool { state.withLock { $0.lines != nil || $0.problem != nil } }

    /// Lays out JSON that was parsed to its end.
    func make(of document: Document) {
        guard !isDone else { return }
        do throws(DocumentWritingError) {
            guard document.fault == nil else {
                return refuse("it has a syntax error, so it is shown as it was sent")
            }
            show(try DocumentWriter(.pretty).bytes(of: .root, in: document))
        } catch {
            refuse("it has a syntax error, so it is shown as it was sent")
        }
    }

    /// Lays out XML or HTML.
    func make(ofMarkup text: DocumentBytes, isHTML: Bool) {
        guard !isDone else { return }
        let pretty = text.withUnsafeBytes {
            MarkupLayout.layOut($0.assumingMemoryBound(to: UInt8.self), isHTML: isHTML)
        }
        guard let pretty else {
            return refuse("a tag in it has no end, so it is shown as it was sent")
        }
        show(pretty)
    }

    /// Keeps the body as it was sent.
    func refuse(_ problem: String) {
        state.withLock { if $0.lines == nil { $0.problem = $0.problem ?? problem } }
    }

    private func show(_ bytes: [UInt8]) {
        let lines = TextDocument(DocumentBytes(bytes))
        while lines.scan(length: TextDocument.chunk) {}
        state.withLock { $0.lines = $0.lines ?? lines }
    }
}

extension DocumentBytes {
    /// The offset in another text at which the same character stands, if the two differ only in white space.
    package func offset(_ offset: Int, in other: DocumentBytes) -> Int {
        var count = 0
        withUnsafeBytes { bytes in
            for byte in bytes.prefix(offset) where byte > 0x20 { count += 1 }
        }
        return other.withUnsafeBytes { bytes in
            for (place, byte) in bytes.enumerated() where byte > 0x20 {
                if count == 0 { return place }
                count -= 1
            }
            return max(0, bytes.count - 1)
        }
    }
}
