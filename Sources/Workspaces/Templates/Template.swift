import Apus

/// A text with `{{ name }}` in it.
///
/// `\{{` stands for the braces themselves. `{{ name | raw }}` puts the value in as it is, where
/// it would be escaped or refused otherwise.
struct Template: Sendable {
    /// A `{{ name }}` and where it stands.
    struct Reference: Sendable {
        let name: String
        let isRaw: Bool
        private let start: Span
        private let index: Int
        private let length: Int

        init(_ name: String, isRaw: Bool = false, marker index: Int, of start: Span, length: Int) {
            self.name = name
            self.isRaw = isRaw
            self.start = start
            self.index = index
            self.length = length
        }

        /// Where it stands; looked for only when something is wrong with it, for a line may be long.
        var span: Span { MarkerFinder.span(ofMarker: index, from: start, length: length) }
    }

    enum Segment: Sendable {
        case literal(String)
        case name(Reference)
    }

    let segments: [Segment]
    /// The text as written.
    let text: String
    let span: Span

    /// Parses `text`; faults are logged, and stand in it as they are.
    init(_ text: String, _ span: Span, _ log: ProblemLog) {
        var parser = TemplateParser(text: text, span: span, log: log)
        segments = parser.parse()
        self.text = text
        self.span = span
    }

    /// The variables that it names.
    var names: [String] {
        segments.compactMap { if case .name(let reference) = $0 { reference.name } else { nil } }
    }

    /// The variables that it names where a URL has a credential: the value of a parameter with a
    /// credential's name, or a password before the host.
    var credentialNames: [String] {
        var written = ""
        var found: [String] = []
        for (index, segment) in segments.enumerated() {
            guard case .name(let reference) = segment else {
                if case .literal(let text) = segment { written += text }
                continue
            }
            let pair = written[(written.lastIndex { "?&#".contains($0) } ?? written.startIndex)...]
            let key = pair.dropFirst().prefix { $0 != "=" }
            let isParameter =
                "?&#".contains(pair.first ?? " ") && pair.contains("=")
                && CredentialMask.isSecret(parameter: key)
            if isParameter || isPassword(at: index, after: written) { found.append(reference.name) }
            written += "_"
        }
        return found
    }

    /// Whether what follows on `written` stands between `://user:` and `@`.
    private func isPassword(at index: Int, after written: String) -> Bool {
        guard let mark = written.firstRange(of: "://") else { return false }
        let user = written[mark.upperBound...]
        guard user.contains(":"), !user.contains(where: { "/?#@".contains($0) }) else {
            return false
        }
        for case .literal(let text) in segments[(index + 1)...] {
            if let end = text.first(where: { "/?#@".contains($0) }) { return end == "@" }
        }
        return false
    }

    /// The reference, if the template is just `{{ name }}`.
    var onlyReference: Reference? {
        if segments.count == 1, case .name(let reference) = segments[0] { reference } else { nil }
    }
}
