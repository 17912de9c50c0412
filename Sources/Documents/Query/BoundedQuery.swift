/// A query of an untrusted document: it ends when its task is cancelled or when it takes too long.
///
/// The time of a query can grow with a power of the document's size: `$..a..a` takes a billion steps for
/// 600 KB that are made for it.
package struct BoundedQuery {
    private var walk: QueryWalk
    private let budget: CPUTimeBudget

    /// Begins a query.
    ///
    /// `budget` belongs to the thread on which all values are requested; nil makes a new one.
    package init(
        _ query: JSONPath,
        in document: Document,
        from start: NodeIndex = .root,
        within budget: CPUTimeBudget? = nil
    ) {
        let budget = budget ?? CPUTimeBudget(ofText: document.bytes.count, limit: nil)
        self.budget = budget
        walk = QueryWalk(query, in: document, from: start) { !budget.isOver() }
    }

    /// The next value; nil if there are no more.
    ///
    /// Throws once a pattern was given up, because it may be inside a `!`, so that later values are uncertain.
    package mutating func next() throws(QueryInterruption) -> NodeIndex? {
        let node = walk.next()
        if let problem = walk.problem { throw .pattern(problem) }
        if let node { return node }
        if let interruption = budget.interruption { throw interruption }
        return nil
    }
}

extension CPUTimeBudget {
    /// Why a query, or code that examines its values, ended early; nil if it did not.
    package var interruption: QueryInterruption? {
        switch end {
        case .cancelled: .cancelled
        case .tookTooLong: .takesTooLong(limit: limit)
        case nil: nil
        }
    }
}

/// Why a query was not evaluated completely.
package enum QueryInterruption: Error, Equatable {
    /// The task was cancelled.
    case cancelled
    /// The query took more CPU time than this.
    case takesTooLong(limit: Duration)
    /// A pattern was too costly for a text or cannot be used; has the message.
    case pattern(String)
}

extension QueryInterruption: CustomStringConvertible {
    /// What happened, as a sentence about the query.
    package var description: String {
        switch self {
        case .cancelled: "it was cancelled"
        case .takesTooLong(let limit): "it takes more than \(limit) of CPU time"
        case .pattern(let problem): problem
        }
    }
}
