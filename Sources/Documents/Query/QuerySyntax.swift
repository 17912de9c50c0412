/// One step of a query: from each value to some of its children or descendants.
struct QuerySegment: Hashable, Sendable {
    /// Whether it starts with `..`.
    let isDescendant: Bool
    /// The selectors in order; duplicates are kept.
    let selectors: [QuerySelector]

    /// Whether it is `..name`, the most common search.
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

    /// Whether it is a step of digits in a short path: `0` in an array, `"0"` in an object.
    var isPlace: Bool {
        guard !isDescendant, selectors.count == 2, case .name = selectors[0],
            case .index = selectors[1]
        else { return false }
        return true
    }
}

/// Selects some children of a value: RFC 9535, section 2.3.
enum QuerySelector: Hashable, Sendable {
    /// The members with a name.
    case name(QueryName)
    /// Every child.
    case wildcard
    /// The element at an index; a negative index counts from the end.
    case index(Int)
    /// Elements at regular intervals.
    case slice(QuerySlice)
    /// The children for which an expression is true.
    case filter(FilterExpression)
}

/// `start:end:step`, RFC 9535 section 2.3.4.
struct QuerySlice: Hashable, Sendable {
    let start: Int?
    let end: Int?
    let step: Int

    /// The selected indexes of an array of `count` elements, in order; nil if there are none.
    func places(count: Int) -> StrideTo<Int>? {
        // Every number is below 2^54, so nothing overflows.
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

/// A member's name or a string in a query, as UTF-8 that is compared without making a `String`.
struct QueryName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The expression after a `?`: RFC 9535, section 2.3.5.
indirect enum FilterExpression: Hashable, Sendable {
    /// At least one is true.
    case any([FilterExpression])
    /// All are true.
    case all([FilterExpression])
    /// The expression is false.
    case not(FilterExpression)
    /// A query finds something.
    case exists(FilterQuery)
    /// Two values compared.
    case comparison(FilterOperand, FilterOperator, FilterOperand)
    /// `match` or `search`.
    case test(FilterFunction)
}

/// The functions of RFC 9535, section 2.4, with arguments of the allowed types.
indirect enum FilterFunction: Hashable, Sendable {
    case length(FilterOperand)
    case count(FilterQuery)
    case value(FilterQuery)
    /// Whether the whole string matches an I-Regexp.
    case match(FilterOperand, FilterOperand)
    /// Whether some part of the string matches an I-Regexp.
    case search(FilterOperand, FilterOperand)
}

extension FilterFunction {
    /// Whether the result is a truth value, not a JSON value.
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

/// An operand of a comparison, or a value argument of a function.
enum FilterOperand: Hashable, Sendable {
    case literal(FilterLiteral)
    /// A query that finds at most one value, such as `@.a[0]`.
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

/// A query in a filter, starting at the tested value (`@`) or at the root (`$`).
struct FilterQuery: Hashable, Sendable {
    /// A number for a query that begins with `$`, whose result is the same for every value; nil for `@`.
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
