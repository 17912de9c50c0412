import Documents
package import Terminal

/// The prompt below the rows.
extension DocumentPane {
    /// Opens a prompt.
    mutating func startPrompt(
        _ kind: DocumentPrompt.Kind,
        _ history: PromptHistory
    ) -> [DocumentPaneEffect] {
        guard body != nil else { return [.refuse("there is no body to search")] }
        origin = origin ?? Origin(body: body, scroll: scroll)
        let (text, placeholder) =
            switch kind {
            case .search: (findings?.search?.request.text ?? "", "text in keys and values")
            case .query: (findings?.query?.text ?? "$", "$.a[*].b, or a.b[0]")
            case .place: ("", "row, or line:column")
            }
        layer = .prompt(
            DocumentPrompt(kind, text: text, placeholder: placeholder, entries: history[kind])
        )
        refit()
        return []
    }

    /// Handles a key that is bound to no action.
    package mutating func type(_ key: Key) -> [DocumentPaneEffect] {
        guard case .prompt(var prompt) = layer else {
            if case .copying = layer { leaveCopying() }
            return []
        }
        let before = prompt.text
        guard prompt.handle(key) else { return [] }
        layer = .prompt(prompt)
        return prompt.text == before ? [] : promptChanged()
    }

    /// Takes pasted text.
    package mutating func paste(_ text: String) -> [DocumentPaneEffect] {
        guard case .prompt(var prompt) = layer else { return [] }
        prompt.paste(text)
        layer = .prompt(prompt)
        return promptChanged()
    }

    /// Shows an older or newer entry.
    mutating func showEntry(older: Bool) -> [DocumentPaneEffect] {
        guard case .prompt(var prompt) = layer else { return [] }
        let before = prompt.text
        prompt.showEntry(older: older)
        layer = .prompt(prompt)
        return prompt.text == before ? [] : promptChanged()
    }

    /// Closes the prompt and keeps what it found.
    mutating func accept() -> [DocumentPaneEffect] {
        guard case .prompt(let prompt) = layer else { return [] }
        guard !prompt.text.isEmpty else { return dismiss() }
        switch prompt.kind {
        case .search, .query:
            // Text with an error, or without a match, must be corrected or dismissed.
            guard prompt.problem == nil else { return [] }
            if foundNothing {
                setProblem(PromptProblem(text: "no matches; esc ends the search"))
                return []
            }
            closePrompt()
            return [.remember(prompt.kind, prompt.text)]
        case .place:
            guard prompt.problem == nil else { return [] }
            if let problem = problem(ofRow: prompt.text) {
                setProblem(PromptProblem(text: problem))
                return []
            }
            closePrompt()
            return [.remember(.place, prompt.text)] + go(to: prompt.text)
        }
    }

    /// Closes the prompt, drops its matches and goes back to where it began.
    mutating func dismiss() -> [DocumentPaneEffect] {
        guard case .prompt(let prompt) = layer else { return [] }
        if prompt.kind != .place {
            dropFindings()
            returnToOrigin()
        }
        closePrompt()
        return [.stop]
    }

    /// Sets or clears the error in the typed text.
    mutating func setProblem(_ problem: PromptProblem?) {
        guard case .prompt(var prompt) = layer else { return }
        prompt.problem = problem
        layer = .prompt(prompt)
        refit()
    }

    /// Restores folds and cursor as they were when the prompt opened.
    mutating func returnToOrigin() {
        guard let origin, var body = origin.body else { return }
        // More of the document may have arrived since.
        body.synchronize()
        self.body = body
        scroll = origin.scroll
        refit()
    }

    private mutating func closePrompt() {
        layer = .rows
        origin = nil
        refit()
    }

    private mutating func promptChanged() -> [DocumentPaneEffect] {
        guard case .prompt(let prompt) = layer else { return [] }
        switch prompt.kind {
        case .search:
            var request = searchRequest
            request.text = prompt.text
            return search(request)
        case .query: return query(prompt.text)
        case .place:
            setProblem(Self.problem(ofPlace: prompt.text))
            return []
        }
    }

    /// Whether the search or the query has ended without a match.
    private var foundNothing: Bool {
        switch findings {
        case .search(let search):
            search.engine.progress.isFinished && search.engine.progress.hitCount == 0
        case .query(let query): query.isFinished && query.nodes.isEmpty
        case nil: false
        }
    }

    // MARK: Places

