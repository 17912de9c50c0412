internal import CScan

/// Searches a text slice by slice; it knows the pattern and the form of the text.
struct SliceScanner: Sendable {
    /// The bytes of a slice; whole blocks of 64.
    static let length = 256 << 10

    let pattern: SearchPattern
    /// Whether the text is JSON; otherwise it is searched as it stands.
    let isJSON: Bool
    let length: Int

    init(_ pattern: SearchPattern, isJSON: Bool, length: Int = Self.length) {
        self.pattern = pattern
        self.isJSON = isJSON
        self.length = length
    }

    /// What was found in a slice.
    struct Outcome {
        var hits: [PackedHit] = []
        var error: RegularExpressionError?
    }

    /// Searches one slice and moves the state on; nil when a part of it is not there yet.
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

    /// How far behind a slice its search looks: the same bytes must be there when it is repeated.
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
            // Also without hits: the next slice must know whether it begins in a string.
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

/// What a search knows between two slices: with it a slice can be searched again at any time.
struct ScanState: Sendable {
    /// How many attempts of an expression were given up.
    var givenUp = 0
    /// Where the next hit can begin: for regular expressions at a token, a line or in a long one.
    var at = 0
    /// The token or line that a regular expression is not through with.
    var long: LongMatch?
    /// The end of the last hit: hits do not overlap.
    var lastEnd = 0
    /// The end of the last escape, which may lie in the next slice.
    var escapeEnd = 0
    /// Whether the slice begins in a string; kept only when keys or values are searched.
    var lexer = csearch_lexer()
}

/// Where the search of a long token or line stands between two of its parts.
struct LongMatch: Sendable {
    /// The whole content.
    let content: Range<Int>
    let decodes: Bool
    /// Behind the token.
    let end: Int
    /// Where the next part begins.
    var start: Int
    /// Where its matches may begin, from its start and decoded.
    var from = 0
}

/// Lets through the hits that lie in one key, or in one value.
struct TokenFilter {
    /// How far the end of a string is looked for: what is longer is taken for a value.
    static let longestKey = 1 << 20
    /// How far a colon is looked for behind a string.
    static let longestGap = 4 << 10

    private let scope: SearchScope
    private let map: StringMask
    private let text: UnsafePointer<UInt8>
    private let limit: Int
    // The string of the hit before, which often is this hit's too.
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

    /// Finds where the string ends that holds a byte or begins with it, and what it is.
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

/// Which bytes of a slice lie in strings, opening quotes included.
struct StringMask {
    private let lowerBound: Int
    private let words: [UInt64]

    /// Looks at whole blocks of 64 bytes; the last one may reach into the padding.
    init(_ slice: Range<Int>, of text: UnsafePointer<UInt8>, lexer: inout csearch_lexer) {
        lowerBound = slice.lowerBound
        let count = (slice.count + 63) / 64
        // Without room the initialiser would write its count into the empty array that all share.
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
