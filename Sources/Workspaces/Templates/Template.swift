import Apus
import Documents
import Secrets

/// A text with `{{ name }}` in it.
///
/// `\{{` stands for the braces themselves. `{{ name | raw }}` inserts the value unchanged where it would
/// otherwise be escaped or refused.
struct Template: Sendable {
    /// A `{{ name }}` or another expression, and its place.
    struct Reference: Sendable {
        /// What messages call it: the variable's name, or the expression as it is written.
        let name: String
        let expression: TemplateExpression
        /// Whether it stands in a URL as it is.
        let isRaw: Bool
        private let start: Span
        private let index: Int
        private let length: Int

        init(
            _ name: String,
            _ expression: TemplateExpression,
            isRaw: Bool = false,
            marker index: Int,
            of start: Span,
            length: Int
        ) {
            self.name = name
            self.expression = expression
            self.isRaw = isRaw
            self.start = start
            self.index = index
            self.length = length
        }

        /// Its place in the file; searched for only if something is wrong, because a line may be long.
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

    /// Parses `text`; faults are logged.
    init(_ text: String, _ span: Span, _ log: ProblemLog) {
        var parser = TemplateParser(text: text, span: span, log: log)
        segments = parser.parse()
        self.text = text
        self.span = span
    }

    /// The names of the variables in it.
    var names: [String] {
        segments.flatMap { segment -> [String] in
            if case .name(let reference) = segment { reference.expression.names } else { [] }
        }
    }

    /// The names of the variables where a URL has a credential: in a parameter with a credential's name, or
    /// in the password before the host.
    ///
    /// Works on bytes, each of which is read a few times, however many names there are.
    var credentialNames: [String] {
        var url: [UInt8] = []
        var places: [(at: Int, names: [String])] = []
        for segment in segments {
            switch segment {
            case .literal(let text): url += text.utf8
            case .name(let reference):
                places.append((url.count, reference.expression.names))
                url.append(UInt8(ascii: "_"))
            }
        }
        guard !places.isEmpty else { return [] }
        let password = Self.password(in: url)
        var found: [String] = []
        var read = 0
        // The place of the `?`, `&` or `#` before the current parameter, and whether its value is a credential.
        var start: Int?
        var isCredential: Bool?
        for place in places {
            for at in read..<place.at {
                switch url[at] {
                case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"):
                    (start, isCredential) = (at, nil)
                case UInt8(ascii: "="):
                    guard let start, isCredential == nil else { continue }
                    let name = String(decoding: url[(start + 1)..<at], as: UTF8.self)
                    isCredential = CredentialMask.isSecret(parameter: name)
                default: continue
                }
            }
            read = place.at
            if isCredential == true || password.contains(place.at) { found += place.names }
        }
        return found
    }

    /// The place between `://user:` and `@`; empty if there is no password.
    private static func password(in url: [UInt8]) -> Range<Int> {
        // Searched first, because most templates have none.
        guard url.contains(UInt8(ascii: "@")),
            let start = url.firstRange(of: "://".utf8)?.upperBound,
            let end = url[start...].firstIndex(where: { "/?#@".utf8.contains($0) }),
            url[end] == UInt8(ascii: "@"),
            let colon = url[start..<end].firstIndex(of: UInt8(ascii: ":"))
        else { return 0..<0 }
        return colon + 1..<end
    }

    /// The reference, if the template is only `{{ name }}`; nil otherwise.
    var onlyReference: Reference? {
        if segments.count == 1, case .name(let reference) = segments[0] { reference } else { nil }
    }
}

/// Splits a text at each `{{ name }}`.
struct TemplateParser {
    private let text: Substring.UTF8View
    private let span: Span
    private let log: ProblemLog
    /// How many `{{` have been passed.
    private var markers = 0
    /// How many `${` have been passed.
    private var dollars = 0
    private var literal: [UInt8] = []
    private var segments: [Template.Segment] = []

    init(text: String, span: Span, log: ProblemLog) {
        self.text = text[...].utf8
        self.span = span
        self.log = log
    }

