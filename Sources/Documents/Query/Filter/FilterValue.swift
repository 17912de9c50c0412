/// What an operand of a filter stands for in one evaluation.
enum FilterValue {
    /// The query found nothing, or the function has no result: not even `null`.
    case nothing
    case literal(FilterLiteral)
    case node(NodeIndex)
    /// The result of `length` or `count`.
    case count(Int)
}
