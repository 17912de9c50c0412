/// A line and a column of a file.
package struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The file's name.
    package let file: String
    /// The line, from 1; 0 for the file as a whole.
    package let line: Int
    /// The column, from 1, in Unicode scalars; 0 for the file as a whole.
    package let column: Int

    /// Makes a location.
    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `demo.apus.yaml:3:5`.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}
