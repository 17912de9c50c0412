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

    /// One sentence for people about a pattern in a query, with the place in it.
    var inQuery: String {
        guard case .syntax(let words) = reason else { return description }
        let excerpt = String(pattern.unicodeScalars.prefix(60))
        let isCut = excerpt.utf8.count < pattern.utf8.count
        return "the pattern '\(excerpt)\(isCut ? "…" : "")' cannot be used: \(words) "
            + "(before its character \(column))"
    }
}
