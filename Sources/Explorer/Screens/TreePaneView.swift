import Documents
import Terminal

/// A document's pane inside of its frame: rows, or a list of values, and what stands below them.
struct TreePaneView {
    let pane: TreePane
    let isFocused: Bool
    /// Whether a column at each side stays free.
    let isPadded: Bool
    let now: Duration
    let look: Look

    /// Draws it; returns where the text cursor stands while something is typed.
    @discardableResult
    func draw(in area: Rect, into grid: inout Grid) -> Point? {
        let (rows, strip) = area.splitBottom(min(PaneStrip.rows(of: pane), area.rows))
        if let query = pane.findings?.query, let list = query.list, let body = pane.body {
            MatchList(
                body: body,
                query: query,
                list: list,
                isFocused: isFocused,
                isPadded: isPadded,
                look: look
            ).draw(in: rows, into: &grid)
        } else {
            BodyRows(pane: pane, isFocused: isFocused, isPadded: isPadded, look: look)
                .draw(in: rows, into: &grid)
        }
        let inside = isPadded ? strip.inset(left: 1, right: 1) : strip
        return PaneStrip(pane: pane, now: now, look: look).draw(in: inside, into: &grid)
    }
}
