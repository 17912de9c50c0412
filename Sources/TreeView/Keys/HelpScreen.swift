package import Terminal

/// All keys, over the panes.
package struct HelpScreen {
    let size: Size
    let keys: KeyTable
    /// The places whose keys it lists.
    let places: [KeyBinding.Place]
    let scroll: PageScroll
    /// The line of a search that begins; nil if there is none.
    var filter: ListFilter?
    /// The title; nil for "Keys".
    var title: [StyledText]?
    let look: Look

    /// Makes the view.
    package init(
        size: Size,
        keys: KeyTable,
        places: [KeyBinding.Place],
        scroll: PageScroll,
        filter: ListFilter? = nil,
        title: [StyledText]? = nil,
        look: Look
    ) {
        self.size = size
        self.keys = keys
        self.places = places
        self.scroll = scroll
        self.filter = filter
        self.title = title
        self.look = look
    }

    private static let gap = 2

    /// The footer's hints while this or another page is open.
    package static let hints: [FooterHints.Hint] = [
        .init("esc", "close"), .init("up down", "scroll"), .init("pgdn", "page"),
    ]

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    @discardableResult
    package func draw(into grid: inout Grid) -> Point? {
        let layout = PageLayout(size: size)
        let area = layout.inside
        let text = HelpText(keys, places: places, columns: area.columns)
        let last = max(0, text.rowCount - area.rows)
        let offset = min(max(0, scroll.offset), last)
        let trailing = last > 0 ? "\(offset + area.rows) of \(text.rowCount)" : ""
        PaneFrame(
            title: title ?? [StyledText("Keys", look[.paneTitleFocused])],
            trailing: StyledText(trailing, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        guard !area.isEmpty else { return nil }
        for (lines, place) in zip(text.columns, area.columnsSplit(text.columns.map(Self.width))) {
            draw(
                lines.dropFirst(offset).prefix(place.rows),
                keyColumns: Self.keyColumns(lines),
                in: place,
                into: &grid
            )
        }
        Scrollbar.draw(
            offset..<offset + area.rows,
            of: text.rowCount,
            beside: area.inset(right: layout.isFramed ? -1 : 0),
            into: &grid,
            look: look
        )
        return FilterLine(filter: filter, isFramed: layout.isFramed, look: look)
            .draw(in: layout.frame, into: &grid)
    }

    private func draw(
        _ lines: ArraySlice<HelpText.Line>,
        keyColumns: Int,
        in area: Rect,
        into grid: inout Grid
    ) {
        let keyColumns = min(keyColumns, area.columns / 2)
        for (index, line) in lines.enumerated() {
            let row = area.row(index)
            switch line {
            case .blank: break
            case .title(let text):
                grid.draw(text, in: row, style: look[.title])
            case .binding(let keys, let text):
                grid.draw(keys, in: row.first(keyColumns - 1), style: look[.helpKey])
                grid.draw(text, in: row.inset(left: keyColumns), style: look[.helpText])
            }
        }
    }

    /// The width of the widest keys among the lines, and a gap.
    private static func keyColumns(_ lines: [HelpText.Line]) -> Int {
        let widest = lines.map { line in
            if case .binding(let keys, _) = line { TextWidth.columns(of: keys) } else { 0 }
        }
        return (widest.max() ?? 0) + gap
    }

    /// The width at which nothing in a column is cut off.
    private static func width(_ lines: [HelpText.Line]) -> Int {
        let texts = lines.map { line in
            if case .binding(_, let text) = line { TextWidth.columns(of: text) } else { 0 }
        }
        return keyColumns(lines) + (texts.max() ?? 0) + gap
    }
}

/// The scroll position of a page over the panes.
package struct PageScroll: Equatable {
    /// The first visible row.
    package var offset = 0

    /// Makes a position.
    package init(offset: Int = 0) { self.offset = offset }

    /// The position after a key; nil if the key closes the page.
    package func after(_ action: Action, page: Int, count: Int) -> PageScroll? {
        let last = max(0, count - page)
        let moved: Int
        switch action {
        case .down: moved = offset + 1
        case .up: moved = offset - 1
        case .pageDown: moved = offset + page
        case .pageUp: moved = offset - page
        case .first: moved = 0
        case .last: moved = last
        case .quit, .help, .back: return nil
        default: moved = offset
        }
        return PageScroll(offset: min(max(0, moved), last))
    }
}
