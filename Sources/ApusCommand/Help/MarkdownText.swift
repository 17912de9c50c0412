import Documents
import Workspaces

/// A page of the documentation as text for a terminal: headings, paragraphs, lists, tables and code.
enum MarkdownText {
    /// The text, in lines of at most 80 columns.
    static func text(of page: String) -> String {
        var lines: [String] = []
        var paragraph: [Substring] = []
        var isCode = false
        func end() {
            guard let first = paragraph.first else { return }
            let text = paragraph.joined(separator: " ").replacing("**", with: "")
            let hanging = first.hasPrefix("- ") ? 2 : 0
            lines += WrappedText.lines(of: text, hanging: hanging)
            paragraph = []
        }
        let source = page.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, next) in zip(source, source.dropFirst() + [""]) {
            if line.hasPrefix("```") {
                end()
                isCode.toggle()
            } else if isCode {
                lines.append(line.isEmpty ? "" : "    \(line)")
            } else if line.hasPrefix("#") {
                end()
                let title = line.drop { $0 == "#" || $0 == " " }
                // What every page of DocC begins with.
                if title != "Overview" { lines.append(title.uppercased()) }
            } else if line.hasPrefix("|") {
                end()
                // The first row, above a line, only names the columns.
                if !next.hasPrefix("|-") { lines += row(line) }
            } else if line.isEmpty {
                end()
                if lines.last != "" { lines.append("") }
            } else {
                if line.hasPrefix("- ") { end() }
                paragraph.append(line)
            }
        }
        end()
        return lines.joined(separator: "\n")
    }

    /// A row of a table: its first cell, and below it what the others say.
    private static func row(_ line: Substring) -> [String] {
        let cells = cells(of: line)
        guard let first = cells.first, !cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) else {
            return []
        }
        let rest = cells.dropFirst().filter { !$0.isEmpty }.joined(separator: ". ")
        return ["  \(first)"] + WrappedText.lines(of: rest, margin: 6, hanging: 6)
    }

    private static func cells(of line: Substring) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isEscaped = false
        for character in line.dropFirst() {
            if character == "|", !isEscaped {
                cells.append(cell.trimmed)
                cell = ""
            } else if isEscaped || character != "\\" {
                cell.append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return cells
    }
}
