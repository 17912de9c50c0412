/// A position in the text of a query.
struct QueryCursor {
    let bytes: [UInt8]
    var at = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { at >= bytes.count }

    /// The byte here; 0 at the end, which is unambiguous because NUL is not part of any query.
    var byte: UInt8 { at < bytes.count ? bytes[at] : 0 }

    func byte(ahead distance: Int) -> UInt8 {
        at + distance < bytes.count ? bytes[at + distance] : 0
    }

    func starts(with text: StaticString) -> Bool {
        guard at + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[at + $0] == text.utf8Start[$0] }
    }

    mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    /// Skips white space; true if there was some.
    @discardableResult mutating func skipBlanks() -> Bool {
        let start = at
        while !isAtEnd, isBlank { at += 1 }
        return at > start
    }

    var isBlank: Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    var isDigit: Bool { byte &- 0x30 < 10 }
    var isLowercaseLetter: Bool { byte &- 0x61 < 26 }
    /// Whether an unquoted name may begin here.
    var isNameStart: Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80 }

    func text(from start: Int) -> String { String(decoding: bytes[start..<at], as: UTF8.self) }

    /// The character here, for messages; empty at the end.
    var character: String {
        guard !isAtEnd else { return "" }
        var end = at + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return String(decoding: bytes[at..<end], as: UTF8.self)
    }

    /// An error at `offset`, by default at the cursor.
    func error(_ reason: JSONPathError.Reason, at offset: Int? = nil) -> JSONPathError {
        let offset = offset ?? at
        let column = bytes[..<offset].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        return JSONPathError(reason, utf8Offset: offset, column: column)
    }

    func unexpected(_ expected: String) -> JSONPathError {
        error(.unexpected(found: character, expected: expected))
    }
}

/// Names, strings and numbers in a query.
extension QueryCursor {
    /// An unquoted name: RFC 9535 `member-name-shorthand`.
    mutating func shorthandName() -> QueryName {
        let start = at
        while isNameStart || isDigit { at += 1 }
        return QueryName(text(from: start))
    }

    /// A string in single or double quotes; the cursor is at the first one.
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

    /// `0`, `12` or `-12`, in the range that I-JSON can represent exactly.
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

    /// A number in JSON's syntax.
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
