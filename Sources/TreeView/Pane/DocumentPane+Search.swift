import Documents
import Terminal

/// Searching, and stepping through the matches.
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
            let bytes = body.searchedBytes
            let tree = body.document.flatMap { $0.bytes === bytes ? $0 : nil }
            let engine =
                tree.map { DocumentSearch(pattern, in: $0) } ?? DocumentSearch(pattern, in: bytes)
            findings = .search(SearchFindings(request: request, engine: engine))
            refit()
            return [.search(engine)]
        } catch {
            setProblem(PromptProblem(text: error.words, column: error.column))
            return [.stop]
        }
    }

    /// Changes the scope or the kind of the search while its text is typed.
    mutating func changeSearch(_ change: (inout SearchRequest) -> Void) -> [DocumentPaneEffect] {
        guard case .prompt(let prompt) = layer, prompt.kind == .search else { return [] }
        var request = searchRequest
        request.text = prompt.text
        change(&request)
        return search(request)
    }

    /// Goes on with the search after progress of its engine.
    mutating func followSearch() -> [DocumentPaneEffect] {
        guard case .search(let search)? = findings else { return [] }
        if let error = search.engine.progress.error {
            guard isTyping else {
                guard search.engine.progress.isFinished else { return [] }
                return say(error.words, .warning)
            }
            setProblem(PromptProblem(text: error.words, column: nil))
        }
        // While the text is typed, the cursor goes to the first hit after it, once there is one.
        guard search.current == nil, isTyping else { return [] }
        if let hit = search.engine.firstHit(from: place) {
            show(hit, of: search)
        } else if search.engine.progress.isFinished, let hit = search.engine.firstHit(from: 0) {
            show(hit, of: search)
        }
        return []
    }

    /// Goes to the next or the previous match.
    mutating func step(forward: Bool) -> [DocumentPaneEffect] {
        switch findings {
        case .search(let search): return step(search, forward: forward)
        case .query(let query): return step(query, forward: forward)
        case nil:
            return say("no search yet: / searches, $ queries")
        }
    }

    /// Continues the search, or runs the query again, once the whole document is there.
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

    /// The notice of a step that wrapped around.
    package static func wrapped(forward: Bool) -> Notice {
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
        } else if body?.form == .text {
            showOffset(hit.range.lowerBound)
        } else if let row = body?.row(atOffset: hit.range.lowerBound) {
            scroll.select(row)
        }
    }

    /// The offset of the row under the cursor.
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
    /// The row of text or bytes that contains an offset; O(log n).
    func row(atOffset offset: Int) -> Int? {
        guard form == .text else { return offset / HexDocument.width }
        let next = (0..<rowCount).partitioningIndex { number in
            guard case .text(let row)? = self.row(at: number, textLimit: 1) else { return true }
            return row.range.lowerBound > offset
        }
        return next > 0 ? next - 1 : nil
    }
}

extension RegularExpressionError {
    /// The error as a prompt shows it.
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

/// A text to search for, and the options of the search.
struct SearchRequest: Equatable, Sendable {
    var text = ""
    var isExpression = false
    var scope = SearchScope.everything

    /// The options, as the prompt shows them.
    var words: String {
        let part =
            switch scope {
            case .everything: "keys+values"
            case .keys: "keys"
            case .values: "values"
            }
        return isExpression ? "regex · \(part)" : part
    }

    /// Switches to the next of everything, keys and values.
    mutating func changeScope() {
        scope =
            switch scope {
            case .everything: .keys
            case .keys: .values
            case .values: .everything
            }
    }

    /// The pattern to search with; nil if the text is empty.
    func pattern() throws(RegularExpressionError) -> SearchPattern? {
        guard !text.isEmpty else { return nil }
        guard isExpression else { return SearchPattern(text: text, in: scope) }
        return try SearchPattern(expression: text, in: scope)
    }
}

/// What n and N step through: the hits of a search, or the values of a query.
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

    /// Whether the search or the query still runs.
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
    /// The search itself, shared with the task that runs it.
    let engine: DocumentSearch
    /// The hit that the cursor went to last.
    var current: SearchHit?
}

/// A query's values and the one that the cursor is at.
struct QueryFindings {
    let text: String
    let ticket: Int
    /// The values in the order of the path, perhaps with duplicates.
    var nodes: [NodeIndex] = []
    /// These values in the order of the document.
    var sorted: [NodeIndex] = []
    var isFinished = false
    /// The document's node count when the query was run.
    var nodeCount = 0
    /// The index in `nodes` of the value that the cursor went to last.
    var current: Int?
    /// The list of the values; nil if the whole document is shown.
    var list: ListScroll?

    /// Whether the query found a value; O(log n).
    func contains(_ node: NodeIndex) -> Bool {
        let place = sorted.partitioningIndex { $0.rawValue >= node.rawValue }
        return place < sorted.count && sorted[place] == node
    }
}

extension RandomAccessCollection {
    /// The first index from which on the predicate is true for all elements, which are sorted by that; O(log n).
    package func partitioningIndex(where isBehind: (Element) -> Bool) -> Index {
        var (start, rest) = (startIndex, count)
        while rest > 0 {
            let middle = index(start, offsetBy: rest / 2)
            if isBehind(self[middle]) {
                rest /= 2
            } else {
                start = index(after: middle)
                rest -= rest / 2 + 1
            }
        }
        return start
    }
}
