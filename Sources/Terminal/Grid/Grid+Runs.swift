/// Cells that stand side by side in a row and have the same style.
package struct CellRun: Hashable, Sendable {
    /// The column and the row of its first cell.
    package let start: Point
    /// How many cells it takes.
    package private(set) var columns: Int
    /// What the cells show; a wide character takes two of them.
    package private(set) var text: String
    /// How they look, in the color numbers of a terminal.
    package let style: ResolvedStyle

    fileprivate mutating func append(_ scalars: [Unicode.Scalar]) {
        columns += 1
        text.unicodeScalars.append(contentsOf: scalars)
    }
}

extension Grid {
    /// All cells from the top, for a program that has no painter: runs of the same style, row by row.
    ///
    /// `styles` are those of the theme for a terminal; what is not a style of the theme looks like plain text.
    package func runs(_ styles: [ResolvedStyle]) -> [CellRun] {
        (0..<size.rows).flatMap { row in
            var runs: [CellRun] = []
            for column in 0..<size.columns {
                let cell = self[column, row]
                let index = Int(cell.style.rawValue)
                let style = styles[styles.indices.contains(index) ? index : 0]
                if runs.last?.style != style {
                    let start = Point(x: column, y: row)
                    runs.append(CellRun(start: start, columns: 0, text: "", style: style))
                }
                runs[runs.count - 1].append(scalars(of: cell))
            }
            return runs
        }
    }

    /// The scalar of a cell and its marks; none for the right half of a wide character.
    private func scalars(of cell: Cell) -> [Unicode.Scalar] {
        guard let base = cell.scalar else { return [] }
        return [base] + marks[Int(cell.marks)].scalars.compactMap(Unicode.Scalar.init)
    }
}
