import Documents
package import Terminal

/// The visible rows of a pane: a tree, lines of text, or bytes.
struct BodyRows {
    let pane: DocumentPane
    let isFocused: Bool
    /// Whether a column at each side stays blank.
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty, let body = pane.body else { return }
        var scroll = pane.scroll
        scroll.update(count: body.rowCount, height: area.rows)
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        if pane.showsWrapped { return drawWrapped(in: inside, of: area, into: &grid) }
        // A scalar has at most four bytes, so four bytes per column fill a row.
        let rows = body.rows(
            in: scroll.visible,
            textLimit: max(16, inside.columns * 4),
            textOffset: pane.textOffset
        )
        let places = drawRows(rows, in: inside, into: &grid)
        if !rows.isEmpty, isFocused {
            let row = area.row(scroll.selection - scroll.offset)
            grid.overlay(row, .selection, theme: look.theme)
        }
        let current = scroll.selection - scroll.offset
        for (line, place) in places.enumerated() {
            highlight(rows[line], at: place, isCurrent: line == current, into: &grid)
        }
        guard isPadded else { return }
        Scrollbar.draw(
            scroll.visible,
            of: body.rowCount,
            beside: area,
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    /// Draws lines that are wrapped; the number stands before the first row of each.
    private func drawWrapped(in inside: Rect, of area: Rect, into grid: inout Grid) {
        let rows = pane.wrappedRows(height: area.rows)
        let view = TextRowView(columns: pane.numberColumns(in: inside.columns), look: look)
        for (line, row) in rows.enumerated() {
            let isCurrent = row.place == pane.wrapped.row
            let place = view.draw(row.row, number: row.number, in: inside.row(line), into: &grid)
            if isCurrent, isFocused {
                grid.overlay(area.row(line), .selection, theme: look.theme)
            }
            guard case .search(let search)? = pane.findings else { continue }
            grid.overlay(
                search.engine.highlights(in: row.row),
                of: row.row.text,
                at: place,
                isCurrent ? .matchCurrent : .match,
                theme: look.theme
            )
        }
        guard isPadded, let first = rows.first, let last = rows.last, let text = pane.wrappedText
        else { return }
        Scrollbar.draw(
            first.place.offset..<max(first.place.offset + 1, last.row.range.upperBound),
            of: text.count,
            beside: area,
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    private func drawRows(
        _ rows: [BodyRow],
        in area: Rect,
        into grid: inout Grid
    ) -> [TreeRowView.Places] {
        let treeRows = rows.compactMap { if case .tree(let row) = $0 { row } else { nil } }
        let tree = TreeRowView(rows: treeRows, columns: area.columns, look: look)
        let text = TextRowView(rows: rows, offset: pane.textOffset, look: look)
        return rows.prefix(area.rows).enumerated().map { line, row in
            var places = TreeRowView.Places()
            switch row {
            case .tree(let row):
                places = tree.draw(row, mark: mark(row), in: area.row(line), into: &grid)
            case .fault(let row):
                FaultRowView(words: pane.words(of: row.fault), look: look)
                    .draw(row, in: area.row(line), into: &grid)
            case .text(let row): places.value = text.draw(row, in: area.row(line), into: &grid)
            case .hex(let row): HexRowView(look: look).draw(row, in: area.row(line), into: &grid)
            }
            return places
        }
    }

    /// The mark of a value that is not as expected, or that was kept although it is irregular.
    private func mark(_ row: TreeRow) -> RowMark? {
        if pane.unexpected.contains(row.node) {
            return RowMark(sign: look.symbols.crossMark, style: look[.statusFailure])
        }
        guard pane.body?.document?.isIrregular(row.node) == true else { return nil }
        return RowMark(sign: "!", style: look[.warning])
    }

    /// Highlights the matches in a row.
    private func highlight(
        _ row: BodyRow,
        at places: TreeRowView.Places,
        isCurrent: Bool,
        into grid: inout Grid
    ) {
        let overlay: Overlay = isCurrent ? .matchCurrent : .match
        switch (pane.findings, row) {
        case (.search(let search)?, .tree(let row)):
            let found = search.engine.highlights(in: row)
            grid.overlay(found.key, of: row.key ?? "", at: places.key, overlay, theme: look.theme)
            grid.overlay(found.value, of: row.value, at: places.value, overlay, theme: look.theme)
        case (.search(let search)?, .text(let row)):
            let found = search.engine.highlights(in: row, textOffset: pane.textOffset)
            grid.overlay(found, of: row.text, at: places.value, overlay, theme: look.theme)
        case (.query(let query)?, .tree(let row)) where query.contains(row.node):
            let place = places.key.isEmpty ? places.value : places.key
            grid.overlay(place, overlay, theme: look.theme)
        default: break
        }
    }
}

extension Grid {
    /// Lays an overlay over ranges of UTF-8 bytes of a text that is drawn from the left edge of a place.
    package mutating func overlay(
        _ ranges: [Range<Int>],
        of text: String,
        at place: Rect,
        _ overlay: Overlay,
        theme: Theme
    ) {
        guard !ranges.isEmpty, !place.isEmpty else { return }
        var text = text
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            for range in ranges {
                let range = range.clamped(to: 0..<bytes.count)
                let columns = TextWidth.columns(ofUTF8: bytes, in: range)
                let marked = Rect(
                    x: place.x + columns.lowerBound,
                    y: place.y,
                    columns: columns.count,
                    rows: 1
                )
                self.overlay(marked.intersection(place), overlay, theme: theme)
            }
        }
    }
}

/// A syntax error in a tree: what is wrong, and the text there.
struct FaultRowView {
    let words: String
    let look: Look

    func draw(_ row: FaultRow, in area: Rect, into grid: inout Grid) {
        let start = TreeRowView.indentation(atDepth: row.depth)
        var line = StyledText("\(look.symbols.crossMark) \(words)", look[.error])
        if !row.text.isEmpty { line.append("  \(row.text)", look[.textMuted]) }
        grid.draw(line, in: area.inset(left: min(start, area.columns / 3)))
    }
}

/// A line of text with its number.
struct TextRowView {
    let look: Look
    private let numberColumns: Int
    /// Whether the beginning of the lines is to the left of the pane.
    private var isScrolled = false

    /// Makes the numbers as wide as that of the last visible line.
    init(rows: [BodyRow], offset: Int, look: Look) {
        self.look = look
        isScrolled = offset > 0
        guard case .text(let last)? = rows.last else {
            numberColumns = 0
            return
        }
        numberColumns = max(3, String(last.number).count)
    }

    /// Makes a view whose numbers and the blank after them take so many columns.
    init(columns: Int, look: Look) {
        self.look = look
        numberColumns = columns - 1
    }

    /// Draws a row of a wrapped line; returns the place of its text.
    func draw(_ row: TextRow, number: Int?, in area: Rect, into grid: inout Grid) -> Rect {
        if let number, numberColumns > 0 {
            grid.draw(
                String(number),
                endingAt: area.x + numberColumns,
                y: area.y,
                style: look[.textMuted]
            )
        }
        let start = max(0, numberColumns + 1)
        let columns = grid.draw(
            row.text,
            in: area.inset(left: start),
            style: look[.text],
            cut: .none
        )
        return Rect(x: area.x + start, y: area.y, columns: columns, rows: area.rows)
    }

    /// Draws a line; returns the place of its text.
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
            // What is to the left of the pane is told where the blank would be.
            if isScrolled, !row.range.isEmpty {
                grid.put(
                    look.symbols.ellipsis,
                    x: area.x + numberColumns,
                    y: area.y,
                    style: look[.textMuted]
                )
            }
        }
        let text = row.isCut ? row.text + String(look.symbols.ellipsis) : row.text
        let columns = grid.draw(text, in: area.inset(left: start), style: look[.text])
        return Rect(x: area.x + start, y: area.y, columns: columns, rows: area.rows)
    }
}

/// Sixteen bytes: their offset, their digits, and their ASCII characters.
struct HexRowView {
    let look: Look

    func draw(_ row: HexRow, in area: Rect, into grid: inout Grid) {
        let offset = row.offsetText
        let full = offset.count + 2 + 48 + 1 + 16
        let compact = offset.count + 2 + 32
        var x = area.x
        let width = area.columns
        // With less room, the spaces go first, then the characters, then the offset; below 32 columns only the
        // characters remain.
        if width >= compact {
            x += grid.draw(offset, x: x, y: area.y, width: width, style: look[.textMuted]) + 2
        }
        if width >= full {
            x += grid.draw(row.hex, in: area.from(x: x), style: look[.treeNumber])
            grid.draw(
                row.ascii,
                x: area.x + full - 16,
                y: area.y,
                width: area.maxX - x,
                style: look[.treeString]
            )
        } else if width >= 32 {
            let digits = row.hex.filter { $0 != " " }
            x += grid.draw(digits, in: area.from(x: x), style: look[.treeNumber])
            drawLetters(row, from: x, full: compact, in: area, into: &grid)
        } else {
            grid.draw(row.ascii, in: area.from(x: x), style: look[.treeString])
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
