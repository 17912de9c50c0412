import Documents
import Workspaces

/// Takes a script apart into its commands.
enum CurlScript {
    struct Command {
        var text: String
        var line: Int
        var comments: [String] = []
        /// Whether it runs curl.
        var isCurl: Bool
    }

    /// The commands of a text: curl's with their continued lines, and what stands between them.
    static func commands(_ text: String) -> [Command] {
        let lines = SourceText.lines(text)
        var commands: [Command] = []
        var comments: [String] = []
        // How many quotes have no end, each of which is looked for in the lines after it.
        var unclosed = 0
        var index = 0
        while index < lines.count {
            let start = index
            let line = lines[index].trimmingBlanks
            index += 1
            if line.isEmpty || line.hasPrefix("```") { continue }
            if let comment = comment(line), !beginsWithCurl(comment) || !line.hasPrefix("#") {
                if !comment.isEmpty, !line.hasPrefix("#!") { comments.append(comment) }
                continue
            }
            var end = index
            var state = QuoteState()
            state.read(lines[start])
            while end < lines.count, unclosed < 20,
                state.continues || goesOn(lines[end]) && mentionsCommand(line)
            {
                state.read(lines[end])
                end += 1
                if end - start > 5_000 { break }
            }
            // What is never closed is one line.
            if state.isOpen, end - start > 1 {
                unclosed += 1
                end = start + 1
            }
            var whole = lines[start..<end].joined(separator: "\n")
            index = end
            // A text that a command reads: `<<EOF`. Without its end, it is none.
            if let word = heredoc(whole),
                let last = lines[index...].firstIndex(where: { $0.trimmingBlanks == word })
            {
                whole += "\n" + lines[index...last].joined(separator: "\n")
                index = last + 1
            }
            let found = mentionsCommand(whole) ? CurlCommands(whole) : nil
            let isCurl = found?.texts.isEmpty == false
            if !isCurl, RequestText.isCurlCommand(line) == false, !comments.isEmpty {
                commands.append(
                    Command(
                        text: comments.map { "# " + $0 }.joined(separator: "\n"),
                        line: start,
                        isCurl: false
                    )
                )
                comments = []
            }
            guard let found, isCurl else {
                commands.append(Command(text: whole, line: start + 1, isCurl: false))
                continue
            }
            for text in found.texts {
                commands.append(
                    Command(text: text, line: start + 1, comments: comments, isCurl: true)
                )
                comments = []
            }
            // What stands around them is kept, too.
            if !found.isWhole {
                commands.append(Command(text: whole, line: start + 1, isCurl: false))
            }
        }
        if !comments.isEmpty {
            commands.append(
                Command(
                    text: comments.map { "# " + $0 }.joined(separator: "\n"),
                    line: lines.count,
                    isCurl: false
                )
            )
        }
        return commands
    }

    /// The URL of a command that cannot be read whole.
    static func url(in text: String) -> String? {
        text.split { $0.isWhitespace || "'\"".contains($0) }.map(String.init).first {
            $0.hasPrefix("http://") || $0.hasPrefix("https://")
        }
    }

    private static func comment(_ line: String) -> String? {
        for mark in ["#", "//", "::", "REM ", "rem ", "@REM "] where line.hasPrefix(mark) {
            return line.dropFirst(mark.count).trimmingBlanks.drop { $0 == "#" }.trimmingBlanks
        }
        return nil
    }

    /// Whether a comment is a prompt and a command: `# curl …`.
    private static func beginsWithCurl(_ comment: String) -> Bool {
        comment.hasPrefix("curl ") || comment.hasPrefix("curl.exe ")
    }

    private static func mentionsCommand(_ line: String) -> Bool {
        line.utf8.firstRange(of: "curl".utf8) != nil
    }

    /// Whether a line begins with an option, although the last one does not say that it goes on.
    private static func goesOn(_ line: String) -> Bool {
        let text = line.trimmingBlanks
        guard text.hasPrefix("-"), text.count > 1 else { return false }
        return text.drop { $0 == "-" }.first?.isLetter == true
    }

    private static func heredoc(_ text: String) -> String? {
        guard let mark = HereDocument.start(in: text) else { return nil }
        let after = text[mark...].dropFirst(2)
        guard !after.hasPrefix("<") else { return nil }
        let word = after.drop { $0 == "-" || $0 == " " }.prefix { !$0.isWhitespace }
        let name = word.filter { !"'\"\\".contains($0) }
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
        return name.isEmpty || !isName ? nil : String(name)
    }

    /// Whether a command goes on after a line.
    private struct QuoteState {
        var isOpen: Bool { quote != nil }
        private(set) var continues = false
        private var quote: Unicode.Scalar?

        mutating func read(_ line: String) {
            var isEscaped = false
            var last: Unicode.Scalar = " "
            for scalar in line.unicodeScalars {
                if isEscaped {
                    isEscaped = false
                    last = " "
                    continue
                }
                switch scalar {
                case "\\" where quote != "'": isEscaped = true
                case "'", "\"":
                    if quote == nil { quote = scalar } else if quote == scalar { quote = nil }
                default: break
                }
                if !scalar.properties.isWhitespace || scalar == "\\" { last = scalar }
            }
            let text = line.trimmingBlanks
            continues =
                quote != nil || isEscaped || text.hasSuffix("\\") || text.hasSuffix("^")
                || text.hasSuffix(" `") || last == "|"
        }
    }
}
