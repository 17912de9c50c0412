/// What was typed into prompts, for all panes.
struct PromptHistory {
    private static let limit = 100
    private var entries: [TreePrompt.Kind: [String]] = [:]

    /// What was typed into prompts of a kind, the newest last.
    subscript(kind: TreePrompt.Kind) -> [String] { entries[kind] ?? [] }

    /// Notes what was typed; the same again moves to the end.
    mutating func note(_ text: String, in kind: TreePrompt.Kind) {
        guard !text.isEmpty else { return }
        var list = entries[kind] ?? []
        list.removeAll { $0 == text }
        list.append(text)
        entries[kind] = Array(list.suffix(Self.limit))
    }
}
