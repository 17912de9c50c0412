import Glibc

/// The state shared by all walks of one evaluation: which values they see, results that are the same for
/// every value, compiled patterns, and whether to continue.
final class QueryEvaluation {
    /// The number of steps between two checks whether to continue.
    static let stride = 1 << 14

    /// The result of a query in a filter.
    struct Finding {
        let first: NodeIndex?
        let count: Int
    }

    let document: Document
    /// The number of values published when the evaluation began; later ones are ignored.
    let limit: Int
    let patterns = PatternCache()
    /// The results of the queries in filters that begin with `$`.
    private var absoluteFindings: [Finding?]
    /// Called now and then; the evaluation ends if it returns false.
    private let shouldContinue: () -> Bool
    /// Later results do not count, because a filter that was not evaluated completely is not false.
    private(set) var isStopped = false
    /// The steps until the next check, for all walks together, because those in filters are often short.
    private var budget = QueryEvaluation.stride

    init(_ document: Document, absoluteQueryCount: Int, shouldContinue: @escaping () -> Bool) {
        self.document = document
        self.shouldContinue = shouldContinue
        limit = document.nodeCount
        absoluteFindings = Array(repeating: nil, count: absoluteQueryCount)
    }

    /// Counts steps; one takes about as long as examining one value.
    @inline(__always) func spend(_ steps: Int) {
        budget &-= steps
        if budget < 0 { look() }
    }

    func look() {
        budget = Self.stride
        if !shouldContinue() { isStopped = true }
    }

    /// The next member with a name from `at` on, or nil; moves `at` after it.
    @inline(__always) func firstMember(_ name: QueryName, in at: inout Int, _ end: Int) -> Int? {
        var inner: Int? = 0
        return firstMember(name, in: &at, end, inner: &inner)
    }

    /// The next member with a name, as above; if `inner` is nil, also sets it to the first member passed that
    /// contains values.
    @inline(__always) func firstMember(
        _ name: QueryName,
        in at: inout Int,
        _ end: Int,
        inner: inout Int?
    ) -> Int? {
        let base = document.bytes.base
        return name.bytes.withUnsafeBufferPointer { name in
            while at < end {
                let child = NodeIndex(at)
                let size = document.subtreeSize(of: child)
                if size > 1 && inner == nil { inner = at }
                at &+= size
                guard let range = document.keyRange(of: child) else { continue }
                if StringContent.isEqual(base, range, to: name) { return child.rawValue }
            }
            return nil
        }
    }

    // MARK: - Queries in filters

    /// The value of a singular query; of several members with one name the last counts.
    func single(_ query: FilterQuery, for node: Int) -> NodeIndex? {
        guard let number = query.absoluteNumber else { return end(of: query.segments, from: node) }
        if let known = absoluteFindings[number] { return known.first }
        let found = end(of: query.segments, from: 0)
        absoluteFindings[number] = Finding(first: found, count: found == nil ? 0 : 1)
        return found
    }

    private func end(of segments: [QuerySegment], from node: Int) -> NodeIndex? {
        var node = NodeIndex(node)
        for segment in segments {
            guard let child = child(segment.selectors[0], of: node) else { return nil }
            node = child
        }
        return node
    }

    private func child(_ selector: QuerySelector, of node: NodeIndex) -> NodeIndex? {
        let kind = document.kind(of: node)
        switch selector {
        case .name(let name) where kind == .object: return lastMember(name, of: node)
        case .index(let index) where kind == .array:
            let place = index < 0 ? index + document.childCount(of: node) : index
            return document.child(at: place, of: node).flatMap { $0.rawValue < limit ? $0 : nil }
        default: return nil
        }
    }

    private func lastMember(_ name: QueryName, of object: NodeIndex) -> NodeIndex? {
        var at = object.rawValue + 1
        let end = min(object.rawValue + document.subtreeSize(of: object), limit)
        var last: NodeIndex?
        while let member = firstMember(name, in: &at, end) { last = NodeIndex(member) }
        spend(at - object.rawValue)
        return last
    }

