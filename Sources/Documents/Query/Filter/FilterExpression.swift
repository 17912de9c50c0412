/// What stands behind a `?`: RFC 9535 section 2.3.5.
indirect enum FilterExpression: Hashable, Sendable {
    /// One of several is true.
    case any([FilterExpression])
    /// All are true.
    case all([FilterExpression])
    /// It is not true.
    case not(FilterExpression)
    /// A query finds something.
    case exists(FilterQuery)
    /// Two values compared.
    case comparison(FilterOperand, FilterOperator, FilterOperand)
    /// `match` or `search`.
    case test(FilterFunction)
}
