import Glibc

/// The content of a JSON string or key, between its quotes, by code points.
///
/// Escapes are decoded to UTF-8; half a surrogate pair, which UTF-8 has no form for, becomes the
/// three bytes that its code point would have, so that different halves stay different.
enum StringContent {
    /// Calls `body` with the decoded bytes, which are those of the text when it has no escape.
    @inline(__always) static func with<R>(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R {
        let start = base + range.lowerBound
        guard range.count > 0, memchr(start, 0x5C, range.count) != nil else {
            return body(UnsafeBufferPointer(start: start, count: range.count))
        }
        return decoded(UnsafeBufferPointer(start: start, count: range.count))
            .withUnsafeBufferPointer(body)
    }

    /// Whether a key is a name; it is decoded only when an escape is in the way.
    @inline(__always) static func isEqual(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        to name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // An escape is always longer than what it stands for.
        guard range.count >= name.count else { return false }
        let key = base + range.lowerBound
        var at = 0
        while at < name.count {
            let byte = key[at]
            if byte == 0x5C {
                let raw = UnsafeBufferPointer(start: key, count: range.count)
                return decoded(raw).elementsEqual(name)
            }
            if byte != name[at] { return false }
            at &+= 1
        }
        return range.count == name.count
    }

    @inline(never) static func decoded(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var at = 0
        while at < raw.count {
            guard raw[at] == 0x5C, at + 1 < raw.count else {
                decoded.append(raw[at])
                at += 1
                continue
            }
            if raw[at + 1] == 0x75 {
                at += appendCodePoint(of: raw, at, to: &decoded)
            } else {
                decoded.append(meaning(of: raw[at + 1]))
                at += 2
            }
        }
        return decoded
    }

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

    /// Appends the character of a `\u`; returns the length of its escape or pair of escapes.
    private static func appendCodePoint(
        of raw: UnsafeBufferPointer<UInt8>,
        _ at: Int,
        to decoded: inout [UInt8]
    ) -> Int {
        let first = codeUnit(raw, at)
        if first & 0xFC00 == 0xD800, at + 7 < raw.count, raw[at + 6] == 0x5C, raw[at + 7] == 0x75 {
            let second = codeUnit(raw, at + 6)
            if second & 0xFC00 == 0xDC00 {
                let code = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
                decoded.append(UInt8(0xF0 | code >> 18))
                decoded.append(UInt8(0x80 | code >> 12 & 0x3F))
                appendTail(code, to: &decoded)
                return 12
            }
        }
        if first < 0x80 {
            decoded.append(UInt8(first))
        } else if first < 0x800 {
            decoded.append(UInt8(0xC0 | first >> 6))
            decoded.append(UInt8(0x80 | first & 0x3F))
        } else {
            decoded.append(UInt8(0xE0 | first >> 12))
            appendTail(first, to: &decoded)
        }
        return 6
    }

    private static func appendTail(_ code: UInt32, to decoded: inout [UInt8]) {
        decoded.append(UInt8(0x80 | code >> 6 & 0x3F))
        decoded.append(UInt8(0x80 | code & 0x3F))
    }

    private static func codeUnit(_ raw: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
        guard at + 6 <= raw.count else { return 0xFFFD }
        return (2..<6).reduce(0) { $0 << 4 | UInt32(HexDigit.value(raw[at + $1]) ?? 0) }
    }
}
