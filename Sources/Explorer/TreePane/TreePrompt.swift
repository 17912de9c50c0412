import Terminal

/// A line that is being typed below a pane's rows.
struct TreePrompt {
    /// What is typed.
    enum Kind: Hashable, CaseIterable {
        case search, query, place
    }

    let kind: Kind
    private(set) var field: TextField
    /// What is wrong with what is typed.
    var problem: PromptProblem?
    /// What was typed before, the newest last.
    private let entries: [String]
    /// The entry that is shown; nil for what is being typed.
    private var place: Int?
    private var draft = ""

    init(_ kind: Kind, text: String = "", placeholder: String, entries: [String]) {
        self.kind = kind
        self.entries = entries
        field = TextField(text, placeholder: placeholder)
    }

    /// What is typed.
    var text: String { field.text }

    /// Takes a key; tells whether the text may have changed.
    mutating func handle(_ key: Key) -> Bool { field.handle(key) }

    /// Takes pasted text.
    mutating func paste(_ text: String) { field.paste(text) }

    /// Shows what was typed before, or after that.
    mutating func showEntry(older: Bool) {
        if place == nil { draft = text }
        let next = (place ?? entries.count) + (older ? -1 : 1)
        guard next >= 0, next <= entries.count else { return }
        place = next < entries.count ? next : nil
        field.text = place.map { entries[$0] } ?? draft
    }
}

/// What is wrong with what is typed, and where.
struct PromptProblem: Equatable, Sendable {
    var text: String
    /// The column from 1; nil when it is about all of it.
    var column: Int?
}
