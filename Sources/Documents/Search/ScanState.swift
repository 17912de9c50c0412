internal import CScan

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
