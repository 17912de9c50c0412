/// A value written in a query.
enum FilterLiteral: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(DecimalNumber)
    case string(QueryName)
}
