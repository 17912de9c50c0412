import Apus
import Documents

/// Reads single values; an invalid one is logged and nil.
struct NodeReader {
    let log: ProblemLog

    func text(_ node: YAMLNode?, _ what: String, expected: String = "a string") -> String? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, !node.isNull { return text }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: expected)
        return nil
    }

    func template(_ node: YAMLNode?, _ what: String, expected: String = "a string") -> Template? {
        guard let node else { return nil }
        if let hint = Self.secretHint(node) {
            log.add(
                node.span,
                "\(what) cannot be \(node.kindName)",
                expected: expected,
                hint: hint
            )
            return nil
        }
        guard let text = text(node, what, expected: expected) else { return nil }
        return Template(text, node.span, log)
    }

    /// What to write in place of `{ env: NAME }` or `{ file: path }`, which is for variables and some credentials.
    ///
    /// Nil for other values. The names in it are none of a credential, which a mask would hide.
    private static func secretHint(_ node: YAMLNode) -> String? {
        guard case .mapping(let entries) = node.content, entries.count == 1,
            let entry = entries.first, case .scalar(let text, _) = entry.value.content
        else { return nil }
        switch entry.key {
        case "env":
            let isName = text.utf8.allSatisfy { byte in
                (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
            let name = isName && !text.isEmpty ? text : "NAME"
            return "for the secret of an environment variable write \"{{ env('\(name)') }}\""
        case "file":
            return "for the secret in a file define a variable, "
                + "variables: { mine: { file: PATH } }, and write \"{{ mine }}\""
        default: return nil
        }
    }

    func boolean(_ node: YAMLNode?, _ what: String) -> Bool? {
        word(node, what, ["true": true, "false": false], order: ["true", "false"])
    }

    func integer(_ node: YAMLNode?, _ what: String, in range: ClosedRange<Int>) -> Int? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let number = Int(text), range.contains(number)
        {
            return number
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        )
        return nil
    }

    /// The case of an enum whose raw value is the word.
    func word<Word: CaseIterable & RawRepresentable>(_ node: YAMLNode?, _ what: String) -> Word?
    where Word.RawValue == String {
        let all = Word.allCases
        return word(
            node,
            what,
            Dictionary(uniqueKeysWithValues: all.map { ($0.rawValue, $0) }),
            order: all.map(\.rawValue)
        )
    }

    func word<Result>(
        _ node: YAMLNode?,
        _ what: String,
        _ choices: [String: Result],
        order: [String]
    ) -> Result? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let choice = choices[text] { return choice }
        var hint: String?
        if case .scalar(let text, _) = node.content {
            hint = Suggestion.hint(for: text, among: order)
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: Fields.list(order),
            hint: hint
        )
        return nil
    }

    /// A duration, or `never`.
    func timeLimit(_ node: YAMLNode?, _ what: String) -> TimeLimit? {
        guard let node else { return nil }
        if case .scalar("never", _) = node.content { return TimeLimit.none }
        if case .scalar(let text, _) = node.content, let duration = Quantity.duration(text) {
            return .after(duration)
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a time with its unit (`500 ms`, `10 s`, `5 min`), or `never`"
        )
        return nil
    }

    func size(_ node: YAMLNode?, _ what: String) -> Int? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let size = Quantity.size(text) { return size }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a size with its unit: `512 B`, `10 kB`, `8 MiB`"
        )
        return nil
    }

    /// The elements of a list.
    func list(_ node: YAMLNode?, _ what: String) -> [YAMLNode]? {
        guard let node else { return nil }
        if case .sequence(let nodes) = node.content { return nodes }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: "a list")
        return nil
    }

    /// The entries of a mapping whose keys can be anything; null counts as an empty mapping.
    func entries(_ node: YAMLNode?, _ what: String) -> [YAMLNode.Entry] {
        guard let node, !node.isNull else { return [] }
        if case .mapping(let entries) = node.content { return entries }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: "a mapping")
        return []
    }

    /// A path into a response; nil if the text is none, which is logged.
    func capturePath(_ node: YAMLNode?, _ what: String) -> CapturePath? {
        guard let node, let text = text(node, what) else { return nil }
        do throws(JSONPathError) {
            return try CapturePath(text)
        } catch {
            log.add(
                place(of: error, in: text, node),
                "`\(text)` is not a path into a response: \(error.message)",
                expected: "one such as `$.user.roles[0]`, `header:X-Token` or `status`"
            )
            return nil
        }
    }

    /// The place in the file of the character at which parsing a text failed.
    func place(of error: JSONPathError, in text: String, _ node: YAMLNode) -> Span {
        let isQuoted = node.span.length == text.unicodeScalars.count + 2
        return node.span.advanced(by: error.column - 1 + (isQuoted ? 1 : 0), length: 1)
    }

    /// The value as a message shows it, or its kind if it is long or no scalar.
    func shown(_ node: YAMLNode) -> String {
        if case .scalar(let text, _) = node.content, !node.isNull, text.count <= 40 {
            return "`\(text)`"
        }
        return node.kindName
    }
}

/// A mapping with a fixed set of keys.
struct Fields {
    let span: Span
    /// The valid keys that unknown ones are probably misspellings of.
    let misspelt: Set<String>
    private let entries: [YAMLNode.Entry]

    /// Nil if the node is not a mapping; unknown keys are logged.
    ///
    /// `words` name the mapping in messages, where it has a name of its own.
    init?(
        _ node: YAMLNode,
        of section: FormatSection.ID,
        _ words: String? = nil,
        expected: String? = nil,
        log: ProblemLog
    ) {
        let keys = FormatSection[section].names
        let what = words ?? FormatSection[section].words
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
                // Said once for each kind of mapping: some have thirty keys.
                expected: hint == nil && log.lists(what) ? Self.list(keys) : nil,
                hint: hint
            )
        }
        self.misspelt = misspelt
        self.entries = entries
        span = node.span
    }

    subscript(key: String) -> YAMLNode? { entry(key)?.value }

    func entry(_ key: String) -> YAMLNode.Entry? { entries.first { $0.key == key } }

    /// The entries with one of these names, in the file's order.
    func entries(of names: [String]) -> [YAMLNode.Entry] {
        entries.filter { names.contains($0.key) }
    }

    static func list(_ names: [String]) -> String {
        "one of " + names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
