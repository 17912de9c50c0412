/// A rounded border with words in it: `╭─ Title ──── 200 ╮`.
package struct Frame: Sendable {
    /// At the left above.
    package var title: StyledText?
    /// At the right above.
    package var trailing: StyledText?
    /// At the left below.
    package var foot: StyledText?
    /// At the right below.
    package var footTrailing: StyledText?
    /// True in the pane that the keys go to.
    package var isFocused: Bool

    private let plainTitle: String

    /// Makes a frame with a title in the theme's own style.
    package init(
        title: String,
        trailing: StyledText? = nil,
        foot: StyledText? = nil,
        footTrailing: StyledText? = nil,
        isFocused: Bool = false
    ) {
        self.init(
            title: nil,
            plainTitle: title,
            trailing: trailing,
            foot: foot,
            footTrailing: footTrailing,
            isFocused: isFocused
        )
    }

    /// Makes a frame with a title in several styles.
    package init(
        title: StyledText,
        trailing: StyledText? = nil,
        foot: StyledText? = nil,
        footTrailing: StyledText? = nil,
        isFocused: Bool = false
    ) {
        self.init(
            title: title,
            plainTitle: "",
            trailing: trailing,
            foot: foot,
            footTrailing: footTrailing,
            isFocused: isFocused
        )
    }

    private init(
        title: StyledText?,
        plainTitle: String,
        trailing: StyledText?,
        foot: StyledText?,
        footTrailing: StyledText?,
        isFocused: Bool
    ) {
        self.title = title
        self.plainTitle = plainTitle
        self.trailing = trailing
        self.foot = foot
        self.footTrailing = footTrailing
        self.isFocused = isFocused
    }

    /// Draws it; returns what is inside.
    ///
    /// In less than 2x2 cells nothing is drawn.
    @discardableResult
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) -> Rect {
        guard rect.columns >= 2, rect.rows >= 2 else { return rect.inset(by: 1) }
        let style = look.theme[isFocused ? .borderFocused : .border]
        drawBorder(rect, &grid, look.symbols, style)
        let own = StyledText(plainTitle, look.theme[isFocused ? .paneTitleFocused : .paneTitle])
        drawWords(title ?? own, trailing, in: rect.row(0), &grid)
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

    /// `─ left ─── right `: a blank on both sides of words, and the line goes on between them.
    private func drawWords(
        _ left: StyledText?,
        _ right: StyledText?,
        in row: Rect,
        _ grid: inout Grid
    ) {
        let line = row.inset(left: 1, right: 1)
        // The right one is the shorter and says the state: it gives way last.
        let rightColumns = min(right?.columns ?? 0, max(0, line.columns - 2))
        if let right, rightColumns > 0 {
            let x = line.maxX - rightColumns - 2
            Self.drawWord(right, x: x, y: row.y, columns: rightColumns, &grid)
        }
        let taken = rightColumns > 0 ? rightColumns + 3 : 1
        let room = line.columns - taken - 3
        if let left, !left.isEmpty, room > 0 {
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
