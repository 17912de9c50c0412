import Documents
import Workspaces

/// A page of the documentation as text for a terminal: headings, paragraphs, lists, tables and code.
package enum MarkdownText {
    /// The text, in lines of at most some columns; a link is its text and its URL.
    package static func text(of page: String, columns: Int = WrappedText.width) -> String {
        var lines: [String] = []
        var paragraph: [Substring] = []
        var isCode = false
        func end() {
            guard let first = paragraph.first else { return }
            let text = readable(paragraph.joined(separator: " "))
            let hanging = first.hasPrefix("- ") ? 2 : 0
            lines += WrappedText.lines(of: text, hanging: hanging, width: columns)
            paragraph = []
        }
        let source = page.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, next) in zip(source, source.dropFirst() + [""]) {
            if line.hasPrefix("```") {
                end()
                isCode.toggle()
            } else if isCode {
                lines.append(line.isEmpty ? "" : "    \(line)")
            } else if paragraph.isEmpty, line.hasPrefix("    ") {
                lines.append(String(line))
            } else if line.hasPrefix("#") {
                end()
                let title = line.drop { $0 == "#" || $0 == " " }
                // What every page of DocC begins with.
                if title != "Overview" { lines.append(title.uppercased()) }
            } else if line.hasPrefix("|") {
                end()
                // The first row, above a line, only names the columns.
                if !next.hasPrefix("|-") { lines += row(line, columns) }
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
    private static func row(_ line: Substring, _ columns: Int) -> [String] {
        let cells = cells(of: line)
        guard let first = cells.first, !cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) else {
            return []
        }
        let rest = cells.dropFirst().filter { !$0.isEmpty }
            .map { $0.hasSuffix(".") || cells.count < 3 ? $0 : "\($0)." }.joined(separator: " ")
        return ["  \(first)"]
            + WrappedText.lines(of: readable(rest), margin: 6, hanging: 6, width: columns)
    }

    /// The text without marks of emphasis, and with the URLs of its links after what they are called.
    private static func readable(_ text: String) -> String {
        var result = ""
        var rest = text.replacing("**", with: "")[...]
        while let open = rest.firstIndex(of: "["), let middle = rest[open...].firstRange(of: "]("),
            let close = rest[middle.upperBound...].firstIndex(of: ")")
        {
            let name = rest[rest.index(after: open)..<middle.lowerBound]
            let url = rest[middle.upperBound..<close]
            // What only looks like the begin of a link stays.
            guard !name.contains("["), !url.contains(" ") else {
                result += rest[...open]
                rest = rest[rest.index(after: open)...]
                continue
            }
            result += rest[..<open] + (name == url ? "" : "\(name) ") + "<\(url)>"
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
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
