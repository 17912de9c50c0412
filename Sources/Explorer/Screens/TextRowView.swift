import Documents
import Terminal

/// A line of text with its number.
struct TextRowView {
    let look: Look
    private let numberColumns: Int

    /// Makes the numbers as wide as the last of the lines in sight needs.
    init(rows: [BodyRow], look: Look) {
        self.look = look
        guard case .text(let last)? = rows.last else {
            numberColumns = 0
            return
        }
        numberColumns = max(3, String(last.number).count)
    }

    /// Draws a line; returns where its text stands.
    @discardableResult
    func draw(_ row: TextRow, in area: Rect, into grid: inout Grid) -> Rect {
        let hasNumbers = area.columns >= numberColumns * 4
        let start = hasNumbers ? numberColumns + 1 : 0
        if hasNumbers {
            grid.draw(
                String(row.number),
                endingAt: area.x + numberColumns,
                y: area.y,
                style: look[.textMuted]
            )
        }
        let text = row.isCut ? row.text + String(look.symbols.ellipsis) : row.text
        let columns = grid.draw(
            text,
            x: area.x + start,
            y: area.y,
            width: area.columns - start,
            style: look[.text],
            cut: .end
        )
        return Rect(x: area.x + start, y: area.y, columns: columns, rows: area.rows)
    }
}
