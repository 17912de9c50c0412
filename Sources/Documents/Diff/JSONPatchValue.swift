/// The value of an operation: one of some document, not a copy.
public struct JSONPatchValue: Sendable, Equatable, CustomStringConvertible {
    let document: Document
    let node: NodeIndex

    /// A value of a document.
    public init(_ node: NodeIndex, of document: Document) {
        self.document = document
        self.node = node
    }

    /// The value as JSON text.
    public var description: String { String(decoding: jsonBytes, as: UTF8.self) }

    /// The value as JSON text in UTF-8, as its document has it.
    public var jsonBytes: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// Whether both have the same text.
    public static func == (lhs: JSONPatchValue, rhs: JSONPatchValue) -> Bool {
        lhs.jsonBytes == rhs.jsonBytes
    }

    /// Writes the text, with the brackets that a broken document or a list of documents lacks.
    func append(to text: inout [UInt8]) {
        var open: [(end: Int, closer: UInt8)] = []
        var at = node.rawValue
        let end = at + document.subtreeSize(of: node)
        var isFirst = true
        while at < end {
            while let last = open.last, last.end <= at {
                text.append(last.closer)
                open.removeLast()
                isFirst = false
            }
            let current = NodeIndex(at)
            if !open.isEmpty {
                if !isFirst { text.append(0x2C) }
                appendKey(of: current, to: &text)
            }
            let range = document.valueRange(of: current)
            let kind = document.kind(of: current)
            let size = document.subtreeSize(of: current)
            isFirst = kind.isContainer && !isWhole(current, kind, range)
            if isFirst {
                text.append(kind == .array ? 0x5B : 0x7B)
                open.append((at + size, kind == .array ? 0x5D : 0x7D))
                at += 1
            } else {
                document.bytes.withUnsafeBytes { text.append(contentsOf: $0[range]) }
                at += size
            }
        }
        for last in open.reversed() { text.append(last.closer) }
    }

    private func isWhole(_ node: NodeIndex, _ kind: ValueKind, _ range: Range<Int>) -> Bool {
        guard !document.isIncomplete(node), !range.isEmpty else { return false }
        return document.bytes.base[range.lowerBound] == (kind == .array ? 0x5B : 0x7B)
    }

    private func appendKey(of node: NodeIndex, to text: inout [UInt8]) {
        guard let key = document.keyRange(of: node) else { return }
        text.append(0x22)
        document.bytes.withUnsafeBytes { text.append(contentsOf: $0[key]) }
        text += [0x22, 0x3A]
    }
}
