/// An operand before it is known what it is used as.
struct ParsedOperand {
    enum Form {
        case literal(FilterLiteral)
        case query(FilterQuery)
        case function(FilterFunction)
    }

    let form: Form
    let start: Int
    let end: Int
    /// The first blank inside brackets, which a query in a comparison may not have.
    let bracketBlank: Int?
}
