/// One step of a query: from each value to some of its children, or of its descendants.
struct QuerySegment: Hashable, Sendable {
    /// Whether it starts with `..`.
    let isDescendant: Bool
    /// What is selected, in this order; duplicates are kept.
    let selectors: [QuerySelector]

    /// Whether it is `..name`, the commonest search.
    let isDescendantName: Bool

    init(isDescendant: Bool, selectors: [QuerySelector]) {
        self.isDescendant = isDescendant
        self.selectors = selectors
        if case .name? = selectors.first {
            isDescendantName = isDescendant && selectors.count == 1
        } else {
            isDescendantName = false
        }
    }

    /// Whether it is a singular segment of RFC 9535 section 2.3.5.1.
    var isSingular: Bool {
        guard !isDescendant, selectors.count == 1 else { return false }
        switch selectors[0] {
        case .name, .index: return true
        case .wildcard, .slice, .filter: return false
        }
    }

    /// Whether it is a step of digits of a short path: `0` in an array, `"0"` in an object.
    var isPlace: Bool {
        guard !isDescendant, selectors.count == 2, case .name = selectors[0],
            case .index = selectors[1]
        else { return false }
        return true
    }
}

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

/// `start:end:step`, RFC 9535 section 2.3.4.
struct QuerySlice: Hashable, Sendable {
    let start: Int?
    let end: Int?
    let step: Int

    /// The places in an array of `count` elements that are selected, in their order.
    func places(count: Int) -> StrideTo<Int>? {
        // Every number is under 2^54, so that nothing overflows.
        func normalized(_ place: Int) -> Int { place < 0 ? count + place : place }
        if step > 0 {
            let lower = max(0, min(normalized(start ?? 0), count))
            let upper = max(0, min(normalized(end ?? count), count))
            return lower < upper ? stride(from: lower, to: upper, by: step) : nil
        }
        guard step < 0 else { return nil }
        let upper = max(-1, min(start.map(normalized) ?? count - 1, count - 1))
        let lower = max(-1, min(end.map(normalized) ?? -1, count - 1))
        return upper > lower ? stride(from: upper, to: lower, by: step) : nil
    }
}

/// A member's name or a string in a query: its UTF-8, which is compared without making a `String`.
struct QueryName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

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

/// A value written in a query.
enum FilterLiteral: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(DecimalNumber)
    case string(QueryName)
}

/// What can be compared and given to a function as a value.
enum FilterOperand: Hashable, Sendable {
    case literal(FilterLiteral)
    /// A singular query.
    case query(FilterQuery)
    /// `length`, `count` or `value`.
    case function(FilterFunction)
}

/// How two values are compared.
enum FilterOperator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
}

/// A query in a filter, from the value that is tested (`@`) or from the root (`$`).
struct FilterQuery: Hashable, Sendable {
    /// The number of a query that begins with `$`, whose result is the same for every value; nil for `@`.
    let absoluteNumber: Int?
    let segments: [QuerySegment]

    var isSingular: Bool { segments.allSatisfy(\.isSingular) }
}

/// The functions of RFC 9535 section 2.4.
enum FunctionName: String {
    case length
    case count
    case value
    case match
    case search

    var argumentCount: Int { self == .match || self == .search ? 2 : 1 }
}
