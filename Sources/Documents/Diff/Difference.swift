/// One difference between two documents.
public struct Difference: Equatable, Sendable {
    /// What happened.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// The right side has a value that the left one lacks.
        case added
        /// The left side has a value that the right one lacks.
        case removed
        /// A value became another one.
        case changed
        /// A value went to another place of its array.
        case moved
    }

    static let nothing = UInt32.max

    /// What happened.
    public let kind: Kind
    // Numbers of 32 bits: two documents without anything in common have millions of these.
    private let leftNumber: UInt32
    private let rightNumber: UInt32

    init(_ kind: Kind, left: UInt32, right: UInt32) {
        self.kind = kind
        leftNumber = left
        rightNumber = right
    }

    /// The value in the left document; nil for what was added.
    public var left: NodeIndex? { Self.node(leftNumber) }

    /// The value in the right document; nil for what was removed.
    public var right: NodeIndex? { Self.node(rightNumber) }

    private static func node(_ number: UInt32) -> NodeIndex? {
        number == nothing ? nil : NodeIndex(Int(number))
    }
}

/// A difference as one line of text, in parts that a caller may colour.
public struct DiffLine: Equatable, Sendable, CustomStringConvertible {
    /// What happened.
    public let kind: Difference.Kind
    /// `+`, `-`, `~` or `↕`.
    public let sign: String
    /// Where, such as `orders[0].name`; in the left document but for what was added.
    public let path: String
    /// What was there; nil for what was added or moved.
    public let old: String?
    /// What is there now; for what was moved its new path, nil for what was removed.
    public let new: String?

    /// The parts in one line.
    public var description: String {
        let parts = [old, new].compactMap { $0 }
        let values = parts.joined(separator: " \(DiffWords.arrow) ")
        let between = kind == .moved ? " \(DiffWords.arrow) " : "  "
        return "\(sign) \(path)" + (values.isEmpty ? "" : between + values)
    }
}

extension DocumentDiff {
    /// The differences as lines, each made when it is asked for; no value is longer than `textLimit`
    /// bytes.
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
        return DiffLine(
            kind: difference.kind,
            sign: DiffWords.sign(of: difference.kind),
            path: oldPath ?? newPath ?? "$",
            old: isMoved ? nil : old,
            new: isMoved ? newPath : new
        )
    }
}

/// The signs that a comparison is written with.
enum DiffWords {
    /// Between what was and what is.
    static let arrow = "→"
    /// Where something was cut.
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

/// A value in one short line: as written, but without line breaks and indents between its parts.
struct ValuePreview {
    let text: String

    init(_ node: NodeIndex, of document: Document, limit: Int) {
        let range = document.valueRange(of: node)
        guard document.kind(of: node).isContainer else {
            let cut = document.bytes.cutText(range, limit: limit)
            text = cut.isCut ? cut.text + DiffWords.cut : cut.text
            return
        }
        // A few more bytes than are shown, so that it is known when something was cut.
        let wanted = Self.withoutSpace(range, of: document.bytes, atMost: limit + 4)
        let cut = DocumentBytes(wanted).cutText(0..<wanted.count, limit: limit)
        text = cut.isCut ? cut.text + DiffWords.cut : cut.text
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
