/// The text that a command of a POSIX shell reads because it stands in the script: `<<EOF`, `<<< text`.
package struct HereDocument {
    /// The text, with its last line end.
    private(set) var text = ""
    /// Whether the shell expands variables in it.
    private(set) var expands = true
    /// The script without it.
    private(set) var rest = ""

    /// Nil if there is none.
    init?(_ script: String) {
        guard let sign = Self.start(in: script) else { return nil }
        let before = script[..<sign]
        let after = script[sign...].dropFirst(2)
        if after.first == "<" {
            guard let piece = ShellWords.piece(of: String(after.dropFirst())),
                case .word(let word) = piece.content
            else { return nil }
            text = word + "\n"
            // A text in single quotes stays as it is.
            expands = !piece.written.hasPrefix("'") && !piece.written.hasPrefix("$'")
            rest = before + piece.rest
            return
        }
        let removesTabs = after.first == "-"
        guard let piece = ShellWords.piece(of: String(after.drop { $0 == "-" })),
            case .word(let word) = piece.content, !word.isEmpty
        else { return nil }
        expands = piece.written == word
        let line = piece.rest.prefix { !$0.isNewline }
        let lines = piece.rest[line.endIndex...].dropFirst()
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { removesTabs ? $0.drop { $0 == "\t" } : $0 }
        guard let end = lines.firstIndex(where: { $0 == word }) else { return nil }
        text = lines[..<end].map { $0 + "\n" }.joined()
        rest = before + line + "\n" + lines[(end + 1)...].joined(separator: "\n")
    }

    /// Where `<<` stands outside of quotes; nil if it does not.
    package static func start(in script: String) -> String.Index? {
        guard script.utf8.firstRange(of: "<<".utf8) != nil else { return nil }
        var quotes = ShellQuotes()
        return script.indices.first { index in
            !quotes.isQuoted(script[index]) && script[index...].hasPrefix("<<")
        }
    }
}
