import Glibc

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

    /// Only numbers and strings have an order; everything else is never less.
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
            return kind.isContainer
                ? DeepEquality(document: document).areEqual(first, second) : kind != .string
        }
        guard let first = word(left) else { return false }
        return first == word(right)
    }

    /// What has no content beyond its kind; nil for everything else.
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
        case .node(let node): document.number(of: node)
        case .literal, .nothing: nil
        }
    }

    /// Two strings by code points: less than, equal to or more than zero; nil for other values.
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
            // What a resumed parse keeps of a broken string may have one quote.
            guard range.count >= 2 else { return nil }
            let content = range.lowerBound + 1..<range.upperBound - 1
            return StringContent.with(document.bytes.base, content, body)
        case .literal, .nothing, .count: return nil
        }
    }
}
