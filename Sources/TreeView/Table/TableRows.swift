import Documents
import Terminal

/// The visible rows of a table, below the titles of its columns.
struct TableRows {
    let table: DocumentTable
    let isFocused: Bool
    /// Whether a column at each side stays blank.
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard area.rows > 1 else { return }
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        let places = table.places(in: inside.columns)
        for place in places { drawTitle(place, in: inside.row(0), into: &grid) }
        var scroll = table.scroll
        let rows = area.inset(top: 1)
        scroll.update(count: table.rowCount, height: rows.rows)
        for (line, index) in scroll.visible.enumerated() {
            guard let node = table.node(atRow: index) else { continue }
            let row = inside.inset(top: 1).row(line)
            grid.draw(
                String(table.document.indexInParent(of: node)),
                endingAt: row.x + table.gutter - 2,
                y: row.y,
                style: look[.textMuted]
            )
            for place in places { drawCell(place, of: node, in: row, into: &grid) }
        }
        if isFocused, table.rowCount > 0 {
            let row = rows.row(scroll.selection - scroll.offset)
            grid.overlay(row, .selection, theme: look.theme)
            if let place = places.first(where: { $0.index == table.selected }) {
                let cell = Rect(x: inside.x + place.x, y: row.y, columns: place.width, rows: 1)
                grid.overlay(cell, .matchCurrent, theme: look.theme)
            }
        }
        guard isPadded else { return }
        Scrollbar.draw(
            scroll.visible,
            of: table.rowCount,
            beside: rows,
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    private func drawTitle(_ place: DocumentTable.Place, in row: Rect, into grid: inout Grid) {
        let column = table.columns[place.index]
        let isSelected = place.index == table.selected
        var text = column.title
        var room = place.width
        var sign = ""
        if let sorting = table.sorting, sorting.source == column.source {
            sign =
                " "
                + String(sorting.isDescending ? look.symbols.descending : look.symbols.ascending)
            room = max(1, room - 2)
        }
        text = TextWidth.cut(text, to: room, ellipsis: look.symbols.ellipsis) + sign
        let start = column.isNumeric ? max(0, place.width - TextWidth.columns(of: text)) : 0
        let style = look[isSelected && isFocused ? .textAccent : .treeKey]
        grid.draw(
            text,
            x: row.x + place.x + start,
            y: row.y,
            width: place.width - start,
            style: style
        )
    }

    private func drawCell(
        _ place: DocumentTable.Place,
        of row: NodeIndex,
        in area: Rect,
        into grid: inout Grid
    ) {
        let column = table.columns[place.index]
        let document = table.document
        var text = StyledText()
        if column.source == .key {
            text = StyledText(document.key(of: row) ?? "", look[.treeKey])
        } else if let cell = table.cell(column, ofRow: row) {
            let (words, isCut) = document.cellText(of: cell)
            let kind = document.kind(of: cell)
            text =
                kind.isContainer
                ? StyledText(words, look[.treeCount])
                : ValueText(kind: kind, text: words, isCut: isCut).line(look)
        }
        let start = column.isNumeric ? max(0, place.width - text.columns) : 0
        grid.draw(
            text,
            x: area.x + place.x + start,
            y: area.y,
            width: place.width - start,
            cut: .end
        )
    }
}
