/// Parses the grammar of RFC 9535, appendix A.
///
///     query ─▶ segments ─▶ selectors ─▶ filter ─▶ or ─▶ and ─▶ basic ─▶ operand, function
///                  ▲                                                        │
///                  └────────────────── queries in filters ◀─────────────────┘
struct QueryParser {
    /// The most nested expressions, limited because the parser and the evaluation recurse over them.
    static let nestingLimit = 100

    var cursor: QueryCursor
    var absoluteQueryCount = 0
    /// The first white space in brackets since this was last set to nil; comparisons forbid it.
    var bracketBlank: Int?
    private var depth = 0

    init(_ text: String) {
        cursor = QueryCursor(text)
    }

    mutating func parseQuery() throws(JSONPathError) -> [QuerySegment] {
        guard cursor.skip("$") else {
            let start = cursor
            let isBlankOnly = cursor.skipBlanks() && cursor.byte == 0x24
            throw isBlankOnly
                ? start.error(.blank(.beforeQuery))
                : start.error(.missingRoot(found: start.character))
        }
        let segments = try segments()
        guard cursor.isAtEnd else {
            let end = cursor
            let isBlankOnly = cursor.skipBlanks() && cursor.isAtEnd
            if isBlankOnly { throw end.error(.blank(.afterQuery)) }
            throw cursor.unexpected("a step such as .name or [0]")
        }
        return segments
    }

    /// Zero or more segments; leaves white space after the last one.
    mutating func segments() throws(JSONPathError) -> [QuerySegment] {
        var segments: [QuerySegment] = []
        while true {
            let end = cursor.at
            cursor.skipBlanks()
            if cursor.skip("..") {
                segments.append(try dottedSegment(isDescendant: true))
            } else if cursor.skip(".") {
                segments.append(try dottedSegment(isDescendant: false))
            } else if cursor.byte == 0x5B {
                segments.append(QuerySegment(isDescendant: false, selectors: try brackets()))
            } else {
                cursor.at = end
                return segments
            }
        }
    }

    private mutating func dottedSegment(isDescendant: Bool) throws(JSONPathError) -> QuerySegment {
        let selectors: [QuerySelector]
        if cursor.skip("*") {
            selectors = [.wildcard]
        } else if cursor.isNameStart {
            selectors = [.name(cursor.shorthandName())]
        } else if isDescendant && cursor.byte == 0x5B {
            selectors = try brackets()
        } else if !cursor.isAtEnd && cursor.isBlank {
            throw cursor.error(.blank(.afterDot))
        } else {
            throw cursor.unexpected(
                isDescendant ? "a name, * or [ after .." : "a name or * after ."
            )
        }
        return QuerySegment(isDescendant: isDescendant, selectors: selectors)
    }

    private mutating func brackets() throws(JSONPathError) -> [QuerySelector] {
        cursor.at += 1
        skipBracketBlanks()
        var selectors = [try selector()]
        while true {
            skipBracketBlanks()
            if cursor.skip("]") { return selectors }
            guard cursor.skip(",") else {
                if case .filter = selectors[selectors.count - 1] { throw filterEndError() }
                throw cursor.unexpected("',' or ]")
            }
            skipBracketBlanks()
            selectors.append(try selector())
        }
    }

    private mutating func skipBracketBlanks() {
        let start = cursor.at
        if cursor.skipBlanks() { bracketBlank = bracketBlank ?? start }
    }

    private mutating func selector() throws(JSONPathError) -> QuerySelector {
        switch cursor.byte {
        case 0x22, 0x27: return .name(try cursor.quotedString())
        case 0x2A:
            cursor.at += 1
            return .wildcard
        case 0x3F:
            cursor.at += 1
            cursor.skipBlanks()
            return .filter(try logicalExpression())
        case 0x2D, 0x3A, 0x30...0x39: return try indexOrSlice()
        default:
            throw cursor.unexpected(
                cursor.isNameStart
                    ? "quotes around a name in brackets"
                    : "a name in quotes, an index, a slice, * or ?"
            )
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> QuerySelector {
        var start: Int?
        if cursor.byte != 0x3A {
            let index = try cursor.integer()
            let end = cursor.at
            cursor.skipBlanks()
            guard cursor.byte == 0x3A else {
                cursor.at = end
                return .index(index)
            }
            start = index
        }
        let end = try integerAfterColon()
        let step = cursor.byte == 0x3A ? try integerAfterColon() : nil
        return .slice(QuerySlice(start: start, end: end, step: step ?? 1))
    }

    private mutating func integerAfterColon() throws(JSONPathError) -> Int? {
        cursor.at += 1
        cursor.skipBlanks()
        guard cursor.isDigit || cursor.byte == 0x2D else { return nil }
        let integer = try cursor.integer()
        cursor.skipBlanks()
        return integer
    }

    // MARK: - Nesting

    /// Enters a nested expression; `leave` ends it.
    mutating func enter() throws(JSONPathError) {
        depth += 1
        guard depth <= Self.nestingLimit else {
            throw cursor.error(.nestedTooDeeply(limit: Self.nestingLimit))
        }
    }

    mutating func leave() { depth -= 1 }
}
