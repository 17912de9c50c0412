/// One thing that is wrong in a workspace file.
package struct Problem: Sendable, Hashable {
    /// Where it is.
    package let location: SourceLocation
    /// What is wrong, a sentence without its full stop.
    package var message: String
    /// What was expected instead.
    package let expected: String?
    /// What to do about it.
    package let hint: String?
    /// The line it is in, of a long one what is around the place; nil if it is about the file as a
    /// whole.
    let excerpt: Excerpt?
    /// How many characters of the line are meant.
    package let length: Int

    /// A part of a line.
    struct Excerpt: Sendable, Hashable {
        let text: String
        /// How many scalars of the line are before the text and before the place.
        let start: Int
        let caret: Int
        /// Whether the line goes on behind the text.
        let isCut: Bool
    }

    init(_ span: Span, _ message: String, expected: String? = nil, hint: String? = nil) {
        location = span.location
        self.message = message
        self.expected = expected
        self.hint = hint
        excerpt = span.source.line(span.line).map { Excerpt(of: $0, around: span.column) }
        length = span.length
    }

    /// Makes a problem of a whole file.
    package init(file: String, _ message: String, hint: String? = nil) {
        location = SourceLocation(file: file)
        self.message = message
        expected = nil
        self.hint = hint
        excerpt = nil
        length = 1
    }

    /// All of it but the source, in one line.
    package var summary: String {
        var text = "\(location): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let hint { text += "; \(hint)" }
        return text
    }
}

extension Problem.Excerpt {
    /// The most scalars that are shown.
    private static let width = 120

    /// Cut here, for the line of a file may be the whole of it, and each problem keeps its own.
    init(of line: String, around column: Int) {
        let scalars = line.unicodeScalars
        let wanted = max(0, column - 1)
        let place =
            scalars.index(scalars.startIndex, offsetBy: wanted, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        let before =
            scalars.index(place, offsetBy: -wanted, limitedBy: scalars.startIndex) == nil
            ? scalars.count : wanted
        let isShort =
            scalars.index(scalars.startIndex, offsetBy: Self.width + 1, limitedBy: scalars.endIndex)
            == nil
        let start = isShort || before < Self.width / 2 ? 0 : before - Self.width / 2
        let first = scalars.index(place, offsetBy: start - before)
        let end =
            scalars.index(first, offsetBy: Self.width, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        text = String(scalars[first..<end])
        self.start = start
        caret = before
        isCut = end < scalars.endIndex
    }
}
