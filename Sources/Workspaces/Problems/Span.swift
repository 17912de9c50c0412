/// A place in a file: a line, a column and how many characters of it are meant.
struct Span: Sendable {
    let source: SourceText
    /// From 1; 0 for the file as a whole.
    var line: Int
    /// From 1, in Unicode scalars, as YAML counts.
    var column: Int
    /// How many scalars the caret underlines, at least 1.
    var length: Int

    init(_ source: SourceText, line: Int = 0, column: Int = 0, length: Int = 1) {
        self.source = source
        self.line = line
        self.column = column
        self.length = max(1, length)
    }

    /// A place `offset` scalars to the right.
    func advanced(by offset: Int, length: Int) -> Span {
        Span(source, line: line, column: column + offset, length: length)
    }

    /// The place, without the file's text.
    var location: SourceLocation {
        SourceLocation(file: source.name, line: line, column: column)
    }
}
