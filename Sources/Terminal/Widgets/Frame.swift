/// A rounded border with words in it: `╭─ Title ──── 200 ╮`.
package struct Frame: Sendable {
    private let title: StyledText
    private let trailing: StyledText
    private let foot: StyledText
    private let footTrailing: StyledText
    private let isFocused: Bool

    /// Makes a frame.
    ///
    /// - Parameters:
    ///   - title: The text at the top left.
    ///   - trailing: The text at the top right.
    ///   - foot: The text at the bottom left.
    ///   - footTrailing: The text at the bottom right.
    ///   - isFocused: Whether keys go to this pane.
    package init(
        title: StyledText,
        trailing: StyledText = StyledText(),
        foot: StyledText = StyledText(),
        footTrailing: StyledText = StyledText(),
        isFocused: Bool = false
    ) {
        self.title = title
        self.trailing = trailing
        self.foot = foot
        self.footTrailing = footTrailing
        self.isFocused = isFocused
    }

    /// Draws the frame; returns the rectangle inside it.
    ///
    /// Draws nothing in less than 2x2 cells.
    @discardableResult
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) -> Rect {
        guard rect.columns >= 2, rect.rows >= 2 else { return rect.inset(by: 1) }
        let style = look.theme[isFocused ? .borderFocused : .border]
        drawBorder(rect, &grid, look.symbols, style)
        drawWords(title, trailing, in: rect.row(0), &grid)
        drawWords(foot, footTrailing, in: rect.row(rect.rows - 1), &grid)
        return rect.inset(by: 1)
    }

    private func drawBorder(
        _ rect: Rect,
        _ grid: inout Grid,
        _ symbols: Symbols,
        _ style: StyleID
    ) {
        let (right, bottom) = (rect.maxX - 1, rect.maxY - 1)
        let across = rect.inset(left: 1, right: 1)
        let down = rect.inset(top: 1, bottom: 1)
        grid.fill(across.row(0), with: symbols.horizontal, style: style)
        grid.fill(across.row(rect.rows - 1), with: symbols.horizontal, style: style)
        grid.fill(down.splitLeft(1).0, with: symbols.vertical, style: style)
        grid.fill(down.splitRight(1).1, with: symbols.vertical, style: style)
        grid.put(symbols.boxTopLeft, x: rect.x, y: rect.y, style: style)
        grid.put(symbols.boxTopRight, x: right, y: rect.y, style: style)
        grid.put(symbols.boxBottomLeft, x: rect.x, y: bottom, style: style)
        grid.put(symbols.boxBottomRight, x: right, y: bottom, style: style)
    }

    /// Draws `─ left ─── right `, with a blank on both sides of each text.
    private func drawWords(
        _ left: StyledText,
        _ right: StyledText,
        in row: Rect,
        _ grid: inout Grid
    ) {
        let line = row.inset(left: 1, right: 1)
        // The right text is cut last, because it is short and shows the state.
        let rightColumns = min(right.columns, max(0, line.columns - 2))
        if rightColumns > 0 {
            let x = line.maxX - rightColumns - 2
            Self.drawWord(right, x: x, y: row.y, columns: rightColumns, &grid)
        }
        let taken = rightColumns > 0 ? rightColumns + 3 : 1
        let room = line.columns - taken - 3
        if !left.isEmpty, room > 0 {
            let columns = min(left.columns, room)
            Self.drawWord(left, x: line.x + 1, y: row.y, columns: columns, &grid)
        }
    }

    private static func drawWord(
        _ text: StyledText,
        x: Int,
        y: Int,
        columns: Int,
        _ grid: inout Grid
    ) {
        grid.fill(Rect(x: x, y: y, columns: columns + 2, rows: 1), style: .default)
        grid.draw(text, x: x + 1, y: y, width: columns, cut: .end)
    }
}