    /// Why there is no such row; nil if there is one, or if it is a line and a column.
    private func problem(ofRow text: String) -> String? {
        guard !text.contains(":"), !isOpening else { return nil }
        let count = body?.rowCount ?? 0
        guard let row = Int(text), (1...max(1, count)).contains(row) else {
            return "there is no row \(text); the last one is \(Readable.count(count))"
        }
        return nil
    }

    private static func problem(ofPlace text: String) -> PromptProblem? {
        let isPlace = text.allSatisfy { $0.isASCII && $0.isNumber || $0 == ":" }
        return isPlace ? nil : PromptProblem(text: "a row (12), or line and column (12:5)")
    }

    /// Goes to a row, or to the value at a line and column of the text.
    private mutating func go(to text: String) -> [DocumentPaneEffect] {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let first = numbers.first ?? nil else {
            return say("there is no row \(text)", .warning)
        }
        guard numbers.count > 1, let document = body?.document, body?.form == .tree else {
            scroll.select(first - 1)
            return []
        }
        let position = TextPosition(line: first, column: (numbers[1] ?? 1))
        return [.locate(nextTicket(), document, position)]
    }

    /// Goes to the value at an offset; nil says that the text has no such line.
    mutating func goTo(_ offset: Int?, ticket: Int) -> [DocumentPaneEffect] {
        guard isCurrent(ticket) else { return [] }
        guard let offset, let node = body?.document?.lastValue(before: offset + 1) else {
            return say("there is no such line", .warning)
        }
        reveal(node)
        return []
    }
}

/// The line below a pane's rows that the user types in.
package struct DocumentPrompt {
    /// What the text is for.
    package enum Kind: Hashable, CaseIterable {
        case search, query, place
    }

    /// The most bytes of a search text, which may be compared in full at every byte.
    private static let longestSearch = 1 << 10

    let kind: Kind
    private(set) var field: TextField
    /// The error in the typed text.
    var problem: PromptProblem?
    /// Earlier entries, the newest last.
    private let entries: [String]
    /// The index of the earlier entry that is shown; nil for the user's own text.
    private var place: Int?
    private var draft = ""
    /// Whether nothing was typed yet.
    private var isUntouched = true

    init(_ kind: Kind, text: String = "", placeholder: String, entries: [String]) {
        self.kind = kind
        self.entries = entries
        field = TextField(
            text,
            placeholder: placeholder,
            limit: kind == .search ? Self.longestSearch : TextField.longestText
        )
    }

    var text: String { field.text }

    /// Handles a key; returns whether the text may have changed.
    mutating func handle(_ key: Key) -> Bool {
        if let text = key.text { makeRoom(for: text) }
        isUntouched = false
        return field.handle(key)
    }

    /// Takes pasted text.
    mutating func paste(_ text: String) {
        makeRoom(for: text)
        isUntouched = false
        field.paste(text)
    }

    /// Clears a kept search before the first input; a kept query stays, unless the input begins with `$`.
    private mutating func makeRoom(for text: String) {
        guard isUntouched, kind != .query || text.hasPrefix("$") else { return }
        field.text = ""
    }

    /// Shows the next older or newer entry; after the newest, the user's own text.
    mutating func showEntry(older: Bool) {
        if place == nil { draft = text }
        let next = (place ?? entries.count) + (older ? -1 : 1)
        guard next >= 0, next <= entries.count else { return }
        isUntouched = false
        place = next < entries.count ? next : nil
        field.text = place.map { entries[$0] } ?? draft
    }
}

/// An error in the typed text, and its position.
struct PromptProblem: Equatable, Sendable {
    var text: String
    /// The column from 1; nil if the error is about the whole text.
    var column: Int?
}

/// Earlier entries of prompts, for all panes.
package struct PromptHistory {
    /// Makes a history without entries.
    package init() {}

    private static let limit = 100
    private var entries: [DocumentPrompt.Kind: [String]] = [:]

    /// The entries of prompts of a kind, the newest last.
    package subscript(kind: DocumentPrompt.Kind) -> [String] { entries[kind] ?? [] }

    /// Adds an entry; a repeated one moves to the end.
    package mutating func keep(_ text: String, in kind: DocumentPrompt.Kind) {
        guard !text.isEmpty else { return }
        var list = entries[kind] ?? []
        list.removeAll { $0 == text }
        list.append(text)
        entries[kind] = Array(list.suffix(Self.limit))
    }
}
