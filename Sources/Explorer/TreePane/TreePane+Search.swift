import Documents
import Terminal

/// Searching, and walking through what was found.
extension TreePane {
    /// Begins to search anew; the cursor goes to the first hit from where the prompt opened.
    mutating func search(_ request: SearchRequest) -> [TreePaneEffect] {
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
    mutating func changeSearch(_ change: (inout SearchRequest) -> Void) -> [TreePaneEffect] {
        guard case .prompt(let prompt) = layer, prompt.kind == .search else { return [] }
        var request = searchRequest
        request.text = prompt.text
        change(&request)
        return search(request)
    }

    /// More of the document was searched.
    mutating func takeSearchProgress() -> [TreePaneEffect] {
        guard case .search(let search)? = findings else { return [] }
        if let error = search.engine.progress.error {
            guard isTyping else {
                guard search.engine.progress.isFinished else { return [] }
                return [.say(Notice(kind: .warning, text: error.words))]
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
    mutating func step(forward: Bool) -> [TreePaneEffect] {
        switch findings {
        case .search(let search): return step(search, forward: forward)
        case .query(let query): return step(query, forward: forward)
        case nil:
            let text = "nothing is searched for: / searches, $ queries"
            return [.say(Notice(kind: .information, text: text))]
        }
    }

    /// Goes on with the search, or asks the query again, once the rest of the document is there.
    mutating func askAgain() -> [TreePaneEffect] {
        guard let body, !isOpening else { return [] }
        switch findings {
        case .search(let search)? where !search.engine.progress.isFinished:
            return [.search(search.engine)]
        case .query(let query)? where query.nodeCount < body.document?.nodeCount ?? 0:
            return askAgain(query)
        default: return []
        }
    }

    /// Drops what was found.
    mutating func dropFindings() {
        findings = nil
        refit()
    }

    private mutating func step(_ search: SearchFindings, forward: Bool) -> [TreePaneEffect] {
        let engine = search.engine
        let from = search.current.map(\.range.lowerBound) ?? place - 1
        let hit = forward ? engine.next(after: from) : engine.previous(before: from)
        guard let hit else {
            let text = engine.progress.isFinished ? "nothing was found" : "nothing was found yet"
            return [.say(Notice(kind: .information, text: text))]
        }
        show(hit, of: search)
        guard hit.isWrapped else { return [] }
        return [.say(Self.wrapped(forward: forward))]
    }

    /// The news of a step over the end.
    static func wrapped(forward: Bool) -> Notice {
        Notice(
            kind: .information,
            text: forward ? "from the beginning again" : "from the end again"
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
        case .libraryMissing: "regular expressions need libpcre2-8, which is not here"
        case .syntax(let words): words
        case .tooComplex: description
        case .matchFailed(let code): "the expression failed (\(code))"
        case .outOfMemory: "no memory for this expression"
        }
    }
}
