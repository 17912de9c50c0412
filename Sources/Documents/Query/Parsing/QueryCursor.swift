/// A place in a query's text that moves on.
struct QueryCursor {
    let bytes: [UInt8]
    var at = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { at >= bytes.count }

    /// The byte here; 0 at the end, where a NUL is no part of any query either.
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

    /// Goes past blanks; true when there were some.
    @discardableResult mutating func skipBlanks() -> Bool {
        let start = at
        while !isAtEnd, isBlank { at += 1 }
        return at > start
    }

    var isBlank: Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    var isDigit: Bool { byte &- 0x30 < 10 }
    var isLowercaseLetter: Bool { byte &- 0x61 < 26 }
    /// Whether a name without quotes may begin here.
    var isNameStart: Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80 }

    func text(from start: Int) -> String { String(decoding: bytes[start..<at], as: UTF8.self) }

    /// The character here, for a message; empty at the end.
    var character: String {
        guard !isAtEnd else { return "" }
        var end = at + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return String(decoding: bytes[at..<end], as: UTF8.self)
    }

    /// The error with the place `offset`, or where the cursor is.
    func error(_ reason: JSONPathError.Reason, at offset: Int? = nil) -> JSONPathError {
        let offset = offset ?? at
        let column = bytes[..<offset].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        return JSONPathError(reason, utf8Offset: offset, column: column)
    }

    func unexpected(_ expected: String) -> JSONPathError {
        error(.unexpected(found: character, expected: expected))
    }
}
