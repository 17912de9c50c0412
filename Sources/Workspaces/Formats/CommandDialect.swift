/// The shell that a command line is written for.
enum CommandDialect: Equatable {
    case posix
    /// Windows' own shell; `caretsInQuotes` if carets escape between quotes too, as older browsers write them.
    case windows(caretsInQuotes: Bool)
    case powerShell

    /// Recognizes the shell by its signs, which no other shell would be given.
    init(_ text: String) {
        // A word that begins with a caret and a quote is only written for the shell of Windows.
        // A single quote before it is another shell's: cmd quotes with `"` alone.
        if let caret = text.utf8.firstRange(of: " ^\"".utf8),
            !text.utf8[..<caret.lowerBound].contains(UInt8(ascii: "'"))
        {
            self = .windows(caretsInQuotes: false)
            return
        }
        if Self.hasBacktickLines(text) {
            self = .powerShell
            return
        }
        self = QuotedWords(text).dialect
    }

    /// Whether a line ends with a blank and a back-tick outside of quotes, which continues it in PowerShell only.
    private static func hasBacktickLines(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "`")) else { return false }
        let bytes = Array(text.utf8)
        var quote: UInt8?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                quote = quote == nil ? byte : quote == byte ? nil : quote
            case UInt8(ascii: "`") where quote == nil && index > 0:
                let rest = bytes[(index + 1)...]
                let isLineEnd = rest.starts(with: "\n".utf8) || rest.starts(with: "\r\n".utf8)
                if isLineEnd, bytes[index - 1] == 0x20 || bytes[index - 1] == 0x09 { return true }
            default: break
            }
        }
        return false
    }
}

/// What the double-quoted words of a command say about its shell.
///
/// Older browsers put a caret before every sign between the quotes that they were not sure of: `"^{^\^"a^\^"^}"`.
/// Firefox doubles a quote: `"{""a"":1}"`. A text in which one sign lacks its caret is of another shell, so that
/// an expression such as `"^[a-z]"` stays as it is.
private struct QuotedWords {
    private var hasSingleQuotes = false
    private var hasDoubledQuotes = false
    private var hasCarets = false
    /// Whether a sign that Chrome, or Firefox, would have put a caret before lacks it.
    private var lacksChromesCaret = false
    private var lacksFirefoxsCaret = false

    private let scalars: [Unicode.Scalar]
    private var index = 0

    var dialect: CommandDialect {
        if hasSingleQuotes { return .posix }
        if hasDoubledQuotes {
            return .windows(caretsInQuotes: hasCarets && !lacksFirefoxsCaret)
        }
        return hasCarets && !lacksChromesCaret ? .windows(caretsInQuotes: true) : .posix
    }

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        while index < scalars.count, !hasSingleQuotes {
            let scalar = scalars[index]
            index += 1
            switch scalar {
            case "'": hasSingleQuotes = true
            case "\"": readQuoted()
            // An escaped sign outside of quotes.
            case "\\", "^": index += 1
            default: break
            }
        }
    }

    private mutating func readQuoted() {
        while index < scalars.count {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            switch scalar {
            case "^":
                noteCaret(before: next)
                // A caret at the end of a word is text.
                index += next == "\"" && !isAfter("\\") ? 1 : 2
            case "\\" where next == "\"" || next == "\\":
                // A POSIX shell's escape, which Chrome writes with carets.
                lacksChromesCaret = true
                index += 2
            case "\"" where next == "\"":
                hasDoubledQuotes = true
                index += 2
            case "\"":
                index += 1
                return
            default:
                note(scalar)
                index += 1
            }
        }
    }

    /// Whether a sign stands before the current one.
    private func isAfter(_ sign: Unicode.Scalar) -> Bool { index > 0 && scalars[index - 1] == sign }

    /// A caret of a browser stands before a sign that needs one; before a letter only after `%`, and before a
    /// quote only after a backslash.
    private mutating func noteCaret(before next: Unicode.Scalar) {
        hasCarets = true
        let isMeant =
            next == "\""
            ? isAfter("\\")
            : !next.isASCII || next == "\n" || next == "\r" || !Self.isSafe(next) || isAfter("%")
        if !isMeant { (lacksChromesCaret, lacksFirefoxsCaret) = (true, true) }
    }

    /// Whether no browser puts a caret before a sign.
    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII || scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
            || scalar.properties.isWhitespace
            || "_-:=+~'/.,?;()*`".unicodeScalars.contains(scalar)
    }

    private mutating func note(_ scalar: Unicode.Scalar) {
        guard !Self.isSafe(scalar) else { return }
        lacksChromesCaret = true
        if !"$&\\{}".unicodeScalars.contains(scalar) { lacksFirefoxsCaret = true }
    }
}
