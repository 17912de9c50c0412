/// A mapping whose keys are known.
struct Fields {
    let span: Span
    /// The keys that were probably meant by unknown ones.
    let misspelt: Set<String>
    private let entries: [YAMLNode.Entry]

    /// Nil if it is no mapping; unknown keys are logged.
    init?(
        _ node: YAMLNode,
        of what: String,
        keys: [String],
        expected: String? = nil,
        log: ProblemLog
    ) {
        guard case .mapping(let entries) = node.content else {
            log.add(
                node.span,
                "\(what) cannot be \(node.kindName)",
                expected: expected ?? "a mapping with keys such as `\(keys.first ?? "")`"
            )
            return nil
        }
        var misspelt: Set<String> = []
        for entry in entries where !keys.contains(entry.key) {
            guard !log.isFull else {
                log.cut()
                break
            }
            let meant = Suggestion.nearest(to: entry.key, among: keys)
            let hint = meant.map { "did you mean `\($0)`?" }
            if let meant { misspelt.insert(meant) }
            log.add(
                entry.keySpan,
                "unknown key `\(entry.key)` in \(what)",
                expected: hint == nil ? Self.list(keys) : nil,
                hint: hint
            )
        }
        self.misspelt = misspelt
        self.entries = entries
        span = node.span
    }

    subscript(key: String) -> YAMLNode? { entry(key)?.value }

    func entry(_ key: String) -> YAMLNode.Entry? { entries.first { $0.key == key } }

    /// The keys of `names` that are there, in the file's order.
    func entries(of names: [String]) -> [YAMLNode.Entry] {
        entries.filter { names.contains($0.key) }
    }

    static func list(_ names: [String]) -> String {
        "one of " + names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
