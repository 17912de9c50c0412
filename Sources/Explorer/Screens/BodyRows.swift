import Documents
import Terminal

/// The rows of a body that are in sight: a tree, lines of text, or bytes.
struct BodyRows {
    let body: BodyDocument
    let scroll: ListScroll
    let textOffset: Int
    let isFocused: Bool
    /// Whether a column at each side stays free.
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        var scroll = scroll
        scroll.update(count: body.rowCount, height: area.rows)
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        // A character is a byte at least: no more are needed than there are columns.
        let rows = body.rows(
            in: scroll.visible,
            textLimit: max(16, inside.columns * 4),
            textOffset: textOffset
        )
        drawRows(rows, in: inside, into: &grid)
        if isFocused, !rows.isEmpty {
            let row = area.row(scroll.selection - scroll.offset)
            grid.overlay(row, .selection, theme: look.theme)
        }
        guard isPadded else { return }
        Scrollbar.draw(
            offset: scroll.offset,
            visible: area.rows,
            total: body.rowCount,
            in: Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows),
            into: &grid,
            look: look,
            style: look[isFocused ? .borderFocused : .border]
        )
    }

    private func drawRows(_ rows: [BodyRow], in area: Rect, into grid: inout Grid) {
        let tree = TreeRowView(rows: rows, columns: area.columns, look: look)
        let text = TextRowView(rows: rows, look: look)
        for (line, row) in rows.prefix(area.rows).enumerated() {
            switch row {
            case .tree(let row): tree.draw(row, in: area.row(line), into: &grid)
            case .text(let row): text.draw(row, in: area.row(line), into: &grid)
            case .hex(let row): HexRowView(look: look).draw(row, in: area.row(line), into: &grid)
            }
        }
    }
}
