import Documents
package import Terminal

/// The border of a pane, or its title row if there is no room for borders.
package struct PaneFrame {
    var title: [StyledText]
    var trailing: StyledText
    var foot = StyledText()
    var footTrailing = StyledText()
    var isFocused: Bool
    var isFramed: Bool

    /// Makes the view.
    package init(
        title: [StyledText],
        trailing: StyledText,
        foot: StyledText = StyledText(),
        footTrailing: StyledText = StyledText(),
        isFocused: Bool,
        isFramed: Bool
    ) {
        self.title = title
        self.trailing = trailing
        self.foot = foot
        self.footTrailing = footTrailing
        self.isFocused = isFocused
        self.isFramed = isFramed
    }

    /// Draws it; returns the area inside, the same as `Layout.inside(_:)`.
    @discardableResult
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) -> Rect {
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
        grid.draw(title, in: row)
        guard room >= min(trailing.columns, 8) else { return }
        let columns = min(room, trailing.columns)
        grid.draw(trailing, x: row.maxX - columns, y: row.y, width: columns, cut: .end)
    }

    /// The pieces of the title that fit, separated by dots.
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

extension Look {
    /// The style of a scope.
    package subscript(scope: Scope) -> StyleID { theme[scope] }

    /// The sign of a spinner at a time.
    package func spinner(at now: Duration) -> String {
        let step = Int(now / .milliseconds(100))
        return String(symbols.spinner[step % symbols.spinner.count])
    }

    /// The separator between two facts of a line.
    package var separator: String { " \(symbols.middleDot) " }
}
