extension JSONPath {
    /// What the filters of a query's own segments look at.
    package struct FilterReferences: Sendable, Hashable {
        /// For each query that begins with `$`, the names that it begins with; a query
        /// that begins with something else has none.
        package var absolute: [[String]] = []
        /// Whether a query begins with `@`.
        package var hasRelative = false
    }

    /// The queries in the filters, those inside the filters of other queries left out.
    package var filterReferences: FilterReferences {
        var references = FilterReferences()
        for segment in segments {
            for case .filter(let expression) in segment.selectors { references.add(expression) }
        }
        return references
    }
}

extension JSONPath.FilterReferences {
    fileprivate mutating func add(_ expression: FilterExpression) {
        switch expression {
        case .any(let terms), .all(let terms): for term in terms { add(term) }
        case .not(let term): add(term)
        case .exists(let query): add(query)
        case .comparison(let left, _, let right):
            add(left)
            add(right)
        case .test(let function): add(function)
        }
    }

    private mutating func add(_ operand: FilterOperand) {
        switch operand {
        case .literal: break
        case .query(let query): add(query)
        case .function(let function): add(function)
        }
    }

    private mutating func add(_ function: FilterFunction) {
        switch function {
        case .length(let operand): add(operand)
        case .count(let query), .value(let query): add(query)
        case .match(let first, let second), .search(let first, let second):
            add(first)
            add(second)
        }
    }

    private mutating func add(_ query: FilterQuery) {
        guard query.absoluteNumber != nil else {
            hasRelative = true
            return
        }
        var names: [String] = []
        for segment in query.segments {
            guard segment.isSingular, case .name(let name) = segment.selectors[0] else { break }
            names.append(name.text)
        }
        absolute.append(names)
    }
}
