/// Names, strings and numbers of a query.
extension QueryCursor {
    /// A name without quotes: RFC 9535 `member-name-shorthand`.
    mutating func shorthandName() -> QueryName {
        let start = at
        while isNameStart || isDigit { at += 1 }
        return QueryName(text(from: start))
    }

    /// A string in either quotes, the cursor on the first one.
    mutating func quotedString() throws(JSONPathError) -> QueryName {
        let start = at
        let quote = byte
        var decoded: [UInt8] = []
        at += 1
        while byte != quote {
            guard !isAtEnd else { throw error(.unclosedString, at: start) }
            if byte == 0x5C {
                try appendEscape(to: &decoded, quote: quote, start: start)
            } else {
                guard byte >= 0x20 else { throw error(.controlCharacter(UInt32(byte))) }
                decoded.append(byte)
                at += 1
            }
        }
        at += 1
        return QueryName(String(decoding: decoded, as: UTF8.self))
    }

    private mutating func appendEscape(
        to decoded: inout [UInt8],
        quote: UInt8,
        start: Int
    ) throws(JSONPathError) {
        guard at + 1 < bytes.count else { throw error(.unclosedString, at: start) }
        let letter = byte(ahead: 1)
        let meant: UInt8
        switch letter {
        case 0x62: meant = 0x08
        case 0x66: meant = 0x0C
        case 0x6E: meant = 0x0A
        case 0x72: meant = 0x0D
        case 0x74: meant = 0x09
        case 0x2F, 0x5C, quote: meant = letter
        case 0x75:
            decoded.append(contentsOf: String(Character(try unicodeEscape())).utf8)
            return
        default:
            var after = self
            after.at += 1
            throw error(.badEscape("\\" + after.character))
        }
        decoded.append(meant)
        at += 2
    }

    private mutating func unicodeEscape() throws(JSONPathError) -> Unicode.Scalar {
        let start = at
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, starts(with: "\\u") else { throw error(.loneSurrogate, at: start) }
        let second = try codeUnit()
        guard second & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
        else { throw error(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONPathError) -> UInt32 {
        var value: UInt32 = 0
        for distance in 2..<6 {
            guard let digit = HexDigit.value(byte(ahead: distance)) else {
                let end = min(at + distance, bytes.count)
                throw error(.badEscape(String(decoding: bytes[at..<end], as: UTF8.self)))
            }
            value = value << 4 | UInt32(digit)
        }
        at += 6
        return value
    }

    /// `0`, `12` or `-12` within the range that I-JSON holds exactly.
    mutating func integer() throws(JSONPathError) -> Int {
        let start = at
        if byte == 0x2D { at += 1 }
        let digits = at
        while isDigit { at += 1 }
        let text = text(from: start)
        let hasLeadingZero = at > digits && bytes[digits] == 0x30 && at - start > 1
        guard at > digits, !hasLeadingZero else { throw error(.badInteger(text), at: start) }
        guard let value = Int(text), abs(value) < 1 << 53 else {
            throw error(.integerTooLarge(text), at: start)
        }
        return value
    }

    /// A number as JSON writes it.
    mutating func number() throws(JSONPathError) -> DecimalNumber {
        let start = at
        if byte == 0x2D { at += 1 }
        while isDigit || byte == 0x2E || isExponentMark || isExponentSign(after: start) { at += 1 }
        let text = text(from: start)
        guard let number = DecimalNumber(text) else { throw error(.badNumber(text), at: start) }
        return number
    }

    private var isExponentMark: Bool { byte | 0x20 == 0x65 }

    private func isExponentSign(after start: Int) -> Bool {
        (byte == 0x2B || byte == 0x2D) && at > start && bytes[at - 1] | 0x20 == 0x65
    }
}
