/// Problems as text for people, each with its source line and a caret.
///
/// ```
/// demo.apus.yaml:3:5: error: unknown key `heders`
///   3 |     heders: {}
///     |     ^^^^^^
///     = did you mean `headers`?
/// ```
enum ProblemText {
    /// The most characters of a source line that are shown.
    private static let width = 120

    static func render(_ problems: [Problem]) -> String {
        problems.map(render).joined(separator: "\n")
    }

    private static func render(_ problem: Problem) -> String {
        var lines = ["\(problem.location): error: \(problem.message)"]
        let margin = String(repeating: " ", count: String(problem.location.line).count + 2)
        if let source = problem.sourceLine {
            let excerpt = excerpt(of: source, around: problem)
            lines.append("  \(problem.location.line) | \(excerpt.text)")
            lines.append("\(margin) | \(excerpt.underline)")
        }
        if let expected = problem.expected { lines.append("\(margin) = expected \(expected)") }
        if let hint = problem.hint { lines.append("\(margin) = \(hint)") }
        return lines.map(trimmingEnd).joined(separator: "\n")
    }

    /// The line and its caret; of a long line, what is around the caret.
    private static func excerpt(
        of line: String,
        around problem: Problem
    ) -> (text: String, underline: String) {
        let scalars = Array(shown(line).unicodeScalars)
        let caret = min(max(0, problem.location.column - 1), scalars.count)
        let start = scalars.count <= width || caret < width / 2 ? 0 : caret - width / 2
        let end = min(scalars.count, start + width)
        var text = String.UnicodeScalarView()
        if start > 0 { text.append("…") }
        text.append(contentsOf: scalars[start..<end])
        if end < scalars.count { text.append("…") }
        let before = caret - start + (start > 0 ? 1 : 0)
        let length = min(problem.length, max(1, end - caret))
        return (
            String(text),
            String(repeating: " ", count: before) + String(repeating: "^", count: length)
        )
    }

    /// A file may hold anything, and a terminal obeys control characters.
    private static func shown(_ line: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": text.append(" ")
            case .control, .format, .lineSeparator, .paragraphSeparator: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    private static func trimmingEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
