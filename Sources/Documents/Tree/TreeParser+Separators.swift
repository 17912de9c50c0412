/// What is between two values.
extension TreeParser {
    /// Goes past closing brackets and a comma to the next value; false at the end or a fault.
    @inline(always) mutating func readSeparator() -> Bool {
        while true {
            mark = at
            if text[at] <= 0x20 { skipIndent() }
            let byte = text[at]
            if byte == 0x2C && closer != 0 {
                guard publishBatch() else { return false }
                at &+= 1
                if text[at] <= 0x20 { skipIndent() }
                return closer == 0x7D ? readKey() : true
            }
            guard closer != 0 else { return readOutermost() }
            guard byte == closer else {
                return fail(closer == 0x7D ? .expectedCommaOrBrace : .expectedCommaOrBracket)
            }
            closeContainers()
        }
    }

    /// Between outermost values: the next one of a sequence, or the end.
    @inline(always) mutating func readOutermost() -> Bool {
        if base == 0 && at < end {
            let isTight = at == mark && childCount != 0
            while text[at] == 0x1E || text[at] <= 0x20 && at < end {
                let before = at
                if text[at] == 0x1E { at &+= 1 }
                skipWhitespace()
                if at == before { return fail(.expectedValue) }
            }
            if at < end {
                guard publishBatch() else { return false }
                if isTight && at == mark && !mayFollow() { return fail(.trailingBytes) }
                return true
            }
        }
        if at < end { return fail(.trailingBytes) }
        if isCut { return fail(.unexpectedEnd) }
        outcome = .complete
        return false
    }

    /// Whether two values may touch here: only where a bracket or a quote keeps them apart.
    @inline(always) func mayFollow() -> Bool {
        let before = text[at &- 1]
        let byte = text[at]
        return before == 0x5D || before == 0x7D || before == 0x22
            || byte == 0x5B || byte == 0x7B || byte == 0x22
    }
}
