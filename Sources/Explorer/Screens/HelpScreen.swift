import Terminal

/// All keys, made from the one table, in as many columns as there is room for.
struct HelpScreen {
    let size: Size
    /// The places whose keys it lists.
    let places: [KeyBinding.Place]
    let view: HelpView
    let look: Look

    /// A line of the help.
    private enum Line {
        case title(String)
        case binding(keys: String, text: String)
        case blank
    }

    private static let columnWidth = 54
    private static let gap = 2

    /// What the footer says while it is open.
    static let hints: [FooterHints.Hint] = [
        .init("esc", "close"), .init("up down", "scroll"), .init("pgdn", "page"),
    ]

    /// The rows of a page.
    static func pageRows(size: Size) -> Int {
        area(size: size).rows
    }

    /// The last offset that leaves no empty page.
    static func maximumOffset(size: Size, places: [KeyBinding.Place]) -> Int {
        let area = area(size: size)
        let longest = columns(of: places, width: area.columns).map(\.count).max() ?? 0
        return max(0, longest - area.rows)
    }

    func draw(into grid: inout Grid) {
        let rect = Self.rect(size: size)
        let area = Self.area(size: size)
        let columns = Self.columns(of: places, width: area.columns)
        let last = Self.maximumOffset(size: size, places: places)
        let offset = min(max(0, view.offset), last)
        let trailing = last > 0 ? "\(offset + area.rows) of \(last + area.rows)" : ""
        PaneFrame(
            title: [StyledText("Keys", look[.paneTitleFocused])],
            trailing: StyledText(trailing, look[.textMuted]),
            isFocused: true,
            isFramed: Self.isFramed(size)
        ).draw(in: rect, into: &grid, look: look)
        guard !area.isEmpty else { return }
        for (lines, place) in zip(columns, area.columnsSplit(columns.map(Self.width))) {
            draw(
                lines.dropFirst(offset).prefix(place.rows),
                keyColumns: Self.keyColumns(lines),
                in: place,
                into: &grid
            )
        }
        Scrollbar.draw(
            offset: offset,
            visible: area.rows,
            total: last + area.rows,
            in: Rect(x: rect.maxX - 1, y: area.y, columns: 1, rows: area.rows),
            into: &grid,
            look: look,
            style: look[.borderFocused]
        )
    }

    private func draw(
        _ lines: ArraySlice<Line>,
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
                grid.draw(text, x: row.x, y: row.y, width: row.columns, style: look[.title])
            case .binding(let keys, let text):
                grid.draw(
                    keys,
                    x: row.x,
                    y: row.y,
                    width: max(0, keyColumns - 1),
                    style: look[.helpKey],
                    cut: .end
                )
                grid.draw(
                    text,
                    x: row.x + keyColumns,
                    y: row.y,
                    width: max(0, row.columns - keyColumns - 1),
                    style: look[.helpText],
                    cut: .end
                )
            }
        }
    }

    /// The columns of the widest keys among the lines, and a gap.
    private static func keyColumns(_ lines: [Line]) -> Int {
        let widest = lines.map { line in
            if case .binding(let keys, _) = line { TextWidth.columns(of: keys) } else { 0 }
        }
        return (widest.max() ?? 0) + gap
    }

    /// What a column would like to have.
    private static func width(_ lines: [Line]) -> Int {
        let texts = lines.map { line in
            if case .binding(_, let text) = line { TextWidth.columns(of: text) } else { 0 }
        }
        return keyColumns(lines) + (texts.max() ?? 0) + gap
    }

    private static func isFramed(_ size: Size) -> Bool { size.columns >= 60 && size.rows >= 14 }

    private static func rect(size: Size) -> Rect {
        let (all, _) = Rect(size: size).splitBottom(1)
        return isFramed(size) ? all.inset(top: 1) : all
    }

    private static func area(size: Size) -> Rect {
        let rect = rect(size: size)
        return isFramed(size)
            ? rect.inset(left: 2, top: 1, right: 1, bottom: 1)
            : rect.inset(top: 1, right: 1)
    }

    /// The sections in columns: a section goes to the column that is shortest so far.
    private static func columns(of places: [KeyBinding.Place], width: Int) -> [[Line]] {
        let sections = places.map(section)
        let count = min(sections.count, max(1, width / columnWidth))
        var columns = Array(repeating: [Line](), count: count)
        for section in sections {
            let lengths = columns.map(\.count)
            let shortest = lengths.indices.min { lengths[$0] < lengths[$1] } ?? 0
            if !columns[shortest].isEmpty { columns[shortest].append(.blank) }
            columns[shortest] += section
        }
        return columns
    }

    private static func section(_ place: KeyBinding.Place) -> [Line] {
        [.title(place.rawValue)]
            + KeyTable.bindings.filter { $0.place == place }.map { binding in
                .binding(keys: binding.shownKeys, text: binding.help)
            }
    }
}
