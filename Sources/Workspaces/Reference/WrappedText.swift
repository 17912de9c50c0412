/// Text in lines for a terminal.
package enum WrappedText {
    /// How many columns help texts have.
    package static let width = 80

    /// A paragraph in lines of at most `width` columns; a longer word has a line of its own.
    ///
    /// - Parameters:
    ///   - text: The paragraph.
    ///   - margin: The blanks before the first line.
    ///   - hanging: The blanks before the other lines.
    ///   - width: The number of columns.
    /// - Returns: The lines, without their ends.
    package static func lines(
        of text: String,
        margin: Int = 0,
        hanging: Int = 0,
        width: Int = Self.width
    ) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: margin)
        var isEmpty = true
        for word in words(of: text) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }

    /// The words of a text; what stands between back-ticks is one.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var isOpen = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if isOpen, let last = words.indices.last {
                words[last] += " \(word)"
            } else {
                words.append(String(word))
            }
            if !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isOpen.toggle() }
        }
        return words
    }
}
