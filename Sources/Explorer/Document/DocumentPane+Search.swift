import Documents
import Terminal

/// Searching, and walking through what was found.
extension DocumentPane {
    /// Starts a search; the cursor goes to the first hit after the place where the prompt opened.
    mutating func search(_ request: SearchRequest) -> [DocumentPaneEffect] {
        searchRequest = request
        dropFindings()
        returnToOrigin()
        guard let body else { return [.stop] }
        do throws(RegularExpressionError) {
            guard let pattern = try request.pattern() else {
                setProblem(nil)
                return [.stop]
            }
            setProblem(nil)
            let engine =
                body.document.map { DocumentSearch(pattern, in: $0) }
                ?? DocumentSearch(pattern, in: body.bytes)
            findings = .search(SearchFindings(request: request, engine: engine))
            refit()
            return [.search(engine)]
        } catch {
            setProblem(PromptProblem(text: error.words, column: error.column))
            return [.stop]
        }
    }

    /// Changes where or how is searched, while it is being typed.
    mutating func changeSearch(_ change: (inout SearchRequest) -> Void) -> [DocumentPaneEffect] {
        guard case .prompt(let prompt) = layer, prompt.kind == .search else { return [] }
        var request = searchRequest
        request.text = prompt.text
        change(&request)
        return search(request)
    }

    /// More of the document was searched.
    mutating func takeSearchProgress() -> [DocumentPaneEffect] {
        guard case .search(let search)? = findings else { return [] }
        if let error = search.engine.progress.error {
            guard isTyping else {
                guard search.engine.progress.isFinished else { return [] }
                return say(error.words, .warning)
            }
            setProblem(PromptProblem(text: error.words, column: nil))
        }
        // While it is typed the cursor waits for the first hit behind it.
        guard search.current == nil, isTyping else { return [] }
        if let hit = search.engine.firstHit(from: place) {
            show(hit, of: search)
        } else if search.engine.progress.isFinished, let hit = search.engine.firstHit(from: 0) {
            show(hit, of: search)
        }
        return []
    }

    /// To the next or the previous of what was found.
    mutating func step(forward: Bool) -> [DocumentPaneEffect] {
        switch findings {
        case .search(let search): return step(search, forward: forward)
        case .query(let query): return step(query, forward: forward)
        case nil:
            return say("no search yet: / searches, $ queries")
        }
    }

    /// Goes on with the search, or asks the query again, once the rest of the document is there.
    mutating func askAgain() -> [DocumentPaneEffect] {
        guard let body, !isOpening else { return [] }
        switch findings {
        case .search(let search)? where !search.engine.progress.isFinished:
            return [.search(search.engine)]
        case .query(let query)? where query.nodeCount < body.document?.nodeCount ?? 0:
            return askAgain(query)
        default: return []
        }
    }

    /// Clears the matches.
    mutating func dropFindings() {
        findings = nil
        refit()
    }

    private mutating func step(_ search: SearchFindings, forward: Bool) -> [DocumentPaneEffect] {
        let engine = search.engine
        let from = search.current.map(\.range.lowerBound) ?? place - 1
        let hit = forward ? engine.next(after: from) : engine.previous(before: from)
        guard let hit else {
            return say(engine.progress.isFinished ? "no matches" : "no matches yet")
        }
        show(hit, of: search)
        guard hit.isWrapped else { return [] }
        return [.say(Self.wrapped(forward: forward))]
    }

    /// The news of a step over the end.
    static func wrapped(forward: Bool) -> Notice {
        Notice(
            kind: .information,
            text: forward ? "continued from the beginning" : "continued from the end"
        )
    }

    private mutating func show(_ hit: SearchHit, of search: SearchFindings) {
        var search = search
        search.current = hit
        findings = .search(search)
        if body?.form == .tree {
            if let node = search.engine.node(of: hit) { reveal(node) }
        } else if let row = body?.row(atOffset: hit.range.lowerBound) {
            scroll.select(row)
        }
    }

    /// The byte of the row under the cursor.
    private var place: Int {
        switch body?.row(at: scroll.selection, textLimit: 1) {
        case .tree(let row):
            guard let document = body?.document else { return 0 }
            let start = document.keyRange(of: row.node)?.lowerBound
            return start ?? document.valueStart(of: row.node)
        case .fault(let row): return row.fault.offset
        case .text(let row): return row.range.lowerBound
        case .hex(let row): return row.offset
        case nil: return 0
        }
    }
}

extension BodyDocument {
    /// The row of text or bytes that a byte is in; O(log n).
    func row(atOffset offset: Int) -> Int? {
        guard form == .text else { return offset / HexDocument.width }
        var (low, high) = (0, rowCount)
        while low < high {
            let middle = (low + high) / 2
            guard case .text(let row)? = row(at: middle, textLimit: 1) else { return nil }
            if row.range.lowerBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}

extension RegularExpressionError {
    /// What is wrong, for people.
    var words: String {
        switch reason {
        case .libraryMissing: "regular expressions need libpcre2-8, which is not installed"
        case .syntax(let words): words
        case .tooComplex: description
        case .matchFailed(let code): "the expression failed (\(code))"
        case .outOfMemory: "not enough memory for this expression"
        }
    }
}

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
