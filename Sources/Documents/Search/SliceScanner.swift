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
            let map = StringMap(range, of: text, lexer: &state.lexer)
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
