/// The reference of the workspace format: what `apus help workspace` prints, and its page in the documentation.
package enum FormatReference {
    /// The whole reference as text for a terminal.
    package static var text: String {
        let list = FormatSubject.allCases.map { subject in
            let name = subject.rawValue
            return "  \(name)\(String(repeating: " ", count: 14 - name.count))\(subject.summary)"
        }
        let head =
            wrapped(
                """
                The workspace format. `apus help workspace SUBJECT` prints one of these pages, `apus schema` the JSON \
                Schema for editors, `apus init` writes a small workspace, and `apus check` says what is wrong in one.
                """
            ) + "\n\n\(list.joined(separator: "\n"))\n"
        return ([head] + FormatSubject.allCases.map(text)).joined(separator: "\n")
    }

    /// A page as text for a terminal.
    package static func text(of subject: FormatSubject) -> String {
        let title = subject.title.uppercased()
        var lines = [
            title, "", wrapped(subject.introduction), "", indented(subject.example, by: 4),
        ]
        for part in subject.keys {
            lines += ["", "\(part.heading):", ""]
            lines.append(part.keys.map(text).joined(separator: "\n\n"))
        }
        if subject == .variables {
            lines += ["", "Functions:", ""]
            lines.append(TemplateFunction.all.map(text).joined(separator: "\n\n"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(of key: FormatKey) -> String {
        "  \(key.example)\n" + wrapped("\(key.summary) \(terms(of: key))", margin: 6)
    }

    private static func text(of function: TemplateFunction) -> String {
        "  {{ \(function.example) }}\n" + wrapped(function.summary, margin: 6)
    }

    /// What a key takes and what holds without it, in a sentence.
    private static func terms(of key: FormatKey) -> String {
        var text = key.kind.words
        text = text.prefix(1).uppercased() + text.dropFirst()
        if key.isRequired { text += "; required" }
        if let other = key.substitute { text += ", unless there is `\(other)`" }
        if let standard = key.standard { text += "; \(standard) by default" }
        return text + "."
    }

    /// The page of the documentation, in Markdown.
    package static var page: String {
        """
        # The workspace format

        Targets, environments, batches and chains in a file.

        ## Overview

        What `apus help workspace` prints. It is made from the table that the program reads a workspace by, and so is the
        JSON Schema that `apus schema` prints: with it, an editor completes the keys, explains them and marks mistakes.


        """ + FormatSubject.allCases.map(page).joined(separator: "\n")
    }

    private static func page(of subject: FormatSubject) -> String {
        var text =
            "## \(subject.title)\n\n\(subject.introduction)\n\n```yaml\n\(subject.example)\n```\n"
        for part in subject.keys {
            text += "\n\(part.heading):\n\n| Key | Takes | Does |\n|---|---|---|\n"
            for key in part.keys {
                let cells = ["`\(key.example)`", terms(of: key), key.summary]
                text += "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
            }
        }
        if subject == .variables {
            text += "\nFunctions:\n\n| Function | Gives |\n|---|---|\n"
            for function in TemplateFunction.all {
                let cells = ["`{{ \(function.example) }}`", function.summary]
                text += "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
            }
        }
        return text
    }

    private static func escaped(_ cell: String) -> String { cell.replacing("|", with: "\\|") }

    private static func wrapped(_ text: String, margin: Int = 0) -> String {
        WrappedText.lines(of: text, margin: margin, hanging: margin).joined(separator: "\n")
    }

    private static func indented(_ text: String, by count: Int) -> String {
        let margin = String(repeating: " ", count: count)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }
}

extension FormatKind {
    /// What stands under the key, in words: "a whole number from 0 to 1000".
    package var words: String {
        switch self {
        case .template: "a string with `{{ name }}`"
        case .text: "a string"
        case .value: "any value"
        case .requestLine: "`METHOD path`"
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .time: "a time (`500 ms`, `10 s`, `5 min`, `2 h`, `1 day`)"
        case .size: "a size (`512 B`, `10 kB`, `8 MiB`)"
        case .path: "the path of a file, from this file's folder"
        case .form(let words, _): words
        case .list(let element): "a list of \(element.plural)"
        case .names(let value): "names, each with \(value.words)"
        case .section: "a mapping"
        case .targets: "groups and targets by their names"
        case .null: "null"
        case .either(let kinds): Self.joined(kinds.map(\.words))
        }
    }

    /// Several of it: "names".
    private var plural: String {
        switch self {
        case .text, .template: "strings"
        case .path: "paths"
        case .integer: "whole numbers"
        case .section: "mappings"
        case .either(let kinds): Self.joined(kinds.map(\.plural))
        default: "values"
        }
    }

    /// The alternatives in a sentence, each once.
    private static func joined(_ words: [String]) -> String {
        var seen: Set<String> = []
        let words = words.filter { seen.insert($0).inserted }
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
