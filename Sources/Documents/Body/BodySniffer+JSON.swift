extension BodySniffer {
    /// JSON or JSON lines, when the text is right as far as it goes.
    var json: DocumentFormat? {
        if beginsWithSeparator { return .jsonLines }
        let document = Document.begin(bytes)
        guard document.nodeCount > 0 else { return nil }
        guard let fault = document.fault else { return .json }
        if fault.kind == .unexpectedEnd { return beginsLikeJSON ? .json : nil }
        return Self.isJSONLines(document) ? .jsonLines : nil
    }

    /// Whether it begins with the record separator of RFC 7464.
    var beginsWithSeparator: Bool { bytes.count > 0 && bytes.base[0] == 0x1E }

    /// Whether the one value of a tree is followed by another one on a line of its own.
    static func isJSONLines(_ document: Document) -> Bool {
        guard let fault = document.fault, fault.kind == .trailingBytes else { return false }
        let end = document.valueRange(of: .root).upperBound
        guard document.bytes.array(in: end..<fault.offset).contains(0x0A) else { return false }
        let first = document.bytes.withUnsafeBytes {
            DocumentBytes(
                copying: UnsafeRawBufferPointer(
                    rebasing: $0[..<min($0.count, fault.offset + Document.firstWindow)]
                )
            )
        }
        let lines = Document.begin(first, as: .sequence)
        var values = lines.children(of: .root).makeIterator()
        guard values.next() != nil, let second = values.next() else { return false }
        guard let broken = lines.fault, broken.kind != .unexpectedEnd else { return true }
        return broken.offset > lines.valueRange(of: second).upperBound
    }
}
