import Yams

/// Yams' errors as problems of ours.
enum YAMLSyntaxProblem {
    static func problem(_ error: any Error, _ source: SourceText) -> Problem {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            syntax(problem, context: context?.text, at: mark, source)
        case .reader(let problem, let offset, let value, _):
            reading(problem, offset: offset, value: value, source)
        case .memory:
            Problem(file: source.name, "not valid YAML: it is nested too deeply")
        default:
            Problem(file: source.name, "not valid YAML: \(error)")
        }
    }

    private static func syntax(
        _ problem: String,
        context: String?,
        at mark: Mark,
        _ source: SourceText
    ) -> Problem {
        let span = Span(source, line: mark.line, column: mark.column)
        let scalars = Array((source.line(mark.line) ?? "").unicodeScalars)
        let isTab = scalars.indices.contains(mark.column - 1) && scalars[mark.column - 1] == "\t"
        let indent = scalars.prefix { $0 == " " || $0 == "\t" }
        let detail =
            switch problem {
            case _ where problem.hasPrefix("but found another"): "a second document"
            case _ where problem.hasPrefix("Maximum nesting"): "nested too deeply"
            default: context.map { "\(problem) \($0)" } ?? problem
            }
        return Problem(
            span,
            "not valid YAML: \(detail)",
            hint: isTab || indent.contains("\t")
                ? "YAML is indented with spaces, never with tabs" : hint(for: problem)
        )
    }

    private static func hint(for problem: String) -> String? {
        switch problem {
        case "mapping values are not allowed in this context":
            "is it indented as its neighbours are? a text with `: ` in it needs quotes"
        case "found character that cannot start any token":
            "a text that begins with this character needs quotes"
        case "found unknown escape character":
            "in double quotes `\\` begins an escape: write `\\\\`, or take single quotes"
        case "but found another document": "one file holds one workspace"
        default: nil
        }
    }

    private static func reading(
        _ problem: String,
        offset: Int?,
        value: Int32,
        _ source: SourceText
    ) -> Problem {
        let before = source.text.prefix(max(0, offset ?? 0))
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
