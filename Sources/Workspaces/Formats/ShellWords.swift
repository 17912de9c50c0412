/// The words of a command line: of a POSIX shell, with bash's `$'…'`, of PowerShell, or of Windows, as browsers
/// copy it: `curl ^"https://…^"`.
///
/// Variables are not expanded.
package struct ShellWords {
    /// The words up to the end of the command.
    package private(set) var words: [String] = []
    /// Whether something follows the command: `| jq`, `> file`, `; …`.
    package private(set) var hasMore = false
    /// Whether a shell would expand something: `$TOKEN`, `$(…)`.
    package private(set) var hasExpansion = false

    /// Whether an option on the next line belongs to the command although no backslash says so.
    private(set) var lacksContinuation = false

    /// The names of the variables that a shell would expand, which are written as `{{ NAME }}` in the words.
    package private(set) var expanded: [String] = []

    private let scalars: [Unicode.Scalar]
    private var index = 0
    /// Whether `$NAME` and `${NAME}` become `{{ NAME }}`.
    private var expands = false

    /// Nil if a quote has no end.
    package init?(_ text: String, expanding: Bool = false) {
        scalars = Array(text.unicodeScalars)
        expands = expanding
        switch CommandDialect(text) {
        case .windows(let caretsInQuotes):
            guard readWindows(caretsInQuotes: caretsInQuotes) else { return nil }
            return
        case .powerShell:
            guard readPowerShell() else { return nil }
            return
        case .posix: break
        }
        while let start = nextWord() {
            index = start
            guard let word = word() else { return nil }
            words.append(word)
        }
    }

    /// The index where the next word begins; nil at the end of the command.
    private mutating func nextWord() -> Int? {
        var place = index
        while place < scalars.count {
            switch scalars[place] {
            case " ", "\t": place += 1
            case "\\" where lineEnd(at: place + 1) > 0: place += 1 + lineEnd(at: place + 1)
            // A continued line in the shell of Windows.
            case "^" where lineEnd(at: place + 1) > 0: place += 1 + lineEnd(at: place + 1)
            // A blank after the backslash, which no shell reads as a continued line.
            case "\\" where blankLineEnd(at: place + 1) != nil:
                place = blankLineEnd(at: place + 1) ?? place + 1
                lacksContinuation = true
            case "\n", "\r":
                guard let next = option(after: place) else { return end(at: place) }
                place = next
                lacksContinuation = true
            case "|", ";", "&", ">", "<":
                hasMore = true
                return nil
            case "#": return nil
            default: return place
            }
        }
        return nil
    }

    private mutating func end(at place: Int) -> Int? {
        hasMore = hasMore || scalars[place...].contains { !$0.properties.isWhitespace }
        return nil
    }

    /// The index after blanks and the line end that follows them; nil if something else follows.
    private func blankLineEnd(at place: Int) -> Int? {
        let end =
            place + scalars[min(place, scalars.count)...].prefix { $0 == " " || $0 == "\t" }.count
        let count = lineEnd(at: end)
        return count > 0 ? end + count : nil
    }

    /// The index of an option (`-H`, `--data`) with which the next line begins; nil if it begins otherwise.
    private func option(after place: Int) -> Int? {
        let start = place + scalars[place...].prefix { $0.properties.isWhitespace }.count
        guard start + 1 < scalars.count, scalars[start] == "-" else { return nil }
        let letter = scalars[start + 1] == "-" ? start + 2 : start + 1
        return letter < scalars.count && scalars[letter].properties.isAlphabetic ? start : nil
    }

    /// The number of scalars in a line end at an index; 0 if there is none.
    private func lineEnd(at place: Int) -> Int {
        guard place < scalars.count else { return 0 }
        if scalars[place...].starts(with: "\r\n".unicodeScalars) { return 2 }
        return scalars[place] == "\n" || scalars[place] == "\r" ? 1 : 0
    }

    private mutating func word() -> String? {
        var word = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            switch scalar {
            case " ", "\t", "\n", "\r", "|", ";", "&", ">", "<": return String(word)
            case "'":
                guard let text = quoted(by: "'") else { return nil }
                word.append(contentsOf: text)
            case "\"":
                guard let text = doubleQuoted() else { return nil }
                word.append(contentsOf: text)
            case "$" where following == "'":
                index += 1
                guard let text = escaped() else { return nil }
                word.append(contentsOf: text)
            case "\\":
                let end = lineEnd(at: index + 1)
                if end == 0, let next = following { word.append(next) }
                index += end > 0 ? 1 + end : 2
            case "^" where lineEnd(at: index + 1) > 0: index += 1 + lineEnd(at: index + 1)
            default:
                if let variable = variable() {
                    word.append(contentsOf: variable.unicodeScalars)
                    continue
                }
                noteExpansion()
                word.append(scalar)
                index += 1
            }
        }
        return String(word)
    }

    /// Reads `$NAME` or `${NAME}` as `{{ NAME }}`; nil if there is none, or if variables stay as they are.
    private mutating func variable() -> String? {
        guard expands, scalars[index] == "$", let next = following else { return nil }
        let isBraced = next == "{"
        let start = index + (isBraced ? 2 : 1)
        let name = scalars[min(start, scalars.count)...].prefix {
            $0.isASCII
                && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
        }
        guard let first = name.first, first.properties.numericType == nil else { return nil }
        var end = name.endIndex
        if isBraced {
            guard end < scalars.count, scalars[end] == "}" else { return nil }
            end += 1
        }
        index = end
        let text = String(String.UnicodeScalarView(name))
        if !expanded.contains(text) { expanded.append(text) }
        return "{{ \(text) }}"
    }

    private var following: Unicode.Scalar? {
        index + 1 < scalars.count ? scalars[index + 1] : nil
    }

    private mutating func noteExpansion() {
        guard scalars[index] == "$" || scalars[index] == "`" else { return }
        let next = following ?? " "
        let isName = next.properties.isAlphabetic || "_{(".unicodeScalars.contains(next)
        hasExpansion = hasExpansion || scalars[index] == "`" || isName
    }

    /// The text between two quotes, without escapes; nil if the second one is missing.
    private mutating func quoted(by quote: Unicode.Scalar) -> ArraySlice<Unicode.Scalar>? {
        let start = index + 1
        guard let end = scalars[start...].firstIndex(of: quote) else { return nil }
        index = end + 1
        return scalars[start..<end]
    }

    private mutating func doubleQuoted() -> String.UnicodeScalarView? {
        var text = String.UnicodeScalarView()
        index += 1
        while index < scalars.count {
            switch scalars[index] {
            case "\"":
                index += 1
                return text
            case "\\":
                guard let next = following else { return nil }
                let end = lineEnd(at: index + 1)
                if end > 0 {
                    index += 1 + end
                    continue
                }
                if !"$`\"\\".unicodeScalars.contains(next) { text.append("\\") }
                text.append(next)
                index += 2
            default:
                if let variable = variable() {
                    text.append(contentsOf: variable.unicodeScalars)
                    continue
                }
                noteExpansion()
                text.append(scalars[index])
                index += 1
            }
        }
        return nil
    }

    /// Reads `$'…'`, as browsers copy text with control characters.
    private mutating func escaped() -> String.UnicodeScalarView? {
        var text = String.UnicodeScalarView()
        index += 1
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            if scalar == "'" { return text }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard index < scalars.count else { return nil }
            let kind = scalars[index]
            index += 1
            switch kind {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "r": text.append("\r")
            case "a": text.append("\u{7}")
            case "b": text.append("\u{8}")
            case "e", "E": text.append("\u{1B}")
            case "f": text.append("\u{C}")
            case "v": text.append("\u{B}")
            case "x": text.append(number(radix: 16, atMost: 2))
            case "u": text.append(number(radix: 16, atMost: 4))
            case "U": text.append(number(radix: 16, atMost: 8))
            case "0"..."7":
                index -= 1
                text.append(number(radix: 8, atMost: 3))
            default:
                if !"'\"\\?".unicodeScalars.contains(kind) { text.append("\\") }
                text.append(kind)
            }
        }
        return nil
    }

    private mutating func number(radix: UInt32, atMost count: Int) -> Unicode.Scalar {
        var value: UInt32 = 0
        var left = count
        while left > 0, index < scalars.count,
            let digit = Character(scalars[index]).hexDigitValue, digit < Int(radix)
        {
            value = value &* radix &+ UInt32(digit)
            index += 1
            left -= 1
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

/// Windows: the shell removes the carets, and the program splits the rest into words.
extension ShellWords {
    /// Reads words; false if a quote has no end.
    ///
    /// With `caretsInQuotes`, carets escape between quotes too. They do not in the shell, but older browsers
    /// write them there.
    private mutating func readWindows(caretsInQuotes: Bool) -> Bool {
        var rest = windowsCommand(caretsInQuotes: caretsInQuotes)[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard !rest.isEmpty else { return true }
            guard let word = Self.windowsWord(&rest) else { return false }
            words.append(word)
        }
    }

    /// The command as the program gets it: a caret before a character removes its meaning to the shell.
    private mutating func windowsCommand(caretsInQuotes: Bool) -> [Unicode.Scalar] {
        var command: [Unicode.Scalar] = []
        var isQuoted = false
        while index < scalars.count {
            let scalar = scalars[index]
            switch scalar {
            case "^" where !isQuoted || caretsInQuotes:
                let end = lineEnd(at: index + 1)
                index += 1 + end
                // After a continued line, a line end is part of the text.
                let newline = end > 0 ? lineEnd(at: index) : 0
                if newline > 0 {
                    command.append("\n")
                    index += newline
                } else if end == 0, index < scalars.count {
                    command.append(scalars[index])
                    index += 1
                }
            case "\n", "\r":
                _ = end(at: index)
                return command
            case "&", "|", "<", ">":
                guard isQuoted else {
                    hasMore = true
                    return command
                }
                fallthrough
            default:
                if scalar == "\"" { isQuoted.toggle() }
                command.append(scalar)
                index += 1
            }
        }
        return command
    }

    /// A word as C's runtime reads it (Microsoft, "Parsing C command-line arguments"); nil if a quote has no end.
    private static func windowsWord(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        var word = String.UnicodeScalarView()
        var isQuoted = false
        while let scalar = rest.first, isQuoted || scalar != " " && scalar != "\t" {
            let slashes = rest.prefix { $0 == "\\" }.count
            rest = rest.dropFirst(slashes)
            guard rest.first == "\"" else {
                word.append(contentsOf: repeatElement("\\", count: slashes))
                if slashes == 0 {
                    word.append(scalar)
                    rest = rest.dropFirst()
                }
                continue
            }
            word.append(contentsOf: repeatElement("\\", count: slashes / 2))
            rest = rest.dropFirst()
            if slashes % 2 == 1 {
                word.append("\"")
            } else if isQuoted, rest.first == "\"" {
                word.append("\"")
                rest = rest.dropFirst()
            } else {
                isQuoted.toggle()
            }
        }
        return isQuoted ? nil : String(word)
    }
}

/// PowerShell: a back-tick escapes, and continues a line; a quote is doubled in its own kind of quotes.
extension ShellWords {
    /// Reads words; false if a quote has no end.
    private mutating func readPowerShell() -> Bool {
        while index < scalars.count {
            switch scalars[index] {
            case " ", "\t": index += 1
            case "`" where lineEnd(at: index + 1) > 0: index += 1 + lineEnd(at: index + 1)
            case "\n", "\r":
                guard let next = option(after: index) else {
                    _ = end(at: index)
                    return true
                }
                index = next
                lacksContinuation = true
            case "|", ";", "&", ">", "<":
                hasMore = true
                return true
            case "#": return true
            default:
                guard let word = powerShellWord() else { return false }
                // Windows programs are given `\"` for a quote.
                words.append(word.replacing("\\\"", with: "\""))
            }
        }
        return true
    }

    private mutating func powerShellWord() -> String? {
        var word = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        while index < scalars.count {
            let scalar = scalars[index]
            if let open = quote {
                if scalar == open, following == open {
                    word.append(open)
                    index += 2
                } else if scalar == open {
                    quote = nil
                    index += 1
                } else {
                    appendPowerShell(scalar, escapes: open == "\"", to: &word)
                }
                continue
            }
            switch scalar {
            case " ", "\t", "\n", "\r", "|", ";", "&", ">", "<": return String(word)
            case "'", "\"":
                quote = scalar
                index += 1
            case "`" where lineEnd(at: index + 1) > 0: return String(word)
            default: appendPowerShell(scalar, escapes: true, to: &word)
            }
        }
        return quote == nil ? String(word) : nil
    }

    private mutating func appendPowerShell(
        _ scalar: Unicode.Scalar,
        escapes: Bool,
        to word: inout String.UnicodeScalarView
    ) {
        guard escapes else {
            word.append(scalar)
            index += 1
            return
        }
        guard scalar == "`", let next = following else {
            let isName = following.map {
                $0.properties.isAlphabetic || "_{(".unicodeScalars.contains($0)
            }
            hasExpansion = hasExpansion || scalar == "$" && isName == true
            word.append(scalar)
            index += 1
            return
        }
        let meant: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "t": "\t", "r": "\r"]
        word.append(meant[next] ?? next)
        index += 2
    }
}

/// Several commands in one text: `# …`, `cd x && echo y | curl …`.
extension ShellWords {
    /// The next word of a text as a POSIX shell reads it, and what stands after it.
    struct Piece {
        enum Content {
            case word(String)
            /// The end of a command: a line end, `;`, `|`, `&`.
            case end(Unicode.Scalar)
        }

        let content: Content
        /// The text of the word as it is written.
        let written: String
        let rest: String
    }

    /// Nil at the end, and if a quote has none.
    static func piece(of text: String) -> Piece? {
        var reader = ShellWords(reading: Array(text.unicodeScalars))
        while let scalar = reader.scalars[reader.index...].first {
            switch scalar {
            case " ", "\t": reader.index += 1
            case "\\" where reader.lineEnd(at: reader.index + 1) > 0:
                reader.index += 1 + reader.lineEnd(at: reader.index + 1)
            case "#":
                reader.index += reader.scalars[reader.index...].prefix { $0 != "\n" }.count
            case "\n", "\r", "|", ";", "&", ">", "<":
                let isBreak = scalar == "\r" || scalar == "\n"
                return Piece(
                    content: .end(isBreak ? "\n" : scalar),
                    written: String(scalar),
                    rest: reader.rest(from: reader.index + 1)
                )
            default:
                let start = reader.index
                guard let word = reader.word() else { return nil }
                return Piece(
                    content: .word(word),
                    written: reader.text(start..<reader.index),
                    rest: reader.rest(from: reader.index)
                )
            }
        }
        return nil
    }

    private init(reading scalars: [Unicode.Scalar]) { self.scalars = scalars }

    /// A text as between double quotes, with `{{ NAME }}` for `$NAME` and `${NAME}`, and their names.
    static func expanded(_ text: String) -> (text: String, names: [String]) {
        var reader = ShellWords(reading: Array(text.unicodeScalars))
        reader.expands = true
        var result = String.UnicodeScalarView()
        while reader.index < reader.scalars.count {
            let scalar = reader.scalars[reader.index]
            if scalar == "\\", let next = reader.following, "$`\\".unicodeScalars.contains(next) {
                result.append(next)
                reader.index += 2
            } else if let variable = reader.variable() {
                result.append(contentsOf: variable.unicodeScalars)
            } else {
                result.append(scalar)
                reader.index += 1
            }
        }
        return (String(result), reader.expanded)
    }

    private func rest(from start: Int) -> String {
        text(min(start, scalars.count)..<scalars.count)
    }

    private func text(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range.clamped(to: 0..<scalars.count)]))
    }
}
