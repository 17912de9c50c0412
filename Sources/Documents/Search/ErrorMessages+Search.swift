extension RegularExpressionError: CustomStringConvertible {
    /// One sentence for people, without the position.
    package var description: String {
        switch reason {
        case .libraryMissing(let words):
            "regular expressions need libpcre2-8, which is not installed (\(words))"
        case .syntax(let words): words
        case .tooComplex:
            "the expression is too costly for this text, so matches may be missing"
        case .matchFailed(let code): "the regular expression failed (PCRE2 error \(code))"
        case .outOfMemory: "no memory for the regular expression"
        }
    }
}
