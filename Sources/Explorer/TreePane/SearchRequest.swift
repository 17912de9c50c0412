import Documents

/// What is searched for, and where.
struct SearchRequest: Equatable, Sendable {
    var text = ""
    var isExpression = false
    var scope = SearchScope.everything

    /// What the prompt shows of it.
    var words: String {
        let part =
            switch scope {
            case .everything: "keys+values"
            case .keys: "keys"
            case .values: "values"
            }
        return isExpression ? "regex · \(part)" : part
    }

    /// Takes the next of everything, keys and values.
    mutating func changeScope() {
        scope =
            switch scope {
            case .everything: .keys
            case .keys: .values
            case .values: .everything
            }
    }

    /// The pattern to search with; nil when nothing is typed.
    func pattern() throws(RegularExpressionError) -> SearchPattern? {
        guard !text.isEmpty else { return nil }
        guard isExpression else { return SearchPattern(text: text, in: scope) }
        return try SearchPattern(expression: text, in: scope)
    }
}
