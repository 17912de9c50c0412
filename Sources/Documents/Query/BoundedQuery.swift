/// A query of what somebody else made: it ends with its task, and when it takes too long.
///
/// The time of a query grows with a power of the document's size: `$..a..a` takes a billion steps for
/// 600 KB that are made for it.
package struct BoundedQuery {
    private var walk: QueryWalk
    private let budget: ReadingBudget

    /// Begins a query; the budget, nil for one of its own, is that of the thread on which all values
    /// are asked for.
    package init(
        _ query: JSONPath,
        in document: Document,
        from start: NodeIndex = .root,
        within budget: ReadingBudget? = nil
    ) {
        let budget = budget ?? ReadingBudget(ofText: document.bytes.count, limit: nil)
        self.budget = budget
        walk = QueryWalk(query, in: document, from: start) { !budget.isOver() }
    }

    /// The next value; nil when there is none.
    ///
    /// A pattern that was given up may stand behind a `!`, so that no value is certain after it.
    package mutating func next() throws(QueryInterruption) -> NodeIndex? {
        let node = walk.next()
        if let problem = walk.problem { throw .pattern(problem) }
        if let node { return node }
        if let interruption = budget.interruption { throw interruption }
        return nil
    }
}

extension ReadingBudget {
    /// Why a query, or what looks at its values, ended early.
    package var interruption: QueryInterruption? {
        switch end {
        case .cancelled: .cancelled
        case .tookTooLong: .takesTooLong(limit: limit)
        case nil: nil
        }
    }
}

/// Why a query was not evaluated to its end.
package enum QueryInterruption: Error, Equatable {
    /// Its task was cancelled.
    case cancelled
    /// It took more processor time than this.
    case takesTooLong(limit: Duration)
    /// A pattern was too costly for a text, or is none that can be used; the library's words.
    case pattern(String)
}

extension QueryInterruption: CustomStringConvertible {
    /// What happened, a sentence about the query.
    package var description: String {
        switch self {
        case .cancelled: "it was cancelled"
        case .takesTooLong(let limit): "it takes more than \(limit) of processor time"
        case .pattern(let problem): problem
        }
    }
}
