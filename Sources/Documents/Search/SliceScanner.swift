internal import CScan

/// Searches a text for a pattern, slice by slice.
struct SliceScanner: Sendable {
    /// The bytes of a slice; a multiple of 64.
    static let length = 256 << 10

    let pattern: SearchPattern
    /// Whether the text is JSON; otherwise it is searched as it is.
    let isJSON: Bool
    let length: Int

    init(_ pattern: SearchPattern, isJSON: Bool, length: Int = Self.length) {
        self.pattern = pattern
        self.isJSON = isJSON
        self.length = length
    }

    struct Outcome {
        var hits: [PackedHit] = []
        var error: RegularExpressionError?
    }

    /// Searches one slice and advances the state; nil if the slice is not complete yet.
    func scan(
        slice: Int,
        of text: UnsafePointer<UInt8>,
        limit: Int,
        isWhole: Bool,
        state: inout ScanState
    ) -> Outcome? {
        let start = slice * length
        let range = start..<min(start + length, limit)
        switch pattern.kind {
        case .literal(let needle):
            guard isWhole || start + length + reach(of: needle) <= limit else { return nil }
            return scan(needle, in: range, of: text, limit: limit, state: &state)
        case .expression(let expression):
            guard isWhole || start + length <= limit else { return nil }
            return scan(
                expression,
                to: range.upperBound,
                of: text,
                limit: limit,
                isWhole: isWhole,
                state: &state
            )
        }
    }

    /// How many bytes after a slice its search examines; they must be the same when it is repeated.
    private func reach(of needle: Needle) -> Int {
        let reach = LiteralScan.reach(of: needle, decodes: isJSON)
        let isFiltered = isJSON && pattern.scope != .everything
        return isFiltered ? reach + TokenFilter.longestKey + TokenFilter.longestGap : reach
    }

    private func scan(
        _ needle: Needle,
        in range: Range<Int>,
        of text: UnsafePointer<UInt8>,
        limit: Int,
        state: inout ScanState
    ) -> Outcome {
        var scan = LiteralScan(
            needle,
            in: range,
            of: text,
            limit: limit,
            decodes: isJSON,
            escapeEnd: state.escapeEnd
        )
        state.escapeEnd = scan.run()
        state.at = range.upperBound
        var hits = scan.found
        if isJSON && pattern.scope != .everything {
            // Also without hits, because the next slice must know whether it begins in a string.
            let map = StringMask(range, of: text, lexer: &state.lexer)
            var filter = TokenFilter(pattern.scope, map: map, text: text, limit: limit)
            hits = hits.filter { filter.admits($0) }
        }
        var lastEnd = state.lastEnd
        hits = hits.filter { hit in
            guard hit.start >= lastEnd else { return false }
            lastEnd = hit.end
            return true
        }
        state.lastEnd = lastEnd
        return Outcome(hits: hits)
    }

    private func scan(
        _ expression: RegularExpression,
        to stop: Int,
        of text: UnsafePointer<UInt8>,
        limit: Int,
        isWhole: Bool,
        state: inout ScanState
    ) -> Outcome? {
        let matcher: RegularExpression.Matcher
        do {
            matcher = try expression.makeMatcher()
        } catch {
            return Outcome(error: error)
        }
        var scan = ExpressionScan(
            matcher,
            scope: pattern.scope,
            text: text,
            limit: limit,
            isWhole: isWhole,
            state: state
        )
        guard isJSON ? scan.tokens(to: stop) : scan.lines(to: stop) else { return nil }
        state = scan.state
        return Outcome(hits: scan.found, error: scan.error)
    }
}

/// The state of a search between two slices, from which a slice can be searched again at any time.
struct ScanState: Sendable {
    /// The number of attempts of an expression that were given up.
    var givenUp = 0
    /// Where the next hit can begin; for an expression, at a token or line or inside a long one.
    var at = 0
    /// The long token or line that an expression has not finished; nil if there is none.
    var long: LongMatch?
    /// The end of the last hit, because hits do not overlap.
    var lastEnd = 0
    /// The end of the last escape, which may lie in the next slice.
    var escapeEnd = 0
    /// Whether the slice begins in a string; only maintained if keys or values are searched.
    var lexer = csearch_lexer()
}

/// The progress in a long token or line between two of its parts.
struct LongMatch: Sendable {
    /// The range of the token or line, without quotes or line end.
    let content: Range<Int>
    let decodes: Bool
    /// The offset after the token or line.
    let end: Int
    /// Where the next part begins.
    var start: Int
    /// Where matches of that part may begin, in decoded bytes from `start`.
    var from = 0
}

/// Admits hits that lie within one key, or within one value.
struct TokenFilter {
    /// How far to look for the end of a string; a longer string counts as a value.
    static let longestKey = 1 << 20
    /// How far to look for a colon after a string.
    static let longestGap = 4 << 10

    private let scope: SearchScope
    private let map: StringMask
    private let text: UnsafePointer<UInt8>
    private let limit: Int
    // The string of the previous hit, which often contains this hit too.
    private var stringEnd = 0
    private var isKey = false

    init(_ scope: SearchScope, map: StringMask, text: UnsafePointer<UInt8>, limit: Int) {
        self.scope = scope
        self.map = map
        self.text = text
        self.limit = limit
    }

    mutating func admits(_ hit: PackedHit) -> Bool {
        if map.contains(hit.start) {
            if hit.start >= stringEnd { findString(around: hit.start) }
            return isKey == (scope == .keys) && hit.end <= stringEnd
        }
        if text[hit.start] == 0x22 {
            // A closing quote.
            return hit.end == hit.start + 1 && isColon(behind: hit.end) == (scope == .keys)
        }
        return scope == .values && hit.range.allSatisfy { !Self.isStructure(text[$0]) }
    }

    /// Finds the end of the string that contains or begins at `offset`, and whether it is a key.
    private mutating func findString(around offset: Int) {
        let limit = min(limit, offset + Self.longestKey)
        let end = JSONToken.stringEnd(in: text, from: offset, limit: limit)
        stringEnd = end ?? limit
        isKey = end.map(isColon(behind:)) ?? false
    }

    private func isColon(behind end: Int) -> Bool {
        var at = end
        let limit = min(limit, end + Self.longestGap)
        while at < limit && JSONToken.isSpace(text[at]) { at += 1 }
        return at < limit && text[at] == 0x3A
    }

    private static func isStructure(_ byte: UInt8) -> Bool {
        byte == 0x22 || !JSONToken.isScalar(byte)
    }
}

/// Which bytes of a slice are in strings, including opening quotes.
struct StringMask {
    private let lowerBound: Int
    private let words: [UInt64]

    /// Examines whole blocks of 64 bytes; the last one may reach into the padding.
    init(_ slice: Range<Int>, of text: UnsafePointer<UInt8>, lexer: inout csearch_lexer) {
        lowerBound = slice.lowerBound
        let count = (slice.count + 63) / 64
        // With no capacity, the initializer would write its count into the shared empty array.
        guard count > 0 else {
            words = []
            return
        }
        var state = lexer
        words = Array(unsafeUninitializedCapacity: count) { words, filled in
            for index in 0..<count {
                words[index] = csearch_strings(text + slice.lowerBound + 64 * index, &state)
            }
            filled = count
        }
        lexer = state
    }

    @inline(__always) func contains(_ offset: Int) -> Bool {
        let bit = offset - lowerBound
        return words[bit >> 6] & 1 << UInt64(bit & 63) != 0
    }
}