    /// The result of a query, counted up to `enough`.
    func find(_ query: FilterQuery, for node: Int, enough: Int) -> Finding {
        if let number = query.absoluteNumber, let known = absoluteFindings[number] { return known }
        let start = query.absoluteNumber == nil ? node : 0
        var walk = QueryWalk(query.segments, from: start, self)
        var first: NodeIndex?
        var count = 0
        while count < enough, let found = walk.next() {
            if count == 0 { first = found }
            count += 1
        }
        let finding = Finding(first: first, count: count)
        // A query occurs once in a filter, so `enough` is the same each time.
        if let number = query.absoluteNumber { absoluteFindings[number] = finding }
        return finding
    }
}

/// Comparisons: RFC 9535 section 2.3.5.2.2.
extension QueryEvaluation {
    func compare(_ left: FilterValue, _ sign: FilterOperator, _ right: FilterValue) -> Bool {
        switch sign {
        case .equal: areEqual(left, right)
        case .notEqual: !areEqual(left, right)
        case .less: isLess(left, right)
        case .greater: isLess(right, left)
        case .lessOrEqual: isLess(left, right) || areEqual(left, right)
        case .greaterOrEqual: isLess(right, left) || areEqual(left, right)
        }
    }

    /// Only numbers and strings have an order; other values are never less.
    private func isLess(_ left: FilterValue, _ right: FilterValue) -> Bool {
        if let first = number(left) {
            guard let second = number(right) else { return false }
            return first < second
        }
        return comparison(left, right).map { $0 < 0 } ?? false
    }

    private func areEqual(_ left: FilterValue, _ right: FilterValue) -> Bool {
        if let first = number(left) {
            guard let second = number(right) else { return false }
            return first == second
        }
        if let order = comparison(left, right) { return order == 0 }
        if case .node(let first) = left, case .node(let second) = right {
            let kind = document.kind(of: first)
            guard kind == document.kind(of: second) else { return false }
            guard kind.isContainer else { return kind != .string }
            spend(min(document.subtreeSize(of: first), document.subtreeSize(of: second)))
            return DeepEquality(document: document).areEqual(first, second)
        }
        guard let first = word(left) else { return false }
        return first == word(right)
    }

    /// A value that has no content beyond its kind; nil for other values.
    private func word(_ value: FilterValue) -> Word? {
        switch value {
        case .nothing: return .nothing
        case .literal(.null): return .kind(.null)
        case .literal(.bool(let value)): return .kind(value ? .true : .false)
        case .node(let node):
            let kind = document.kind(of: node)
            return kind == .null || kind == .true || kind == .false ? .kind(kind) : nil
        case .literal, .count: return nil
        }
    }

    private enum Word: Equatable {
        case nothing
        case kind(ValueKind)
    }

    private func number(_ value: FilterValue) -> DecimalNumber? {
        switch value {
        case .literal(.number(let number)): number
        case .count(let count): DecimalNumber(count)
        case .node(let node): number(of: node)
        case .literal, .nothing: nil
        }
    }

