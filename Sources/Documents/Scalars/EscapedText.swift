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

/// Hexadecimal digits, read and written.
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

    /// A byte as two digits.
    static func pair(_ byte: UInt8) -> String {
        String(decoding: [digit(byte >> 4), digit(byte)], as: UTF8.self)
    }
}
