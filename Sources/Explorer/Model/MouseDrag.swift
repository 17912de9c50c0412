import Terminal

/// What the mouse is dragging.
enum MouseDrag: Equatable {
    /// A border, and the pointer's distance from it. Until the border moves, the press may turn out to be a click.
    case border(PaneBorder, distance: Int, isMoved: Bool = false)
    /// The thumb of a scrollbar, and how many rows below its top the pointer is.
    case thumb(PaneScrollbar.Owner, grip: Int)
}

/// A scrollbar on the screen.
struct PaneScrollbar {
    /// What it scrolls.
    enum Owner: Equatable {
        case pane(Focus)
        case picker
        /// The help.
        case page
    }

    let owner: Owner
    /// Its column, as high as the rows beside it.
    let column: Rect
    let visible: Range<Int>
    let total: Int

    init?(_ owner: Owner, beside area: Rect, _ visible: Range<Int>, of total: Int) {
        guard !area.isEmpty, Scrollbar.thumb(visible, of: total, rows: area.rows) != nil else {
            return nil
        }
        self.owner = owner
        column = Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows)
        (self.visible, self.total) = (visible, total)
    }
}
