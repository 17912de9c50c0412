import Documents

/// Looks at a file's values for credentials, and for what YAML reads differently than people do.
struct TextReview {
    let source: SourceText
    let log: ProblemLog

    /// Logs what it finds.
    func review() {
        reviewCredentials()
        guard let root = YAMLReader(source: source, log: ProblemLog()).read() else { return }
        reviewValues(root)
    }

    private func reviewCredentials() {
        for (place, length, key) in source.credentials?.literals ?? []
        where length >= (FoundCredential.weakNames.contains(key) ? 8 : 4) {
            var problem = Problem(
                Span(source, place, length: max(1, length)),
                "a credential stands in the file under `\(key)`",
                hint:
                    "keep it elsewhere: `variables: { name: { env: NAME } }`, and `{{ name }}` here"
            )
            problem.severity = .warning
            log.add(problem)
        }
    }

    /// The keys below which values are sent as they are written.
    private static let sent: Set = ["json", "form", "multipart", "query", "variables", "set"]

    private func reviewValues(_ root: YAMLNode) {
        var waiting = [(node: root, isSent: false)]
        while let (node, isSent) = waiting.popLast() {
            switch node.content {
            case .scalar(let text, let isPlain):
                if isSent, isPlain { reviewPlain(text, node.span) }
            case .sequence(let nodes): waiting += nodes.map { ($0, isSent) }
            case .mapping(let entries):
                waiting += entries.map { ($0.value, isSent || Self.sent.contains($0.key)) }
            }
        }
    }

    private func reviewPlain(_ text: String, _ span: Span) {
        guard let words = Self.trap(text) else { return }
        var problem = Problem(
            span,
            "`\(text)` is \(words)",
            hint: "put it into quotes if that is meant"
        )
        problem.severity = .warning
        // An alias stands for its text elsewhere.
        if source.line(span.line)?.unicodeScalars.dropFirst(span.column - 1)
            .starts(with: text.unicodeScalars) == true
        {
            problem.fix = Problem.Fix(old: text, text: "\"\(text)\"")
        }
        log.add(problem)
    }

    private static let words: Set = ["yes", "no", "on", "off", "y", "n"]

    /// What an unquoted text is here, and what else people and other programs read in it; nil if that is the same.
    static func trap(_ text: String) -> String? {
        // Such texts are short words, or begin with a zero.
        guard text.utf8.count <= 5 || text.utf8.first == UInt8(ascii: "0") else { return nil }
        if words.contains(text.lowercased()) {
            return "a string here (YAML 1.2), and true or false to older programs"
        }
        if ["True", "False", "TRUE", "FALSE"].contains(text) {
            return "a string here; a Boolean is `\(text.lowercased())`"
        }
        if ["Null", "NULL"].contains(text) { return "a string here; nothing is `null`" }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        if digits.count > 1, digits.first == "0", digits.count == text.count {
            return "a string here, and a number to other programs"
        }
        if text.hasPrefix("0x") || text.hasPrefix("0o"), text.dropFirst(2).allSatisfy(\.isHexDigit),
            text.count > 2
        {
            return "a string here, and a number to other programs"
        }
        return nil
    }
}
