/// Finds the `{{` of a scalar in its source, one after the other.
///
/// A scalar's text and its source have them in the same order, whatever quotes,
/// escapes and indentation lie between.
struct MarkerCursor {
    private let start: Span
    private var line: Int
    private var scalars: [Unicode.Scalar]
    private var at: Int

    init(_ start: Span) {
        self.start = start
        line = start.line
        scalars = Array((start.source.line(start.line) ?? "").unicodeScalars)
        at = max(0, start.column - 1)
    }

    /// The next one, `length` scalars long; the scalar itself if there is none.
    mutating func next(length: Int) -> Span {
        while line <= start.source.lines.count {
            while at + 1 < scalars.count {
                defer { at += 1 }
                guard scalars[at] == "{", scalars[at + 1] == "{" else { continue }
                let column = at + 1
                at += 1
                return Span(start.source, line: line, column: column, length: length)
            }
            line += 1
            scalars = Array((start.source.line(line) ?? "").unicodeScalars)
            at = 0
        }
        return start
    }
}
