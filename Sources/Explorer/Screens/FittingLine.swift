import Terminal

/// A row of facts that gives up whole facts, the last first, where there is
/// not room for all: half a fact says nothing.
struct FittingLine {
    /// Facts at the left, the most useful first.
    var leading: [StyledText]
    /// Facts at the right, in the order that they stand in; the last stays longest.
    var trailing: [StyledText] = []
    /// What stands between two facts.
    var gap = StyledText("  ", .default)

    /// Draws what fits into the row.
    func draw(in row: Rect, into grid: inout Grid) {
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

    /// What both sides need, with a gap between them.
    private func columns(_ left: [StyledText], _ right: [StyledText]) -> Int {
        width(left) + width(right) + (left.isEmpty || right.isEmpty ? 0 : gap.columns)
    }

    private func width(_ facts: [StyledText]) -> Int {
        facts.reduce(0) { $0 + $1.columns } + gap.columns * max(0, facts.count - 1)
    }
}

/// A footer that gives up its last hints where not all fit; the help stays, for it has the rest.
struct FittingHints {
    let hints: [FooterHints.Hint]

    func draw(in row: Rect, into grid: inout Grid, look: Look) {
        FooterHints(fitting(row.columns)).draw(in: row, into: &grid, look: look)
    }

    private func fitting(_ columns: Int) -> [FooterHints.Hint] {
        var hints = hints
        while width(hints) > columns, hints.count > 1 {
            guard let place = hints.lastIndex(where: { $0.label != "help" }), place > 0 else {
                break
            }
            hints.remove(at: place)
        }
        return hints
    }

    private func width(_ hints: [FooterHints.Hint]) -> Int {
        hints.reduce(-2) {
            $0 + TextWidth.columns(of: $1.key) + TextWidth.columns(of: $1.label) + 3
        }
    }
}
