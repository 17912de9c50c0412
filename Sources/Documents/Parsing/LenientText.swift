/// Reads values that violate RFC 8259 as a person would.
///
/// Every result depends only on the text, so that the end of a kept value can be found again. Every
/// function takes linear time and looks at most `lookahead` bytes past its result.
struct LenientText {
    static let lookahead = 1024

    let base: UnsafePointer<UInt8>
    let end: Int

    /// The offset after white space and comments (`//`, `#`, `/* */`).
    func blankEnd(from start: Int) -> Int {
        var at = start
        while at < end {
            switch base[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            case 0x23: at = lineEnd(from: at)
            case 0x2F where base[at + 1] == 0x2F: at = lineEnd(from: at)
            case 0x2F where base[at + 1] == 0x2A: at = commentEnd(from: at + 2)
            default: return at
            }
        }
        return min(at, end)
    }

    /// The next line feed, or the end.
    func lineEnd(from start: Int) -> Int {
        var at = start
        while at < end && base[at] != 0x0A { at += 1 }
        return at
    }

    private func commentEnd(from start: Int) -> Int {
        var at = start
        while at < end && (base[at] != 0x2A || base[at + 1] != 0x2F) { at += 1 }
        return min(at + 2, end)
    }

    /// The offset after letters, digits, `_ $ . + -`, inner apostrophes, and all bytes outside ASCII.
    func wordEnd(from start: Int) -> Int {
        var at = start
        while at < end && (Self.isWord(base[at]) || at > start && base[at] == 0x27) { at += 1 }
        return at
    }

    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case 0x24, 0x2B, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// The offset after the string that begins at `start` with a single or double quote; nil if it has no
    /// end.
    ///
    /// Control characters, bad escapes and invalid UTF-8 belong to the string. So does a quote followed by
    /// something that cannot follow a string, unless no better quote is near. If a line ends before a good
    /// quote, the string ends there too.
    func stringEnd(from start: Int, isKey: Bool) -> Int? {
        let quote = base[start]
        var candidate: Int?
        var lineEnd: Int?
        var at = start + 1
        while at < end {
            let byte = base[at]
            if let candidate, byte == 0x0A || at - candidate > Self.lookahead { return candidate }
            if byte == 0x5C {
                at += 1
            } else if byte == quote {
                if mayEnd(before: at + 1, isKey: isKey) { return at + 1 }
                if let lineEnd { return lineEnd }
                if candidate == nil { candidate = at + 1 }
            } else if byte == 0x0A && lineEnd == nil {
                if quote == 0x27 { return nil }
                lineEnd = at
            }
            at += 1
        }
        return candidate ?? lineEnd
    }

    /// The content of a string or key, without its quotes if it has any.
    func content(of range: Range<Int>) -> Range<Int> {
        let quote = base[range.lowerBound]
        guard quote == 0x22 || quote == 0x27 else { return range }
        let isClosed = range.count > 1 && base[range.upperBound - 1] == quote
        return range.lowerBound + 1..<range.upperBound - (isClosed ? 1 : 0)
    }

    /// The offset after a key, quoted or not; nil if a quoted key has no end.
    func keyEnd(from start: Int) -> Int? {
        let byte = base[start]
        if byte == 0x22 || byte == 0x27 { return stringEnd(from: start, isKey: true) }
        return wordEnd(from: start)
    }

    /// Whether a string may end before `start`.
    private func mayEnd(before start: Int, isKey: Bool) -> Bool {
        if isKey && !(start < end && Self.isWord(base[start])) { return true }
        var at = start
        while at < end && base[at] <= 0x20 {
            if base[at] == 0x0A || at - start > Self.lookahead { return true }
            at += 1
        }
        if at >= end { return true }
        switch base[at] {
        case 0x2C, 0x7D, 0x5D, 0x22, 0x7B, 0x5B, 0x3A: return true
        case 0x2F, 0x23: return !isKey
        default: return false
        }
    }
}
