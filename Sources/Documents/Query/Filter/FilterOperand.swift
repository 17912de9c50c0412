/// What can be compared and given to a function as a value.
enum FilterOperand: Hashable, Sendable {
    case literal(FilterLiteral)
    /// A singular query.
    case query(FilterQuery)
    /// `length`, `count` or `value`.
    case function(FilterFunction)
}
