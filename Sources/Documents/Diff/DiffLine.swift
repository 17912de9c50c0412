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
