/// What a segment selects of a value's children: RFC 9535 section 2.3.
enum QuerySelector: Hashable, Sendable {
    /// The members of a name.
    case name(QueryName)
    /// Every child.
    case wildcard
    /// The element at a place; from the end when it is negative.
    case index(Int)
    /// Elements at regular distances.
    case slice(QuerySlice)
    /// The children for which an expression is true.
    case filter(FilterExpression)
}
