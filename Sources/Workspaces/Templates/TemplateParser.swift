/// Cuts a text at its `{{ name }}`.
struct TemplateParser {
    private static let filters = ["raw"]

    private let text: Substring.UTF8View
    private let span: Span
    private let log: ProblemLog
    /// How many `{{` have been passed.
    private var markers = 0
    private var literal: [UInt8] = []
    private var segments: [Template.Segment] = []

    init(text: String, span: Span, log: ProblemLog) {
        self.text = text[...].utf8
        self.span = span
        self.log = log
    }

    /// The pieces, each byte of the text looked at twice at most.
    mutating func parse() -> [Template.Segment] {
        var rest = text
        var isClosed = true
        while let open = Self.pair(UInt8(ascii: "{"), in: rest) {
            let before = rest[..<open]
            let inside = rest[open...].dropFirst(2)
            if before.last == UInt8(ascii: "\\") {
                literal += before.dropLast()
                literal += "{{".utf8
                markers += 1
                rest = inside
                continue
            }
            literal += before
            // Where there is no end behind one, there is none behind those that follow it.
            guard isClosed, let close = Self.pair(UInt8(ascii: "}"), in: inside) else {
                isClosed = false
                reportOpen()
                rest = inside
                continue
            }
            take(inside[..<close])
            rest = inside[close...].dropFirst(2)
        }
        literal += rest
        flush()
        return segments
    }

    /// Where the byte stands twice, for the first time.
    private static func pair(
        _ byte: UInt8,
        in text: Substring.UTF8View
    ) -> Substring.UTF8View.Index? {
        var last: Substring.UTF8View.Index?
        for index in text.indices {
            guard text[index] == byte else {
                last = nil
                continue
            }
            if let last { return last }
            last = index
        }
        return nil
    }

    private mutating func reportOpen() {
        log.add(
            MarkerFinder.span(ofMarker: markers, from: span, length: 2),
            "`{{` has no `}}` after it",
            hint: "write `\\{{` for the braces themselves"
        )
        markers += 1
    }

    private mutating func take(_ inside: Substring.UTF8View) {
        let words = String(Substring(inside)).split(
            separator: "|",
            omittingEmptySubsequences: false
        )
        .map(Self.trimmed)
        let (name, filters) = (words[0], words.dropFirst())
        let reference = Template.Reference(
            name,
            isRaw: !filters.isEmpty,
            marker: markers,
            of: span,
            length: Substring(inside).unicodeScalars.count + 4
        )
        markers += 1
        // A `{{` inside a broken name is passed over with it.
        var rest = inside
        while let open = Self.pair(UInt8(ascii: "{"), in: rest) {
            markers += 1
            rest = rest[open...].dropFirst(2)
        }
        guard Self.isName(name) else {
            log.add(
                reference.span,
                name.isEmpty ? "`{{ }}` without a name" : "`\(name)` is not a name",
                expected: "a name of letters, digits, `_` and `-`"
            )
            return
        }
        if let unknown = filters.first(where: { !Self.filters.contains($0) }) {
            log.add(
                reference.span,
                "`\(unknown)` is no filter",
                expected: Fields.list(Self.filters),
                hint: Suggestion.hint(for: unknown, among: Self.filters)
            )
        }
        flush()
        segments.append(.name(reference))
    }

    private mutating func flush() {
        if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
        literal = []
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Whether a variable may be called so.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
