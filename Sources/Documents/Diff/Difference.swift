/// One difference between two documents.
public struct Difference: Equatable, Sendable {
    /// How a value differs between two documents.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// The right side has a value that the left one lacks.
        case added
        /// The left side has a value that the right one lacks.
        case removed
        /// A value was replaced by a different one.
        case changed
        /// A value moved to another index of its array.
        case moved
    }

    static let nothing = UInt32.max

    /// How the value differs.
    public let kind: Kind
    // 32-bit numbers, because documents with nothing in common have millions of differences.
    private let leftNumber: UInt32
    private let rightNumber: UInt32

    init(_ kind: Kind, left: UInt32, right: UInt32) {
        self.kind = kind
        leftNumber = left
        rightNumber = right
    }

    /// The value in the left document; nil if it was added.
    public var left: NodeIndex? { Self.node(leftNumber) }

    /// The value in the right document; nil if it was removed.
    public var right: NodeIndex? { Self.node(rightNumber) }

    private static func node(_ number: UInt32) -> NodeIndex? {
        number == nothing ? nil : NodeIndex(Int(number))
    }
}

/// A difference as one line of text, in parts that a caller may color.
public struct DiffLine: Equatable, Sendable, CustomStringConvertible {
    /// How the value differs.
    public let kind: Difference.Kind
    /// `+`, `-`, `~` or `↕`.
    public let sign: String
    /// The path, such as `orders[0].name`: in the left document, but in the right one for an added value.
    public let path: String
    /// The old value; nil if the value was added or moved.
    public let old: String?
    /// The new value, or the new path of a moved value; nil if the value was removed.
    public let new: String?

    /// All parts in one line.
    public var description: String {
        let parts = [old, new].compactMap { $0 }
        let values = parts.joined(separator: " \(DiffSigns.arrow) ")
        let between = kind == .moved ? " \(DiffSigns.arrow) " : "  "
        return "\(sign) \(path)" + (values.isEmpty ? "" : between + values)
    }
}

extension DocumentDiff {
    /// The differences as lines, each made on request; no value is longer than `textLimit` bytes.
    public func lines(textLimit: Int = 60) -> some Sequence<DiffLine> {
        differences.indices.lazy.map { line(at: $0, textLimit: textLimit) }
    }

    /// One of the `differences` as a line.
    public func line(at index: Int, textLimit: Int = 60) -> DiffLine {
        let difference = differences[index]
        let old = difference.left.map { ValuePreview($0, of: left, limit: textLimit).text }
        let new = difference.right.map { ValuePreview($0, of: right, limit: textLimit).text }
        let oldPath = difference.left.map { left.dottedPath(of: $0) }
        let newPath = difference.right.map { right.dottedPath(of: $0) }
        let isMoved = difference.kind == .moved
        let apart = old.flatMap { old in new.flatMap { LookAlike.spelled(old, $0) } }
        return DiffLine(
            kind: difference.kind,
            sign: DiffSigns.sign(of: difference.kind),
            path: oldPath ?? newPath ?? "$",
            old: isMoved ? nil : apart?.a ?? old,
            new: isMoved ? newPath : apart?.b ?? new
        )
    }
}

/// The signs in the text of a comparison.
enum DiffSigns {
    /// Between the old and the new value.
    static let arrow = "→"
    /// At the end of text that was cut.
    static let cut = "…"

    static func sign(of kind: Difference.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }
}

/// A value in one short line, as written but without white space between its parts.
struct ValuePreview {
    let text: String

    init(_ node: NodeIndex, of document: Document, limit: Int) {
        let range = document.valueRange(of: node)
        guard document.kind(of: node).isContainer else {
            let cut = document.bytes.cutText(range, limit: limit)
            text = cut.isCut ? cut.text + DiffSigns.cut : cut.text
            return
        }
        // A few bytes more than the limit, to detect whether the text is cut.
        let wanted = Self.withoutSpace(range, of: document.bytes, atMost: limit + 4)
        let cut = DocumentBytes(wanted).cutText(0..<wanted.count, limit: limit)
        text = cut.isCut ? cut.text + DiffSigns.cut : cut.text
    }

    private static func withoutSpace(
        _ range: Range<Int>,
        of bytes: DocumentBytes,
        atMost limit: Int
    ) -> [UInt8] {
        var text: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for at in range {
            guard text.count < limit else { break }
            let byte = bytes.base[at]
            if !isInString && byte <= 0x20 { continue }
            text.append(byte)
            if byte == 0x22 && !isEscaped { isInString.toggle() }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return text
    }
}
