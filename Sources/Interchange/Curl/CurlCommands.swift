import Workspaces

/// The curl commands in a line of a script: `a && curl …`, `x=$(curl …)`, `docker exec app curl …`.
struct CurlCommands {
    /// The commands, each from its first word on.
    private(set) var texts: [String] = []
    /// Whether the line has nothing else.
    private(set) var isWhole = true

    /// The keywords of a shell before a command.
    private static let keywords = [
        "if ", "then ", "elif ", "else ", "do ", "while ", "until ", "! ", "{ ", "( ",
    ]

    init(_ line: String, levels: Int = 4) {
        // The shells of Windows separate otherwise.
        let isOther = line.contains(" ^\"") || line.contains(" `\n") || line.contains("^\n")
        guard !isOther, HereDocument.start(in: line) == nil else {
            if RequestText.isCurlCommand(line) { texts = [line] }
            isWhole = !texts.isEmpty
            return
        }
        for part in Self.parts(of: line) {
            var command = part.trimmingBlanks
            if command.isEmpty { continue }
            var hasKeyword = false
            while let word = Self.keywords.first(where: { command.hasPrefix($0) }) {
                command = command.dropFirst(word.count).trimmingBlanks
                hasKeyword = true
            }
            if hasKeyword { isWhole = false }
            if RequestText.isCurlCommand(command), !Self.isInQuotesOnly(command) {
                texts.append(command)
                continue
            }
            isWhole = false
            guard command.contains("curl"), levels > 0 else { continue }
            let inner = Self.substitutions(in: command).flatMap {
                CurlCommands($0, levels: levels - 1).texts
            }
            texts += inner
            if inner.isEmpty, let run = Self.commandOfRunner(command) { texts.append(run) }
        }
    }

    private static func isInQuotesOnly(_ command: String) -> Bool {
        command.hasPrefix("'") || command.hasPrefix("\"")
    }

    /// The parts between `;`, `&&`, `||` and `&` outside of quotes and substitutions.
    private static func parts(of line: String) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var depth = 0
        var isEscaped = false
        let scalars = Array(line.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let previous = index > 0 ? scalars[index - 1] : " "
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            part.append(scalar)
            if isEscaped {
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\" where quote != "'": isEscaped = true
            case "'", "\"", "`":
                if quote == nil {
                    quote = scalar
                } else if quote == scalar, depth == 0 || scalar != "\"" {
                    quote = nil
                }
            case "(" where quote != "'" && previous == "$": depth += 1
            case ")" where quote != "'" && depth > 0: depth -= 1
            case ";" where quote == nil && depth == 0,
                "&" where quote == nil && depth == 0 && previous != ">" && next != ">",
                "|" where quote == nil && depth == 0 && (previous == "|" || next == "|"):
                part.removeLast()
                parts.append(String(part))
                part = String.UnicodeScalarView()
            default: break
            }
        }
        return parts + [String(part)]
    }

    /// The texts between `$(` and `)`, and between back-ticks.
    private static func substitutions(in command: String) -> [String] {
        var texts: [String] = []
        var rest = command[...]
        while let open = rest.firstIndex(where: { $0 == "`" || $0 == "(" }) {
            let after = rest[open...].dropFirst()
            if rest[open] == "`" {
                guard let close = after.firstIndex(of: "`") else { break }
                texts.append(String(after[..<close]))
                rest = after[close...].dropFirst()
                continue
            }
            guard let close = closing(after) else {
                rest = after
                continue
            }
            texts.append(String(after[..<close]))
            rest = after[close...].dropFirst()
        }
        return texts
    }

    /// The parenthesis that closes an open one, outside of quotes.
    private static func closing(_ text: Substring) -> String.Index? {
        var depth = 0
        var quotes = ShellQuotes()
        for index in text.indices where !quotes.isQuoted(text[index]) {
            if text[index] == "(" {
                depth += 1
            } else if text[index] == ")" {
                if depth == 0 { return index }
                depth -= 1
            }
        }
        return nil
    }

    /// The command after `docker exec app`, `timeout 5` and their like: the word curl, and an option or a URL after it.
    private static func commandOfRunner(_ command: String) -> String? {
        var rest = command[...]
        while let found = rest.firstRange(of: "curl ") {
            let before = found.lowerBound == rest.startIndex ? nil : rest[..<found.lowerBound].last
            let after = rest[found.upperBound...].drop { $0 == " " }
            let isArgument =
                ["-", "http", "$", "\"http", "'http", "\"$", "localhost"].contains {
                    after.hasPrefix($0)
                }
            if before == nil || before == " " || before == "/", isArgument {
                let text = "curl \(after)"
                // A quote before it may end after it: `sh -c "curl …"`.
                return RequestText.isCurlCommand(text) && ShellWords(text) != nil ? text : nil
            }
            rest = rest[found.upperBound...]
        }
        return nil
    }
}
