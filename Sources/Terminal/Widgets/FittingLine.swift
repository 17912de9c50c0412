/// A row of facts that leaves out whole facts if not all fit, the last first.
package struct FittingLine {
    private let leading: [StyledText]
    private let trailing: [StyledText]
    private let gap: StyledText

    /// Makes a line.
    ///
    /// - Parameters:
    ///   - leading: The facts at the left, the most useful first.
    ///   - trailing: The facts at the right, in order; the last stays longest.
    ///   - gap: The text between two facts.
    package init(
        leading: [StyledText],
        trailing: [StyledText] = [],
        gap: StyledText = StyledText("  ", .default)
    ) {
        self.leading = leading
        self.trailing = trailing
        self.gap = gap
    }

    /// Draws the facts that fit into the row.
    package func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        var (left, right) = (leading, trailing)
        while left.count + right.count > 1, columns(left, right) > row.columns {
            if left.count > 1 || right.count == 1 {
                left.removeLast()
            } else {
                right.removeFirst()
            }
        }
        let end = right.isEmpty ? row.maxX : row.maxX - width(right)
        draw(left, from: row.x, upTo: right.isEmpty ? end : end - 1, y: row.y, into: &grid)
        draw(right, from: max(row.x, end), upTo: row.maxX, y: row.y, into: &grid)
    }

    private func draw(
        _ facts: [StyledText],
        from x: Int,
        upTo end: Int,
        y: Int,
        into grid: inout Grid
    ) {
        var place = x
        for (index, fact) in facts.enumerated() where place < end {
            if index > 0 { place += grid.draw(gap, x: place, y: y, width: end - place) }
            place += grid.draw(fact, x: place, y: y, width: max(0, end - place), cut: .end)
        }
    }

    /// The columns of both sides, with a gap between them.
    private func columns(_ left: [StyledText], _ right: [StyledText]) -> Int {
        width(left) + width(right) + (left.isEmpty || right.isEmpty ? 0 : gap.columns)
    }

    private func width(_ facts: [StyledText]) -> Int {
        facts.reduce(0) { $0 + $1.columns } + gap.columns * max(0, facts.count - 1)
    }
}
