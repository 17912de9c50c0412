/// A text with `{{ name }}` in it.
///
/// `\{{` stands for the braces themselves.
struct Template: Sendable {
    enum Segment: Sendable {
        case literal(String)
        case name(String, Span)
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

    /// The template `{{ name }}`.
    init(naming name: String, _ span: Span) {
        segments = [.name(name, span)]
        text = "{{ \(name) }}"
        self.span = span
    }

    /// The name, if the template is just `{{ name }}`.
    var onlyName: (name: String, span: Span)? {
        if segments.count == 1, case .name(let name, let span) = segments[0] {
            (name, span)
        } else {
            nil
        }
    }
}
