/// Problems as text for people, each with its source line and a caret.
///
/// ```
/// demo.apus.yaml:3:5: error: unknown key `heders`
///   3 |     heders: {}
///     |     ^^^^^^
///     = did you mean `headers`?
/// ```
enum ProblemText {
    static func render(_ problems: [Problem]) -> String {
        problems.map(render).joined(separator: "\n")
    }

    private static func render(_ problem: Problem) -> String {
        var lines = ["\(problem.location): error: \(problem.message)"]
        let margin = String(repeating: " ", count: String(problem.location.line).count + 2)
        if let excerpt = problem.excerpt {
            let (text, underline) = underlined(excerpt, length: problem.length)
            lines.append("  \(problem.location.line) | \(text)")
            lines.append("\(margin) | \(underline)")
        }
        if let expected = problem.expected { lines.append("\(margin) = expected \(expected)") }
        if let hint = problem.hint { lines.append("\(margin) = \(hint)") }
        return lines.map(trimmingEnd).joined(separator: "\n")
    }

    /// The line and its caret; of a long line, what is around the caret.
    private static func underlined(
        _ excerpt: Problem.Excerpt,
        length: Int
    ) -> (text: String, underline: String) {
        let text = (excerpt.start > 0 ? "…" : "") + shown(excerpt.text) + (excerpt.isCut ? "…" : "")
        let before = excerpt.caret - excerpt.start + (excerpt.start > 0 ? 1 : 0)
        let left = excerpt.text.unicodeScalars.count - (excerpt.caret - excerpt.start)
        let length = min(length, max(1, left))
        return (
            text,
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
