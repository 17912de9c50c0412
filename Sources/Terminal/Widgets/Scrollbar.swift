/// Where the seen rows lie in all rows, along the right border of a pane.
package enum Scrollbar {
    /// Draws the thumb in the first column of `rect`; nothing when everything is seen.
    package static func draw(
        offset: Int,
        visible: Int,
        total: Int,
        in rect: Rect,
        into grid: inout Grid,
        look: Look,
        style: StyleID
    ) {
        guard total > visible, visible > 0, rect.rows > 0 else { return }
        let length = max(1, rect.rows * visible / total)
        let way = rect.rows - length
        let place = min(way, max(0, offset) * way / (total - visible))
        let thumb = Rect(x: rect.x, y: rect.y + place, columns: 1, rows: length)
        grid.fill(thumb, with: look.symbols.scrollbarThumb, style: style)
    }
}
