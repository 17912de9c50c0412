import ArgumentParser
import Documents
import Glibc

/// The manual pages of the program and of each command, in the language of man(7).
enum ManualPages {
    /// The pages by their file names: `apus.1`, `apus-send.1`, `apus-sessions-list.1`.
    static var all: [(name: String, text: String)] {
        var pages: [(name: String, text: String)] = []
        func add(_ command: any ParsableCommand.Type, _ words: [String]) {
            let inner = command.configuration.subcommands
            pages.append((words.joined(separator: "-") + ".1", text(of: command, words)))
            for one in inner {
                guard let name = one.configuration.commandName else { continue }
                add(one, words + [name])
            }
        }
        add(RootCommand.self, ["apus"])
        return pages
    }

    /// Writes the pages to a folder, which is made if it is not there.
    ///
    /// - Throws: `CommandError` if one cannot be written.
    static func write(to folder: String) throws {
        guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
            throw CommandError("\(folder): \(systemMessage(errno))")
        }
        for (name, text) in all {
            try OutputFile(path: "\(folder)/\(name)", content: .text).write { try $0.write(text) }
        }
    }

    private static func text(of command: any ParsableCommand.Type, _ words: [String]) -> String {
        let name = words.joined(separator: " ")
        let title = words.joined(separator: "-")
        let configuration = command.configuration
        let help = HelpText(RootCommand.helpMessage(for: command, columns: 1000))
        var lines = [
            #".TH "\#(title.uppercased())" 1 "" "apus \#(Version.text)" "Apus""#,
            ".SH NAME", #"\fB\#(escaped(title))\fR \- \#(escaped(configuration.abstract))"#,
            ".SH SYNOPSIS", ".nh", escaped(help.usage.isEmpty ? name : help.usage), ".hy",
        ]
        if !configuration.discussion.isEmpty {
            lines.append(".SH DESCRIPTION")
            lines += paragraphs(configuration.discussion)
        }
        for section in help.sections {
            lines.append(".SH \(escaped(section.title.uppercased()))")
            for entry in section.entries {
                lines += [".TP", #"\fB\#(escaped(entry.name))\fR"#, escaped(entry.words)]
            }
        }
        let others = related(to: command, words)
        if !others.isEmpty {
            lines.append(".SH SEE ALSO")
            lines.append(others.map { #"\fB\#(escaped($0))\fR(1)"# }.joined(separator: ",\n"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The command around, and those inside.
    private static func related(to command: any ParsableCommand.Type, _ words: [String]) -> [String]
    {
        let title = words.joined(separator: "-")
        let inner = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        let outer = words.count > 1 ? [words.dropLast().joined(separator: "-")] : []
        return outer + inner.map { "\(title)-\($0)" }
    }

    /// Paragraphs are filled; indented lines stand as they are.
    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.hasPrefix("  ")
            if isIndented != isVerbatim { lines.append(isIndented ? ".nf" : ".fi") }
            isVerbatim = isIndented
            lines.append(line.isEmpty ? ".PP" : escaped(String(line)))
        }
        if isVerbatim { lines.append(".fi") }
        return lines
    }

    /// A line in which troff finds no requests and no escapes.
    private static func escaped(_ text: String) -> String {
        var text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        if text.hasPrefix(".") || text.hasPrefix("'") { text = "\\&" + text }
        return text
    }
}

/// What the help of a command says of its arguments, taken from its text.
private struct HelpText {
    struct Entry {
        var name: String
        var words: String
    }

    struct Section {
        let title: String
        var entries: [Entry] = []
    }

    private(set) var usage = ""
    private(set) var sections: [Section] = []

    init(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("USAGE: ") {
                usage = String(line.dropFirst(7))
            } else if line.hasSuffix(":"), line.first?.isWhitespace == false,
                !sections.isEmpty || line == line.uppercased()[...]
            {
                sections.append(Section(title: String(line.dropLast())))
            } else if line.hasPrefix("  "), let last = sections.indices.last {
                add(line, to: last)
            }
        }
    }

    /// A line `  --name <value>   What it does.`, or what follows an earlier one.
    private mutating func add(_ line: Substring, to section: Int) {
        let isFurther = line.hasPrefix("      ")
        let content = line.drop { $0 == " " }
        if isFurther, let last = sections[section].entries.indices.last {
            let space = sections[section].entries[last].words.isEmpty ? "" : " "
            sections[section].entries[last].words += space + content
            return
        }
        let gap = content.firstRange(of: "  ")
        let name = gap.map { content[..<$0.lowerBound] } ?? content
        let words = gap.map { content[$0.upperBound...].drop { $0 == " " } } ?? ""
        sections[section].entries.append(Entry(name: String(name), words: String(words)))
    }
}
