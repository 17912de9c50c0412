/// The visible rows and the selection of a list; the selection is always visible, with some rows around it.
package struct ListScroll: Hashable, Sendable {
    /// The number of rows in the list.
    package private(set) var count: Int
    /// The number of rows that the pane shows.
    package private(set) var height: Int
    /// The selected row; 0 in an empty list.
    package private(set) var selection = 0
    /// The first visible row.
    package private(set) var offset = 0
    /// The number of rows that stay visible before and after the selection.
    package var margin: Int

    /// Makes a scroll with the first row selected.
    package init(count: Int = 0, height: Int = 0, margin: Int = 2) {
        self.count = max(0, count)
        self.height = max(0, height)
        self.margin = max(0, margin)
    }

    /// The indices of the rows that are on the screen.
    package var visible: Range<Int> {
        offset..<min(count, offset + height)
    }

    /// Takes a new length of the list and height of the pane; the selection stays if that row still exists.
    package mutating func update(count: Int, height: Int) {
        self.count = max(0, count)
        self.height = max(0, height)
        select(selection)
    }

    /// Selects a row, or the nearest one that exists.
    package mutating func select(_ row: Int) {
        selection = min(max(0, row), max(0, count - 1))
        reveal()
    }

    /// Moves the selection down, or up when negative.
    package mutating func move(by rows: Int) {
        select(selection.addingReportingOverflow(rows).partialValue)
    }

    /// Selects the first row.
    package mutating func moveToFirst() {
        select(0)
    }

    /// Selects the last row.
    package mutating func moveToLast() {
        select(count - 1)
    }

    /// Moves by pages; a row of the old page stays visible.
    package mutating func page(by pages: Int) {
        move(by: pages * max(1, height - 1))
    }

    /// Scrolls as the wheel does; the selection moves only as far as needed to stay visible.
    package mutating func scroll(by rows: Int) {
        offset = min(max(0, offset + rows), max(0, count - height))
        let space = usedMargin
        let first = offset == 0 ? 0 : offset + space
        let last = offset + height >= count ? count - 1 : offset + height - 1 - space
        selection = min(max(selection, first), max(first, last))
        selection = min(max(0, selection), max(0, count - 1))
    }

    private var usedMargin: Int { min(margin, max(0, (height - 1) / 2)) }

    private mutating func reveal() {
        let space = usedMargin
        offset = min(offset, selection - space)
        offset = max(offset, selection + space - height + 1)
        offset = min(max(0, offset), max(0, count - height))
    }
}

/// The position of the visible rows among all rows, along the right border of a pane.
package enum Scrollbar {
    /// Draws the thumb in the column at the right of `area`; nothing if everything is visible.
    ///
    /// `visible` are the visible ones of `total` rows or bytes.
    package static func draw(
        _ visible: Range<Int>,
        of total: Int,
        beside area: Rect,
        isFocused: Bool = true,
        into grid: inout Grid,
        look: Look
    ) {
        guard let (place, length) = thumb(visible, of: total, rows: area.rows) else { return }
        let thumb = Rect(x: area.maxX, y: area.y + place, columns: 1, rows: length)
        let style = look.theme[isFocused ? .borderFocused : .border]
        grid.fill(thumb, with: look.symbols.scrollbarThumb, style: style)
    }

    /// The first row and the length of the thumb in a bar of `rows` rows; nil if everything is visible.
    package static func thumb(
        _ visible: Range<Int>,
        of total: Int,
        rows: Int
    ) -> (place: Int, length: Int)? {
        guard total > visible.count, !visible.isEmpty, rows > 0 else { return nil }
        let length = max(1, rows * visible.count / total)
        let way = rows - length
        let place = max(0, visible.lowerBound) * way / (total - visible.count)
        return (min(way, place), length)
    }

    /// The first visible row when the thumb's first row is `place`, from 0; the ends of the bar show the ends
    /// of the list.
    package static func first(thumbAt place: Int, of total: Int, visible: Int, rows: Int) -> Int {
        let way = rows - max(1, rows * visible / max(1, total))
        let last = max(0, total - visible)
        guard way > 0 else { return 0 }
        // Rounded up, so that the thumb stands where it was moved to.
        return min(last, (max(0, min(way, place)) * last + way - 1) / way)
    }
}
