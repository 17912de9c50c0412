import Glibc

/// Decodes the escapes in JSON strings and keys (RFC 8259, section 7).
///
/// A lone surrogate, for which UTF-8 has no form, becomes the three bytes that its code point would have, so
/// that different surrogates stay different, or U+FFFD if the result is to be a `String`.
enum EscapedText {
    /// Appends the decoded content of a range; false if it has a lone surrogate.
    @discardableResult static func decode(
        _ text: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        replacingHalves: Bool = false,
        into decoded: inout [UInt8]
    ) -> Bool {
        var isWhole = true
        var at = range.lowerBound
        while at < range.upperBound {
            let found = memchr(text + at, 0x5C, range.upperBound - at)
            let end =
                found.map { UnsafeRawPointer($0) - UnsafeRawPointer(text) } ?? range.upperBound
            decoded.append(contentsOf: UnsafeBufferPointer(start: text + at, count: end - at))
            guard end < range.upperBound else { break }
            let (code, length) = character(text, end, end: range.upperBound)
            let isHalf = isHalf(code)
            if isHalf { isWhole = false }
            append(isHalf && replacingHalves ? 0xFFFD : code, to: &decoded)
            at = end + length
        }
        return isWhole
    }

    /// The decoded content of a range.
    static func bytes(_ text: UnsafePointer<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        decode(text, range, into: &decoded)
        return decoded
    }

    /// The code point of the escape whose backslash is at a byte, and the length of the escape or escaped pair.
    ///
    /// An invalid escape, which only a broken text has, is the byte after the backslash.
    static func character(
        _ text: UnsafePointer<UInt8>,
        _ at: Int,
        end: Int
    ) -> (code: UInt32, length: Int) {
        guard at + 1 < end else { return (0x5C, 1) }
        guard text[at + 1] == 0x75, let first = codeUnit(text, at, end: end) else {
            return (UInt32(meaning(of: text[at + 1])), 2)
        }
        guard first & 0xFC00 == 0xD800, let second = codeUnit(text, at + 6, end: end),
            second & 0xFC00 == 0xDC00
        else { return (first, 6) }
        return (0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, 12)
    }

    /// Whether a code point is a surrogate.
    static func isHalf(_ code: UInt32) -> Bool { code & 0xFFFF_F800 == 0xD800 }

    private static func meaning(of letter: UInt8) -> UInt8 {
        switch letter {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: letter
        }
    }

    private static func codeUnit(_ text: UnsafePointer<UInt8>, _ at: Int, end: Int) -> UInt32? {
        guard at + 6 <= end, text[at] == 0x5C, text[at + 1] == 0x75 else { return nil }
        var unit: UInt32 = 0
        for index in at + 2..<at + 6 {
            guard let digit = HexDigit.value(text[index]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: code >> shift) & 0x3F | 0x80
        }
        func lead(_ mark: UInt8, _ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: code >> shift) | mark
        }
        switch code {
        case 0..<0x80: bytes.append(lead(0, 0))
        case 0x80..<0x800:
            bytes.append(lead(0xC0, 6))
            bytes.append(tail(0))
        case 0x800..<0x10000:
            bytes.append(lead(0xE0, 12))
            bytes.append(tail(6))
            bytes.append(tail(0))
        default:
            bytes.append(lead(0xF0, 18))
            bytes.append(tail(12))
            bytes.append(tail(6))
            bytes.append(tail(0))
        }
    }
}

/// Hexadecimal digits, both ways.
package enum HexDigit {
    @inlinable @inline(__always) package static func value(_ byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? 0x30 + value : 0x61 + value - 10
    }
}

/// The content of a JSON string or key, between its quotes, by code points.
///
/// Escapes are decoded like in `EscapedText`, so that different lone surrogates stay different.
enum StringContent {
    /// Calls `body` with the decoded bytes, or with those of the text if it has no escapes.
    @inline(__always) static func with<R>(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R {
        let start = base + range.lowerBound
        guard range.count > 0, memchr(start, 0x5C, range.count) != nil else {
            return body(UnsafeBufferPointer(start: start, count: range.count))
        }
        return EscapedText.bytes(base, range).withUnsafeBufferPointer(body)
    }

    /// Whether a key equals a name; the key is decoded only if it has an escape before any difference.
    @inline(__always) static func isEqual(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        to name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // An escape is always longer than the bytes it stands for.
        guard range.count >= name.count else { return false }
        let key = base + range.lowerBound
        var at = 0
        while at < name.count {
            let byte = key[at]
            if byte == 0x5C {
                return EscapedText.bytes(base, range).elementsEqual(name)
            }
            if byte != name[at] { return false }
            at &+= 1
        }
        return range.count == name.count
    }
}

/// One character of a JSON text, decoded in place.
enum JSONCharacter {
    /// Stands for bytes that are not UTF-8, and equals no character.
    static let invalid: UInt32 = 0x110000

    /// The character of the escape whose backslash is at a byte, and the escape's length.
    ///
    /// A lone surrogate is U+FFFD; an invalid escape is the byte after the backslash.
    static func escape(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int) {
        guard start + 1 < end, text[start + 1] < 0x80 else { return (invalid, 1) }
        let (code, length) = EscapedText.character(text, start, end: end)
        return (EscapedText.isHalf(code) ? 0xFFFD : code, length)
    }

    /// The unescaped character at a byte, and its length.
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
}
