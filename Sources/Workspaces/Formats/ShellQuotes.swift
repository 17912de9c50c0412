/// Which characters of a shell's line are quoted, read one after the other.
package struct ShellQuotes {
    private var quote: Character?
    private var isEscaped = false

    /// At a place outside of quotes.
    package init() {}

    /// Reads the next character, and returns whether it is quoted or a quote itself, so that it means nothing else.
    package mutating func isQuoted(_ character: Character) -> Bool {
        if isEscaped {
            isEscaped = false
        } else if character == "\\", quote != "'" {
            isEscaped = true
        } else if let open = quote {
            if character == open { quote = nil }
        } else if character == "'" || character == "\"" {
            quote = character
        } else {
            return false
        }
        return true
    }
}
