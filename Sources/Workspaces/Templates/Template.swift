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

    /// The reference, if the template is just `{{ name }}`.
    var onlyReference: Reference? {
        if segments.count == 1, case .name(let reference) = segments[0] { reference } else { nil }
    }
}
