/// A `curl` command in a pasted text, with what people copy along with it.
///
/// ```
/// # how to log in                          a comment
/// $ TOKEN=x sudo /usr/bin/curl http://h    a prompt, assignments, `sudo`, a path
/// echo '{"a":1}' | curl -d @- http://h     what it reads from standard input
/// ```
struct PastedCommand {
    /// What a command before a bar writes.
    enum Input {
        case text(String)
        case file(String)
    }

    /// The command, the first word of which is `curl`.
    let text: String
    /// What its standard input is; nil if that is not known.
    private(set) var input: Input?
    /// The proxies that are assigned before it: `https_proxy=… curl …`.
    private(set) var proxies: [String: String] = [:]
    private(set) var warnings: [String] = []
    /// Whether a shell expands variables in the input.
    private var expandsInput = false

    /// Replaces `$NAME` in the input by `{{ NAME }}`, and returns the names.
    mutating func expandInput() -> [String] {
        guard expandsInput, case .text(let text)? = input else { return [] }
        let expanded = ShellWords.expanded(text)
        input = .text(expanded.text)
        return expanded.names
    }

    /// Nil if the text has no such command where one can stand.
    init?(_ text: String) {
        let whole = Self.withoutPrompts(Self.withoutRemarks(text))
        let document = HereDocument(whole)
        var rest = document?.rest ?? whole
        var before: [[String]] = []
        var words: [String] = []
        var runner: String?
        var skipsWord = false
        var assigned: [(name: String, value: String)] = []
        // Enough for every text that a person would call a command.
        for _ in 0..<200 {
            guard let piece = ShellWords.piece(of: rest) else { return nil }
            rest = piece.rest
            guard case .word(let word) = piece.content else {
                if case .end(let sign) = piece.content, sign != "<", sign != ">" {
                    if !words.isEmpty { before.append(sign == "|" ? words : []) }
                    (words, runner) = ([], nil)
                }
                continue
            }
            if skipsWord {
                skipsWord = false
            } else if words.isEmpty, Self.isCurl(piece.written) {
                self.text = "curl" + rest
                for variable in assigned { note(variable) }
                note(before, document)
                return
            } else if words.isEmpty, let variable = Self.assignment(word) {
                assigned.append(variable)
            } else if words.isEmpty, Self.runners.contains(word) {
                runner = word
            } else if words.isEmpty, let runner, word.hasPrefix("-") {
                skipsWord = runner == "sudo" && ["-u", "-g", "-p", "-C"].contains(word)
            } else {
                words.append(word)
            }
        }
        return nil
    }

    /// Commands that run the one after them.
    private static let runners: Set<String> = [
        "sudo", "doas", "env", "time", "command", "exec", "nohup", "noglob", "nocorrect", "winpty",
        "export", "set", "!", "$", "%", "❯", "➜", "λ",
    ]

    private static func isCurl(_ written: String) -> Bool {
        let word = written.trimmingPrefix("\"").replacing("\"", with: "")
        let name = word.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last?.lowercased()
        return name == "curl" || name == "curl.exe"
    }

    private static func assignment(_ word: String) -> (name: String, value: String)? {
        guard let sign = word.firstIndex(of: "="), sign > word.startIndex else { return nil }
        let name = word[..<sign]
        guard name.first?.isNumber == false,
            name.utf8.allSatisfy({
                $0 == 0x5F || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
            })
        else { return nil }
        return (String(name), String(word[word.index(after: sign)...]))
    }

    private mutating func note(_ assigned: (name: String, value: String)) {
        // curl reads the name of the http proxy in lowercase only.
        let known = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        if known.contains(assigned.name) {
            proxies[assigned.name.lowercased()] = assigned.value
        } else {
            warnings.append("the variable \(assigned.name) before curl is not set")
        }
    }

    private mutating func note(_ before: [[String]], _ document: HereDocument?) {
        let readsDocument = before.isEmpty || before == [["cat"]]
        if let document, readsDocument {
            input = .text(document.text)
            expandsInput = document.expands
            return
        }
        guard let last = before.last else { return }
        input = Self.input(writtenBy: last)
        if input == nil || before.count > 1 {
            warnings.append("the text before the curl command is ignored")
        }
    }

    /// What a command writes, if that is clear from its words alone; else nil.
    private static func input(writtenBy words: [String]) -> Input? {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "echo":
            let isBare = rest.first == "-n"
            let words = isBare ? Array(rest.dropFirst()) : rest
            guard words.first?.hasPrefix("-") != true else { return nil }
            return .text(words.joined(separator: " ") + (isBare ? "" : "\n"))
        case "printf":
            let isPlain = { (text: String) in !text.contains("%") && !text.contains("\\") }
            if rest.count == 1, isPlain(rest[0]) { return .text(rest[0]) }
            if rest.count == 2, rest[0] == "%s" { return .text(rest[1]) }
            if rest.count == 2, rest[0] == "%s\\n" { return .text(rest[1] + "\n") }
            return nil
        case "cat" where rest.count == 1 && !rest[0].hasPrefix("-"): return .file(rest[0])
        default: return nil
        }
    }
}

// MARK: - Around the command

extension PastedCommand {
    /// The text without comments before the command, and without the fences of a page.
    private static func withoutRemarks(_ text: String) -> String {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let count = lines.count
        lines.removeAll { trimmed($0).hasPrefix("```") }
        var start = 0
        while start < lines.count {
            let line = trimmed(lines[start])
            // `# curl …` alone is a prompt and a command.
            let isRemark =
                line.isEmpty
                || ["#", "//", "::", "REM ", "rem "].contains { line.hasPrefix($0) }
                    && lines[(start + 1)...].contains { mentionsCurl($0) }
            guard isRemark else { break }
            start += 1
        }
        guard start > 0 || lines.count < count else { return text }
        return lines[start...].joined(separator: "\n")
    }

    private static func trimmed(_ line: Substring) -> Substring {
        line.drop { $0.isWhitespace }
    }

    /// Whether a line has the word where a command can stand: not in a comment, an option or quotes.
    private static func mentionsCurl(_ line: Substring) -> Bool {
        guard let curl = line.utf8.firstRange(of: "curl".utf8)?.lowerBound else { return false }
        let before = trimmed(line[..<curl])
        return !before.hasPrefix("-") && !before.hasPrefix("#")
            && !before.contains { "'\"".contains($0) }
    }

    private static let promptSigns = "$#%>❯➜λ»›✗▶".unicodeScalars

    /// The text without the prompt of its first line, and without those of the lines that continue it.
    private static func withoutPrompts(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let line = scalars.prefix { $0 != "\n" && $0 != "\r" }
        guard let curl = Substring(line).utf8.firstRange(of: "curl".utf8)?.lowerBound else {
            return text
        }
        let prefix = text[..<curl].unicodeScalars
        let sign = prefix.indices.last { index in
            guard promptSigns.contains(prefix[index]) else { return false }
            let next = prefix.index(after: index)
            return next == prefix.endIndex || prefix[next] == " " || prefix[index] == ">"
        }
        guard let sign, !prefix.contains(where: { "'\"|;&`=".unicodeScalars.contains($0) }) else {
            return text
        }
        var start = prefix.index(after: sign)
        // "➜  folder curl": the folder stands after the sign.
        if prefix[sign] == "➜", let blank = prefix.lastIndex(of: " ") {
            start = prefix.index(after: blank)
        }
        let rest = text[start...].replacing("\n> ", with: "\n")
        return String(rest.drop { $0 == " " })
    }
}
