/// One line of a text as a pane shows it.
package struct TextRow: Sendable, Equatable {
    /// The line's number, from 1.
    package let number: Int
    /// The line's bytes without its end.
    package let range: Range<Int>
    /// What is shown of it; what is not UTF-8 is U+FFFD.
    package let text: String
    /// Whether the line goes on behind the text.
    package let isCut: Bool
}
