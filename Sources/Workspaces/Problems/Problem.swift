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
    /// The line it is in; nil if it is about the file as a whole.
    package let sourceLine: String?
    /// How many characters of the line are meant.
    package let length: Int

    init(_ span: Span, _ message: String, expected: String? = nil, hint: String? = nil) {
        location = span.location
        self.message = message
        self.expected = expected
        self.hint = hint
        sourceLine = span.source.line(span.line)
        length = span.length
    }

    /// Makes a problem of a whole file.
    package init(file: String, _ message: String, hint: String? = nil) {
        location = SourceLocation(file: file)
        self.message = message
        expected = nil
        self.hint = hint
        sourceLine = nil
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
