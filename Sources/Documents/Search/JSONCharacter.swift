/// One character of a JSON text, decoded where it stands.
enum JSONCharacter {
    /// For bytes that are no UTF-8: equal to nothing.
    static let invalid: UInt32 = 0x110000

    /// The character of the escape whose backslash is at a byte, and the escape's length.
    ///
    /// A lone surrogate is U+FFFD; what is no escape is the byte behind the backslash.
    static func escape(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int) {
        guard start + 1 < end else { return (invalid, 1) }
        switch text[start + 1] {
        case 0x62: return (0x08, 2)
        case 0x66: return (0x0C, 2)
        case 0x6E: return (0x0A, 2)
        case 0x72: return (0x0D, 2)
        case 0x74: return (0x09, 2)
        case 0x75: return unicodeEscape(in: text, at: start, end: end)
        case let letter: return (letter < 0x80 ? UInt32(letter) : invalid, letter < 0x80 ? 2 : 1)
        }
    }

    /// The character at a byte as it stands, and its length.
    @inline(__always) static func plain(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int) {
        let lead = text[start]
        return lead < 0x80 ? (UInt32(lead), 1) : multibyte(in: text, at: start, end: end)
    }

    private static func multibyte(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int) {
        let count = min(4, end - start)
        var decoder = UTF8()
        var bytes = UnsafeBufferPointer(start: text + start, count: count).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return (invalid, 1) }
        return (scalar.value, UTF8.width(scalar))
    }

    private static func unicodeEscape(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int) {
        guard let first = codeUnit(in: text, at: start, end: end) else { return (0x75, 2) }
        guard first & 0xF800 == 0xD800 else { return (first, 6) }
        guard first < 0xDC00, let second = codeUnit(in: text, at: start + 6, end: end),
            second & 0xFC00 == 0xDC00
        else { return (0xFFFD, 6) }
        return (0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, 12)
    }

    private static func codeUnit(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> UInt32? {
        guard start + 6 <= end, text[start] == 0x5C, text[start + 1] == 0x75 else { return nil }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = HexDigit.value(text[index]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
