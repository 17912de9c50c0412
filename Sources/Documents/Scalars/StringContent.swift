import Glibc

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
