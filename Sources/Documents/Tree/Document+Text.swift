/// Keys and values as text.
extension Document {
    /// A value as written.
    public func sourceText(of node: NodeIndex) -> String { bytes.string(in: valueRange(of: node)) }

    /// A member's key, its escapes decoded.
    public func key(of node: NodeIndex) -> String? {
        guard let range = keyRange(of: node) else { return nil }
        let hasEscapes = nodes.read(node.rawValue).bits & Node.keyEscapeBit != 0
        return hasEscapes ? unescaped(range) : bytes.string(in: range)
    }

    /// A string's content, its escapes decoded; nil for other kinds.
    ///
    /// A surrogate without its other half, which no `String` can hold, becomes U+FFFD; the source
    /// text keeps it.
    public func string(of node: NodeIndex) -> String? {
        let value = nodes.read(node.rawValue)
        guard value.kindBits == ValueKind.string.rawValue else { return nil }
        let source = valueRange(of: node)
        let range =
            value.isIrregular
            ? irregularContent(of: source) : source.lowerBound + 1..<source.upperBound - 1
        return value.bits & Node.valueEscapeBit != 0 ? unescaped(range) : bytes.string(in: range)
    }

    private func unescaped(_ range: Range<Int>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        EscapedText.decode(bytes.base, range, replacingHalves: true, into: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }
}
