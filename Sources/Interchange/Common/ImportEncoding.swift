/// Brings the bytes of a text file to UTF-8.
enum ImportEncoding {
    /// The bytes in UTF-8, and what they were if nothing says it; UTF-8 and what is no text stay as they are.
    static func utf8(_ bytes: [UInt8]) -> (bytes: [UInt8], guess: String?) {
        if let isLittle = utf16Order(bytes) { return (fromUTF16(bytes, isLittle: isLittle), nil) }
        guard String(validating: bytes, as: UTF8.self) == nil, !bytes.contains(0) else {
            return (bytes, nil)
        }
        var text = String.UnicodeScalarView()
        for byte in bytes {
            let code = (0x80...0x9F).contains(byte) ? windows[Int(byte) - 0x80] : UInt32(byte)
            text.append(Unicode.Scalar(code) ?? "\u{FFFD}")
        }
        return (Array(String(text).utf8), "Windows-1252")
    }

    /// Whether UTF-16 has its lower bytes first; nil if the bytes are no UTF-16.
    private static func utf16Order(_ bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 4 else { return nil }
        if bytes[0] == 0xFF, bytes[1] == 0xFE { return true }
        if bytes[0] == 0xFE, bytes[1] == 0xFF { return false }
        // Without a byte order mark: such files begin with ASCII.
        let isOdd = bytes[1] == 0 && bytes[3] == 0 && bytes[0] != 0 && bytes[2] != 0
        let isEven = bytes[0] == 0 && bytes[2] == 0 && bytes[1] != 0 && bytes[3] != 0
        return isOdd ? true : isEven ? false : nil
    }

    private static func fromUTF16(_ bytes: [UInt8], isLittle: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        if units.first == 0xFEFF { units.removeFirst() }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// What Windows-1252 has where Latin-1 has control characters (0x80 to 0x9F).
    private static let windows: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
