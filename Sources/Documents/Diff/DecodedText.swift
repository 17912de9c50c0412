/// The content of strings and keys as bytes, their escapes decoded.
///
/// Half a surrogate pair, which no `String` can hold, keeps the three bytes that UTF-8 would have
/// for it, so that different halves stay different.
enum DecodedText {
    static func bytes(_ range: Range<Int>, of text: DocumentBytes) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = text.base[at]
            if byte != 0x5C {
                decoded.append(byte)
                at += 1
            } else if text.base[at + 1] == 0x75 {
                at = appendCharacter(at, of: text.base, to: &decoded)
            } else {
                decoded.append(letter(text.base[at + 1]))
                at += 2
            }
        }
        return decoded
    }

    /// Decodes the `\u` at a byte, or two of them that belong together; returns where it ends.
    private static func appendCharacter(
        _ at: Int,
        of text: UnsafePointer<UInt8>,
        to decoded: inout [UInt8]
    ) -> Int {
        let first = codeUnit(text + at)
        guard first & 0xFC00 == 0xD800, text[at + 6] == 0x5C, text[at + 7] == 0x75 else {
            append(first, to: &decoded)
            return at + 6
        }
        let second = codeUnit(text + at + 6)
        guard second & 0xFC00 == 0xDC00 else {
            append(first, to: &decoded)
            return at + 6
        }
        append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, to: &decoded)
        return at + 12
    }

    private static func codeUnit(_ escape: UnsafePointer<UInt8>) -> UInt32 {
        (2..<6).reduce(0) { $0 << 4 | UInt32(HexDigit.value(escape[$1]) ?? 0) }
    }

    private static func append(_ code: UInt32, to decoded: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(code >> shift & 0x3F) }
        switch code {
        case 0..<0x80: decoded.append(UInt8(code))
        case 0x80..<0x800: decoded += [0xC0 | UInt8(code >> 6), tail(0)]
        case 0x800..<0x10000: decoded += [0xE0 | UInt8(code >> 12), tail(6), tail(0)]
        default: decoded += [0xF0 | UInt8(code >> 18), tail(12), tail(6), tail(0)]
        }
    }

    private static func letter(_ escape: UInt8) -> UInt8 {
        switch escape {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: escape
        }
    }

    /// Writes decoded bytes as a JSON string with its quotes.
    static func appendQuoted(_ decoded: some Sequence<UInt8>, to text: inout [UInt8]) {
        let decoded = Array(decoded)
        text.append(0x22)
        var at = 0
        while at < decoded.count {
            let byte = decoded[at]
            if byte == 0xED, at + 2 < decoded.count, decoded[at + 1] >= 0xA0 {
                let low = UInt16(decoded[at + 1] & 0x3F) << 6 | UInt16(decoded[at + 2] & 0x3F)
                appendEscape(0xD000 | low, to: &text)
                at += 3
                continue
            }
            switch byte {
            case 0x22, 0x5C: text += [0x5C, byte]
            case 0..<0x20: appendEscape(UInt16(byte), to: &text)
            default: text.append(byte)
            }
            at += 1
        }
        text.append(0x22)
    }

    private static func appendEscape(_ unit: UInt16, to text: inout [UInt8]) {
        text += [0x5C, 0x75]
        for shift: UInt16 in [12, 8, 4, 0] {
            text.append(HexDigit.digit(UInt8(unit >> shift & 15)))
        }
    }
}