    /// The pieces; each byte of the text is read twice at most.
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
            // If one `{{` has no end, those after it have none either.
            guard isClosed, let close = Self.pair(UInt8(ascii: "}"), in: inside) else {
                isClosed = false
                reportOpen()
                rest = inside
                continue
            }
            addReference(inside[..<close])
            rest = inside[close...].dropFirst(2)
        }
        literal += rest
        flush()
        return segments
    }

    /// The place where the byte first occurs twice in a row; nil if there is none.
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

    private mutating func addReference(_ inside: Substring.UTF8View) {
        let marker = markers
        let length = Substring(inside).unicodeScalars.count + 4
        markers += 1
        // A `{{` inside a broken name counts too.
        var rest = inside
        while let open = Self.pair(UInt8(ascii: "{"), in: rest) {
            markers += 1
            rest = rest[open...].dropFirst(2)
        }
        let text = Self.trimmed(Substring(inside))
        do throws(TemplateExpressionParser.Fault) {
            let result = try TemplateExpressionParser.parse(text)
            let name = if case .variable(let name) = result.expression { name } else { text }
            flush()
            let reference = Template.Reference(
                name,
                result.expression,
                isRaw: result.isRaw || result.expression.isEscaped,
                marker: marker,
                of: span,
                length: length
            )
            segments.append(.name(reference))
        } catch {
            log.add(
                MarkerFinder.span(ofMarker: marker, from: span, length: length),
                error.message,
                expected: error.expected,
                hint: error.hint
            )
        }
    }

    private mutating func flush() {
        checkDollars()
        if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
        literal = []
    }

    /// Reports `${name}`, which other programs fill in and this one sends as it is; `\${` stands for the
    /// signs themselves.
    private mutating func checkDollars() {
        guard literal.contains(UInt8(ascii: "$")) else { return }
        var kept: [UInt8] = []
        var rest = literal[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{") else {
                kept.append(byte)
                continue
            }
            let isMeant = kept.last == UInt8(ascii: "\\")
            if isMeant { kept.removeLast() } else { reportDollar(before: rest.dropFirst()) }
            dollars += 1
            kept.append(byte)
        }
        literal = kept
    }

    private mutating func reportDollar(before rest: ArraySlice<UInt8>) {
        let bytes = rest.prefix(65).prefix { $0 != UInt8(ascii: "}") }
        let name = String(decoding: bytes, as: UTF8.self)
        guard rest.dropFirst(bytes.count).first == UInt8(ascii: "}"), Self.isName(name) else {
            return
        }
        log.add(
            MarkerFinder.span(ofDollar: dollars, from: span, length: name.count + 3),
            "`${\(name)}` is not filled in",
            hint: "write `{{ \(name) }}` for the variable, `\\${` for a literal `${`"
        )
    }

    static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Whether a text can be a variable's name: letters, digits, `_` and `-`, of which a letter or `_` is first.
    static func isName(_ text: some StringProtocol) -> Bool {
        // By scalars: the character that a letter begins may have a quote or a brace in it.
        let scalars = text.unicodeScalars
        guard let first = scalars.first, first.properties.isAlphabetic || first == "_" else {
            return false
        }
        return scalars.allSatisfy { scalar in
            if scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic { return true }
            switch scalar.properties.generalCategory {
            case .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark,
                .enclosingMark:
                return true
            default: return false
            }
        }
    }
}

/// A value whose texts may contain `{{ name }}`.
indirect enum TemplateValue: Sendable {
    struct Member: Sendable {
        let name: String
        let value: TemplateValue
    }

    /// A number, a Boolean or null.
    case constant(Value)
    case text(Template)
    case array([TemplateValue])
    case object([Member])

    /// The names of the variables in it.
    var names: [String] {
        switch self {
        case .constant: []
        case .text(let template): template.names
        case .array(let elements): elements.flatMap(\.names)
        case .object(let members): members.flatMap(\.value.names)
        }
    }

    init(_ node: YAMLNode, _ log: ProblemLog) {
        switch node.content {
        case .scalar(let text, let isPlain):
            let value = isPlain ? Value(plain: text) : .string(text)
            if case .string = value {
                self = .text(Template(text, node.span, log))
            } else {
                self = .constant(value)
            }
        case .sequence(let nodes): self = .array(nodes.map { TemplateValue($0, log) })
        case .mapping(let entries):
            self = .object(
                entries.map { Member(name: $0.key, value: TemplateValue($0.value, log)) }
            )
        }
    }
}

/// Finds the place of a scalar's `{{` in its source.
///
/// The `{{` of a scalar are in the same order in its text and its source, whatever quotes, escapes and
/// indentation are between them.
enum MarkerFinder {
    /// The place of the `{{` with this index, from 0; that of the scalar if there is none.
    static func span(ofMarker index: Int, from start: Span, length: Int) -> Span {
        span(of: index, from: start, length: length) { first, second, _ in
            first == "{" && second == "{"
        }
    }

    /// The same for `${`; a `$` before `{{` does not count.
    static func span(ofDollar index: Int, from start: Span, length: Int) -> Span {
        span(of: index, from: start, length: length) { first, second, third in
            first == "$" && second == "{" && third != "{"
        }
    }

    private typealias Scalar = Unicode.Scalar

    private static func span(
        of index: Int,
        from start: Span,
        length: Int,
        _ isMarker: (Scalar, Scalar, Scalar?) -> Bool
    ) -> Span {
        var left = index
        var line = start.line
        var passed = max(0, start.column - 1)
        while let text = start.source.line(line) {
            let scalars = Array(text.unicodeScalars)
            var column = passed
            while column + 1 < scalars.count {
                let third = column + 2 < scalars.count ? scalars[column + 2] : nil
                guard isMarker(scalars[column], scalars[column + 1], third) else {
                    column += 1
                    continue
                }
                if left == 0 {
                    return Span(start.source, line: line, column: column + 1, length: length)
                }
                left -= 1
                // Pairs do not overlap.
                column += 2
            }
            line += 1
            passed = 0
        }
        return start
    }
}
