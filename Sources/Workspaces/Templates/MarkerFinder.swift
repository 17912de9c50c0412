/// Finds the `{{` of a scalar in its source.
///
/// A scalar's text and its source have them in the same order, whatever quotes,
/// escapes and indentation lie between.
enum MarkerFinder {
    /// The place of the one with this number, from 0; the scalar itself if there is none.
    static func span(ofMarker index: Int, from start: Span, length: Int) -> Span {
        var left = index
        var line = start.line
        var passed = max(0, start.column - 1)
        while let text = start.source.line(line) {
            var last: Unicode.Scalar?
            for (column, scalar) in text.unicodeScalars.enumerated() where column >= passed {
                guard last == "{", scalar == "{" else {
                    last = scalar
                    continue
                }
                if left == 0 {
                    return Span(start.source, line: line, column: column, length: length)
                }
                left -= 1
                // The second brace of a pair is not the first of another.
                last = nil
            }
            line += 1
            passed = 0
        }
        return start
    }
}
