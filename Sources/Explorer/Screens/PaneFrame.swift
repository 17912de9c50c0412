import Terminal

/// The border of a pane, or its title row where there is no room for borders.
struct PaneFrame {
    var title: [StyledText]
    var trailing: StyledText
    var foot = StyledText()
    var footTrailing = StyledText()
    var isFocused: Bool
    var isFramed: Bool

    /// Draws it; returns what is inside, as `Layout.inside(_:)` tells.
    @discardableResult
    func draw(in rect: Rect, into grid: inout Grid, look: Look) -> Rect {
        guard !rect.isEmpty else { return rect }
        let room = rect.columns - trailing.columns - (isFramed ? 8 : 1)
        let title = fittingTitle(in: room, look: look)
        guard isFramed else {
            drawTitleRow(title, in: rect.row(0), into: &grid)
            return rect.inset(left: 0, top: 1, right: 0, bottom: 0)
        }
        return Frame(
            title: title,
            trailing: trailing,
            foot: foot,
            footTrailing: footTrailing,
            isFocused: isFocused
        ).draw(in: rect, into: &grid, look: look)
    }

    private func drawTitleRow(_ title: StyledText, in row: Rect, into grid: inout Grid) {
        let room = row.columns - title.columns - 1
        grid.draw(title, x: row.x, y: row.y, width: row.columns, cut: .end)
        guard room >= min(trailing.columns, 8) else { return }
        let columns = min(room, trailing.columns)
        grid.draw(trailing, x: row.maxX - columns, y: row.y, width: columns, cut: .end)
    }

    /// The pieces that fit, with dots between them.
    private func fittingTitle(in columns: Int, look: Look) -> StyledText {
        var line = StyledText()
        for (index, piece) in title.enumerated() {
            let width = piece.columns + (index > 0 ? 3 : 0)
            guard index == 0 || line.columns + width <= columns else { break }
            if index > 0 { line.append(look.separator, look[.textMuted]) }
            line.append(piece)
        }
        return line
    }
}
