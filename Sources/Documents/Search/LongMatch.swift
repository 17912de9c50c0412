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
