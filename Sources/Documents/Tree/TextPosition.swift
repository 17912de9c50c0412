/// A place in a text as people name it.
public struct TextPosition: Equatable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The character of the line, from 1.
    public let column: Int

    /// Names a place by line and column.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
