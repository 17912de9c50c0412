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
