/// The functions of RFC 9535 section 2.4, with their arguments: what the type system allows.
indirect enum FilterFunction: Hashable, Sendable {
    case length(FilterOperand)
    case count(FilterQuery)
    case value(FilterQuery)
    /// The whole string against an I-Regexp.
    case match(FilterOperand, FilterOperand)
    /// Some part of the string against an I-Regexp.
    case search(FilterOperand, FilterOperand)
}

extension FilterFunction {
    /// Whether its result is true or false, and not a value.
    var isLogical: Bool {
        switch self {
        case .match, .search: true
        case .length, .count, .value: false
        }
    }

    var name: String {
        switch self {
        case .length: FunctionName.length.rawValue
        case .count: FunctionName.count.rawValue
        case .value: FunctionName.value.rawValue
        case .match: FunctionName.match.rawValue
        case .search: FunctionName.search.rawValue
        }
    }
}
