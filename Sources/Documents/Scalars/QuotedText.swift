/// Writes text as a JSON string with only the necessary escapes (RFC 8785, section 3.2.2.2).
package enum QuotedText {
    /// Appends a text in quotes.
    package static func append(_ text: String, to json: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &json) }
    }

    /// Appends bytes in quotes; a lone surrogate, in the form of `EscapedText`, becomes its escape.
    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to json: inout [UInt8]) {
        json.append(0x22)
        escape(bytes) { json.append(contentsOf: $0) }
        json.append(0x22)
    }

    /// Passes the escaped content of the string to `put`, piece by piece.
    ///
    /// Only for a lone surrogate does this look at more than one byte, because the UTF-8 may be cut anywhere.
    @inline(__always) static func escape(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ put: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) rethrows {
        guard let base = bytes.baseAddress else { return }
        var run = 0
        var at = 0
        while at < bytes.count {
            let isHalf = bytes[at] == 0xED && at + 2 < bytes.count && bytes[at + 1] >= 0xA0
            guard mustEscape(bytes[at]) || isHalf else {
                at = UTF8Text.plainEnd(base, at + 1, bytes.count)
                continue
            }
            try put(UnsafeBufferPointer(rebasing: bytes[run..<at]))
            let escape = isHalf ? half(bytes[at + 1], bytes[at + 2]) : Self.escape(bytes[at])
            try escape.withUnsafeBufferPointer(put)
            at += isHalf ? 3 : 1
            run = at
        }
        try put(UnsafeBufferPointer(rebasing: bytes[run...]))
    }

    /// The escapes of the bytes up to the backslash, made once so that no array is made per use.
    private static let escapes = (0...0x5C).map { newEscape(UInt8($0)) }

    /// The escape of a byte that must be escaped.
    static func escape(_ byte: UInt8) -> [UInt8] { escapes[Int(byte)] }

    private static func newEscape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case 0x08: [0x5C, 0x62]
        case 0x09: [0x5C, 0x74]
        case 0x0A: [0x5C, 0x6E]
        case 0x0C: [0x5C, 0x66]
        case 0x0D: [0x5C, 0x72]
        case 0x22, 0x5C: [0x5C, byte]
        default: unit(UInt32(byte))
        }
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    /// The escape of a lone surrogate, from the last two of the three bytes that stand for it.
    private static func half(_ second: UInt8, _ third: UInt8) -> [UInt8] {
        unit(0xD000 | UInt32(second & 0x3F) << 6 | UInt32(third & 0x3F))
    }

    private static func unit(_ code: UInt32) -> [UInt8] {
        let digits = [12, 8, 4, 0].map { HexDigit.digit(UInt8(truncatingIfNeeded: code >> $0)) }
        return [0x5C, 0x75] + digits
    }
}
