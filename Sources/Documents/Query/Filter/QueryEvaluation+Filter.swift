/// Filters applied to values. The recursion follows the expression, whose nesting is limited.
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
        // One attempt may take as long as a million other steps.
        lookAtAttempt()
        guard !isStopped else { return false }
        let subject = value(of: text, for: node)
        let found = withString(value(of: pattern, for: node)) { pattern in
            withString(subject) { patterns.matches($0, pattern: pattern, isWhole: isWhole) }
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