    private func number(of node: NodeIndex) -> DecimalNumber? {
        guard document.kind(of: node).isNumber else { return nil }
        let range = document.valueRange(of: node)
        spend(range.count)
        return document.bytes.withUnsafeBytes {
            DecimalNumber(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }

    /// Compares two strings by code points: less than, equal to or more than zero; nil for other values.
    ///
    /// The order of UTF-8 bytes is that of code points.
    private func comparison(_ left: FilterValue, _ right: FilterValue) -> Int? {
        let order = withString(left) { first in
            withString(right) { second in
                let count = min(first.count, second.count)
                var order: Int32 = 0
                if count > 0, let one = first.baseAddress, let other = second.baseAddress {
                    order = memcmp(one, other, count)
                }
                return order == 0 ? first.count - second.count : Int(order)
            }
        }
        return order ?? nil
    }

    /// Calls `body` with the content of a string; nil for other values.
    func withString<R>(
        _ value: FilterValue,
        _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R? {
        switch value {
        case .literal(.string(let text)): return text.bytes.withUnsafeBufferPointer(body)
        case .node(let node):
            guard document.kind(of: node) == .string else { return nil }
            let range = document.valueRange(of: node)
            // A broken string kept by a resumed parse may have only one quote.
            guard range.count >= 2 else { return nil }
            // Comparing takes a step for many bytes, decoding escapes a step for a few.
            spend(range.count >> 4)
            let content = range.lowerBound + 1..<range.upperBound - 1
            return StringContent.with(document.bytes.base, content, body)
        case .literal, .nothing, .count: return nil
        }
    }
}

/// Applying filters to values. The recursion follows the expression, whose nesting is limited.
extension QueryEvaluation {
    /// Whether a value passes a filter.
    func isTrue(_ expression: FilterExpression, for node: Int) -> Bool {
        switch expression {
        case .comparison(let left, let sign, let right):
            return compare(value(of: left, for: node), sign, value(of: right, for: node))
        case .exists(let query):
            if query.isSingular { return single(query, for: node) != nil }
            return find(query, for: node, enough: 1).count > 0
        case .any(let terms): return terms.contains { isTrue($0, for: node) }
        case .all(let terms): return terms.allSatisfy { isTrue($0, for: node) }
        case .not(let term): return !isTrue(term, for: node)
        case .test(let function): return isTrue(function, for: node)
        }
    }

    private func isTrue(_ function: FilterFunction, for node: Int) -> Bool {
        switch function {
        case .match(let text, let pattern):
            return matches(text, pattern, isWhole: true, for: node)
        case .search(let text, let pattern):
            return matches(text, pattern, isWhole: false, for: node)
        case .length, .count, .value: return false
        }
    }

    private func matches(
        _ text: FilterOperand,
        _ pattern: FilterOperand,
        isWhole: Bool,
        for node: Int
    ) -> Bool {
        let subject = value(of: text, for: node)
        let found = withString(value(of: pattern, for: node)) { pattern in
            withString(subject) { text in
                // One attempt may take as long as a million other steps, or more for a long text.
                spend(Self.stride >> 4 + text.count << 4)
                guard !isStopped else { return false }
                return patterns.matches(text, pattern: pattern, isWhole: isWhole) {
                    look()
                    return !isStopped
                }
            }
        }
        // Anything but two strings is false.
        return (found ?? nil) ?? false
    }

    private func value(of operand: FilterOperand, for node: Int) -> FilterValue {
        switch operand {
        case .literal(let literal): return .literal(literal)
        case .query(let query): return single(query, for: node).map { .node($0) } ?? .nothing
        case .function(let function): return value(of: function, for: node)
        }
    }

    private func value(of function: FilterFunction, for node: Int) -> FilterValue {
        switch function {
        case .length(let operand): return length(of: value(of: operand, for: node))
        case .count(let query): return .count(find(query, for: node, enough: .max).count)
        case .value(let query):
            let finding = find(query, for: node, enough: 2)
            return finding.count == 1 ? finding.first.map { .node($0) } ?? .nothing : .nothing
        case .match, .search: return .nothing
        }
    }

    private func length(of value: FilterValue) -> FilterValue {
        if case .node(let node) = value, document.kind(of: node).isContainer {
            return .count(document.childCount(of: node))
        }
        let scalars = withString(value) { text in
            text.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        }
        return scalars.map { .count($0) } ?? .nothing
    }
}

/// The value of a filter's operand in one evaluation.
enum FilterValue {
    /// The query found nothing or the function has no result; different from `null`.
    case nothing
    case literal(FilterLiteral)
    case node(NodeIndex)
    /// The result of `length` or `count`.
    case count(Int)
}
