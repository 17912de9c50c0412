import Documents
import Terminal

/// What n and N walk through: the hits of a search, or the values of a query.
enum Findings {
    case search(SearchFindings)
    case query(QueryFindings)

    /// The values that a query found.
    var query: QueryFindings? {
        if case .query(let query) = self { query } else { nil }
    }

    /// The hits of a search.
    var search: SearchFindings? {
        if case .search(let search) = self { search } else { nil }
    }

    /// Whether it is still being looked for.
    var isRunning: Bool {
        switch self {
        case .search(let search): !search.engine.progress.isFinished
        case .query(let query): !query.isFinished
        }
    }
}

/// A search and the hit that the cursor is at.
struct SearchFindings {
    let request: SearchRequest
    /// The search itself; what it finds is shared with the task that runs it.
    let engine: DocumentSearch
    /// The hit that the cursor was put on.
    var current: SearchHit?
}

/// A query's values and the one that the cursor is at.
struct QueryFindings {
    let text: String
    let ticket: Int
    /// In the order of the path, some perhaps twice.
    var nodes: [NodeIndex] = []
    /// The same in the order of the document.
    var sorted: [NodeIndex] = []
    var isFinished = false
    /// The values that there were to look at when it was asked.
    var nodeCount = 0
    /// The place of the one that the cursor was put on.
    var current: Int?
    /// Only the values, when they are shown alone.
    var list: ListScroll?

    /// Whether a value is among them; O(log n).
    func contains(_ node: NodeIndex) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].rawValue < node.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == node
    }
}
