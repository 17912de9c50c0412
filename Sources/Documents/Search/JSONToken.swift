internal import CScan

/// A key or a value in a JSON text, found without the tree.
struct JSONToken {
    /// The content, without quotes.
    let content: Range<Int>
    /// The offset after the closing quote or the last byte.
    let end: Int
    let isKey: Bool
    let hasEscapes: Bool

    /// The first token at or after `start`, which must be outside of strings; nil if there is none.
    ///
    /// If the text is still growing, a token that touches its end is incomplete and is not returned.
    static func next(
        in text: UnsafePointer<UInt8>,
        from start: Int,
        limit: Int,
        isWhole: Bool
    ) -> JSONToken? {
        var at = start
        while at < limit && !isScalar(text[at]) && text[at] != 0x22 { at += 1 }
        guard at < limit else { return nil }
        guard text[at] == 0x22 else {
            let begin = at
            while at < limit && isScalar(text[at]) && text[at] != 0x22 { at += 1 }
            guard at < limit || isWhole else { return nil }
            return JSONToken(content: begin..<at, end: at, isKey: false, hasEscapes: false)
        }
        var hasEscapes = false
        guard
            let end = stringEnd(in: text, from: at, limit: limit, hasEscapes: &hasEscapes)
        else {
            guard isWhole else { return nil }
            return JSONToken(
                content: at + 1..<limit,
                end: limit,
                isKey: false,
                hasEscapes: hasEscapes
            )
        }
        var colon = end
        while colon < limit && isSpace(text[colon]) { colon += 1 }
        guard colon < limit || isWhole else { return nil }
        // A broken string ends at a line feed and has no closing quote.
        let contentEnd = text[end - 1] == 0x22 && end - 1 > at ? end - 1 : end
        return JSONToken(
            content: at + 1..<contentEnd,
            end: end,
            isKey: colon < limit && text[colon] == 0x3A,
            hasEscapes: hasEscapes
        )
    }

    /// The offset after the closing quote of a string, or of the line feed that breaks it.
    ///
    /// Nil if neither comes before `limit`. `start` is the opening quote, or a byte in the string that is not
    /// in an escape.
    static func stringEnd(
        in text: UnsafePointer<UInt8>,
        from start: Int,
        limit: Int
    ) -> Int? {
        var hasEscapes = false
        return stringEnd(in: text, from: start, limit: limit, hasEscapes: &hasEscapes)
    }

    @inline(__always) private static func stringEnd(
        in text: UnsafePointer<UInt8>,
        from start: Int,
        limit: Int,
        hasEscapes: inout Bool
    ) -> Int? {
        var at = text[start] == 0x22 ? start + 1 : start
        while true {
            at = cscan_special_vector(text, at)
            guard at < limit else { return nil }
            switch text[at] {
            case 0x22: return at + 1
            case 0x0A: return at
            case 0x5C:
                hasEscapes = true
                // A line feed is never escaped.
                at += text[at + 1] == 0x0A ? 1 : 2
            default: at += 1
            }
        }
    }

    @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether a byte can be in a number or a literal; also true for quotes.
    @inline(__always) static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D: false
        default: true
        }
    }
}
