import Documents
import Terminal

/// Sixteen bytes: where they are, in hexadecimal, and as letters.
struct HexRowView {
    let look: Look

    func draw(_ row: HexRow, in area: Rect, into grid: inout Grid) {
        let offset = row.offsetText
        let full = offset.count + 2 + 48 + 1 + 16
        let compact = offset.count + 2 + 32
        var x = area.x
        let width = area.columns
        // Where there is little room, where the bytes are goes first, then their letters.
        if width >= compact {
            x += grid.draw(offset, x: x, y: area.y, width: width, style: look[.textMuted]) + 2
        }
        if width >= full {
            x += grid.draw(row.hex, x: x, y: area.y, width: area.maxX - x, style: look[.treeNumber])
            grid.draw(
                row.ascii,
                x: area.x + full - 16,
                y: area.y,
                width: area.maxX - x,
                style: look[.treeString]
            )
        } else if width >= 32 {
            let digits = row.hex.filter { $0 != " " }
            x += grid.draw(
                digits,
                x: x,
                y: area.y,
                width: area.maxX - x,
                style: look[.treeNumber]
            )
            drawLetters(row, from: x, full: compact, in: area, into: &grid)
        } else {
            grid.draw(
                row.ascii,
                x: x,
                y: area.y,
                width: area.maxX - x,
                style: look[.treeString]
            )
        }
    }

    private func drawLetters(
        _ row: HexRow,
        from x: Int,
        full: Int,
        in area: Rect,
        into grid: inout Grid
    ) {
        let start = area.x + full + 2
        guard area.maxX - start >= 16, x <= start else { return }
        grid.draw(row.ascii, x: start, y: area.y, width: 16, style: look[.treeString])
    }
}
