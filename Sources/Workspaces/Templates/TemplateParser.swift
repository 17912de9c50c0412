/// Cuts a text at its `{{ name }}`.
struct TemplateParser {
    let text: String
    let span: Span
    let log: ProblemLog
    private var cursor: MarkerCursor
    private var literal = ""
    private var segments: [Template.Segment] = []

    init(text: String, span: Span, log: ProblemLog) {
        self.text = text
        self.span = span
        self.log = log
        cursor = MarkerCursor(span)
    }

    mutating func parse() -> [Template.Segment] {
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            if rest[..<open.lowerBound].hasSuffix("\\") {
                literal += rest[..<open.lowerBound].dropLast() + "{{"
                _ = cursor.next(length: 2)
                rest = rest[open.upperBound...]
                continue
            }
            literal += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                log.add(
                    cursor.next(length: 2),
                    "`{{` has no `}}` after it",
                    hint: "write `\\{{` for the braces themselves"
                )
                rest = rest[open.upperBound...]
                continue
            }
            take(rest[open.upperBound..<close.lowerBound])
            rest = rest[close.upperBound...]
        }
        literal += rest
        flush()
        return segments
    }

    private mutating func take(_ inside: Substring) {
        let name = String(inside.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        let place = cursor.next(length: inside.unicodeScalars.count + 4)
        // A `{{` inside a broken name is passed over with it.
        for _ in inside.ranges(of: "{{") { _ = cursor.next(length: 2) }
        guard Self.isName(name) else {
            log.add(
                place,
                name.isEmpty ? "`{{ }}` without a name" : "`\(name)` is not a name",
                expected: "a name of letters, digits, `_` and `-`"
            )
            return
        }
        flush()
        segments.append(.name(name, place))
    }

    private mutating func flush() {
        if !literal.isEmpty { segments.append(.literal(literal)) }
        literal = ""
    }

    /// Whether a variable may be called so.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
