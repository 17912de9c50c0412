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
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = bytes.base[at]
            if byte != 0x5C {
                decoded.append(byte)
                at += 1
            } else if bytes.base[at + 1] == 0x75 {
                let (scalar, length) = unicodeEscape(at)
                decoded.append(contentsOf: String(Character(scalar)).utf8)
                at += length
            } else {
                decoded.append(Self.plainEscape(bytes.base[at + 1]))
                at += 2
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func plainEscape(_ letter: UInt8) -> UInt8 {
        switch letter {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: letter
        }
    }

    /// The character of the `\u` at a byte, and how long its escape or pair of escapes is.
    private func unicodeEscape(_ at: Int) -> (Unicode.Scalar, length: Int) {
        let first = codeUnit(at)
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        let second = bytes.base[at + 6] == 0x5C && bytes.base[at + 7] == 0x75 ? codeUnit(at + 6) : 0
        guard first < 0xDC00, second & 0xFC00 == 0xDC00 else { return ("\u{FFFD}", 6) }
        let code = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
        return (Unicode.Scalar(code) ?? "\u{FFFD}", 12)
    }

    private func codeUnit(_ at: Int) -> UInt32 {
        (2..<6).reduce(0) { $0 << 4 | UInt32(HexDigit.value(bytes.base[at + $1]) ?? 0) }
    }
}
