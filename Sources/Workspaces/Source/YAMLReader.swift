import Documents

/// Parses a file's text to nodes, and logs every problem with its place.
struct YAMLReader {
    let source: SourceText
    let log: ProblemLog

    /// The root; nil if the file is empty or not readable as YAML.
    func read() -> YAMLNode? {
        guard source.text.utf8.count <= TextFile.maximumSize else {
            log.add(Problem(file: source.name, "the file is larger than 16 MiB"))
            return nil
        }
        do throws(YAMLError) {
            // Keys and values count separately here.
            let limit = 2 * YAMLTreeBuilder.maximumNodes
            guard let root = try YAMLValue.parse(source.text, maximumValues: limit) else {
                return nil
            }
            var builder = YAMLTreeBuilder(source: source, log: log)
            return builder.build(root)
        } catch {
            log.add(YAMLSyntaxProblem.problem(error, source))
            return nil
        }
    }
}

/// Turns YAML faults into problems.
enum YAMLSyntaxProblem {
    static func problem(_ fault: YAMLError, _ source: SourceText) -> Problem {
        switch fault.kind {
        case .syntax: syntax(fault, source)
        case .secondDocument:
            Problem(
                Span(source, fault.place),
                "not valid YAML: a second document",
                hint: "one file holds one workspace"
            )
        case .bytes(let offset, let value): reading(fault.problem, offset, value, source)
        case .memory: Problem(file: source.name, "not valid YAML: it is nested too deeply")
        case .cancelled, .tookTooLong:
            Problem(file: source.name, "reading the file takes too long")
        case .tooManyValues: YAMLTreeBuilder.tooManyValues(at: Span(source, fault.place))
        }
    }

    private static func syntax(_ fault: YAMLError, _ source: SourceText) -> Problem {
        if fault.context == "while scanning an alias" { return star(before: fault.place, source) }
        let (place, problem) = (fault.place, fault.problem)
        let scalars = Array((source.line(place.line) ?? "").unicodeScalars)
        let isTab = scalars.indices.contains(place.column - 1) && scalars[place.column - 1] == "\t"
        let indent = scalars.prefix { $0 == " " || $0 == "\t" }
        let detail =
            switch problem {
            case _ where problem.hasPrefix("Maximum nesting"): "nested too deeply"
            default: fault.context.map { "\(problem) \($0)" } ?? problem
            }
        return Problem(
            Span(source, place),
            "not valid YAML: \(detail)",
            hint: isTab || indent.contains("\t")
                ? "YAML is indented with spaces, never with tabs" : hint(for: problem)
        )
    }

    /// The problem of an unquoted text such as `*/*`, which YAML takes for an alias with an invalid name.
    private static func star(before place: YAMLPlace, _ source: SourceText) -> Problem {
        let scalars = Array((source.line(place.line) ?? "").unicodeScalars)
        let star = scalars.prefix(place.column - 1).lastIndex(of: "*") ?? 0
        return Problem(
            Span(source, line: place.line, column: star + 1),
            "not valid YAML: an alias without a name",
            hint: "a string that begins with `*` needs quotes"
        )
    }

    private static func hint(for problem: String) -> String? {
        switch problem {
        case "mapping values are not allowed in this context":
            "check the indentation; a string that contains `: ` needs quotes"
        case "found character that cannot start any token":
            "a string that begins with this character needs quotes"
        case "found unknown escape character":
            "in double quotes `\\` begins an escape: write `\\\\`, or use single quotes"
        default: nil
        }
    }

    private static func reading(
        _ problem: String,
        _ offset: Int,
        _ value: Int,
        _ source: SourceText
    ) -> Problem {
        let before = String(decoding: source.text.utf8.prefix(max(0, offset)), as: UTF8.self)
        let line = before.count(where: \.isNewline) + 1
        let start = before.lastIndex(where: \.isNewline).map(before.index(after:))
        let column = before[(start ?? before.startIndex)...].unicodeScalars.count + 1
        let code = value >= 0 ? " (U+\(String(value, radix: 16, uppercase: true)))" : ""
        return Problem(
            Span(source, line: line, column: column),
            "not valid YAML: \(problem)\(code)"
        )
    }
}
