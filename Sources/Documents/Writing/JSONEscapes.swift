/// The inside of JSON strings: escapes undone, and done in their shortest form.
enum JSONEscapes {
    /// Appends the characters of a string's inside; false when half a surrogate pair is among them.
    ///
    /// Such a half becomes the three bytes that UTF-8 would have for it, so that nothing is lost.
    static func decode(
        _ text: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        into decoded: inout [UInt8]
    ) -> Bool {
        var isWhole = true
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = text[at]
            if byte != 0x5C {
                decoded.append(byte)
                at += 1
            } else if text[at + 1] == 0x75 {
                let (code, length) = character(text, at, end: range.upperBound)
                if code & 0xFFFF_F800 == 0xD800 { isWhole = false }
                append(code, to: &decoded)
                at += length
            } else {
                decoded.append(plain(text[at + 1]))
                at += 2
            }
        }
        return isWhole
    }

    /// The code point of the `\u` at a byte, and how long its escape or pair of escapes is.
    private static func character(
        _ text: UnsafePointer<UInt8>,
        _ at: Int,
        end: Int
    ) -> (UInt32, length: Int) {
        let first = codeUnit(text, at)
        guard first & 0xFC00 == 0xD800, at + 12 <= end, text[at + 6] == 0x5C, text[at + 7] == 0x75
        else { return (first, 6) }
        let second = codeUnit(text, at + 6)
        guard second & 0xFC00 == 0xDC00 else { return (first, 6) }
        return (0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, 12)
    }

    private static func codeUnit(_ text: UnsafePointer<UInt8>, _ at: Int) -> UInt32 {
        (2..<6).reduce(0) { $0 << 4 | UInt32(HexDigit.value(text[at + $1]) ?? 0) }
    }

    private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: code >> shift) & 0x3F | 0x80
        }
        let code8 = { (shift: UInt32) in UInt8(truncatingIfNeeded: code >> shift) }
        switch code {
        case 0..<0x80: bytes.append(code8(0))
        case 0x80..<0x800: bytes += [code8(6) | 0xC0, tail(0)]
        case 0x800..<0x10000: bytes += [code8(12) | 0xE0, tail(6), tail(0)]
        default: bytes += [code8(18) | 0xF0, tail(12), tail(6), tail(0)]
        }
    }

    private static func plain(_ letter: UInt8) -> UInt8 {
        switch letter {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: letter
        }
    }

    // MARK: - Back

    /// Writes a string in quotes; only what must be escaped is (RFC 8785, section 3.2.2.2).
    static func write(
        _ bytes: UnsafeBufferPointer<UInt8>,
        to output: inout OutputBuffer
    ) throws {
        try output.append(0x22)
        var run = 0
        var at = 0
        while let start = bytes.baseAddress, at < bytes.count {
            let isHalf = bytes[at] == 0xED && at + 2 < bytes.count && bytes[at + 1] >= 0xA0
            guard mustEscape(bytes[at]) || isHalf else {
                at += 1
                continue
            }
            try output.append(start + run, at - run)
            try output.append(isHalf ? half(bytes, at) : escape(bytes[at]))
            at += isHalf ? 3 : 1
            run = at
        }
        if let start = bytes.baseAddress { try output.append(start + run, at - run) }
        try output.append(0x22)
    }

    /// Writes a text in quotes.
    static func write(_ text: String, to output: inout OutputBuffer) throws {
        var text = text
        try text.withUTF8 { try write($0, to: &output) }
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
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

    /// The escape of half a pair, from the three bytes that stand for it.
    private static func half(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> [UInt8] {
        unit(0xD000 | UInt32(bytes[at + 1] & 0x3F) << 6 | UInt32(bytes[at + 2] & 0x3F))
    }

    private static func unit(_ code: UInt32) -> [UInt8] {
        let digits = [12, 8, 4, 0].map { HexDigit.digit(UInt8(truncatingIfNeeded: code >> $0)) }
        return [0x5C, 0x75] + digits
    }
}
