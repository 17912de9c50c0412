import Documents
import Terminal
import TreeView

/// One side of two compared bodies; its rows are next to those of the other side.
struct ComparedRows {
    let comparison: Comparison
    /// The pane of this side, which may be asking what to copy.
    let pane: DocumentPane
    let side: PaneSide
    /// Whether rows of the other side are shown here too, because its pane is not shown.
    let isAlone: Bool
    let isFocused: Bool
    /// Whether a column at each side stays blank.
    let isPadded: Bool
    let now: Duration
    let keys: KeyTable
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        let (above, strip) = area.splitBottom(min(Comparison.footRows, area.rows))
        let inside = isPadded ? above.inset(left: 1, right: 1) : above
        if let rows = comparison.rows {
            draw(rows, in: inside, into: &grid)
            drawCursor(in: above, into: &grid)
            drawScrollbar(rows.rowCount, in: above, into: &grid)
        } else {
            let text = "\(look.spinner(at: now)) comparing"
            grid.draw(text, in: inside, style: look[.textMuted])
        }
        let line = isPadded ? strip.inset(left: 1, right: 1) : strip
        if pane.isCopying {
            _ = PromptBar(pane: pane, now: now, keys: keys, look: look).draw(in: line, into: &grid)
        } else {
            drawStrip(in: line, into: &grid)
        }
    }

    private func draw(_ rows: AlignedRows, in area: Rect, into grid: inout Grid) {
        let visible = comparison.scroll.visible.prefix(area.rows)
        let aligned = rows.rows(in: visible, textLimit: max(16, area.columns * 4))
        let shown = aligned.map { row(of: $0) }
        let view = TreeRowView(
            rows: aligned.flatMap { [$0.left, $0.right].compactMap(\.self) },
            columns: area.columns,
            look: look
        )
        for (line, row) in shown.enumerated() {
            guard let row else { continue }
            let places = view.draw(
                row,
                mark: mark(aligned[line]),
                in: area.row(line),
                into: &grid
            )
            drawHidden(aligned[line].hiddenBefore, after: places, in: area.row(line), &grid)
        }
    }

    /// Draws `… 7 equal` at the right, the number of equal rows that are left out above the row.
    private func drawHidden(
        _ count: Int,
        after places: TreeRowView.Places,
        in row: Rect,
        _ grid: inout Grid
    ) {
        guard count > 0 else { return }
        let text = "\(look.symbols.ellipsis) \(Readable.count(count)) equal"
        let used = max(places.key.maxX, places.value.maxX)
        guard used + 2 + TextWidth.columns(of: text) <= row.maxX else { return }
        grid.draw(text, endingAt: row.maxX, y: row.y, style: look[.textMuted])
    }

    private func row(of aligned: AlignedRow) -> TreeRow? {
        let own = side == .cache ? aligned.left : aligned.right
        let other = side == .cache ? aligned.right : aligned.left
        guard var own else { return isAlone ? other : nil }
        if let other, let apart = LookAlike.spelled(own.value, other.value) { own.value = apart.a }
        return own
    }

    private func mark(_ row: AlignedRow) -> RowMark? {
        switch row.mark {
        case .added: RowMark(sign: look.symbols.plus, style: look[.diffAdded])
        case .removed: RowMark(sign: look.symbols.minus, style: look[.diffRemoved])
        case .changed: RowMark(sign: look.symbols.tilde, style: look[.diffChanged])
        case .moved: RowMark(sign: look.symbols.moved, style: look[.diffMoved])
        case .equal, .containsChanges, .ignored: nil
        }
    }

    private func drawCursor(in area: Rect, into grid: inout Grid) {
        let row = area.row(comparison.scroll.selection - comparison.scroll.offset)
        grid.overlay(row, isFocused ? .selection : .selectionInactive, theme: look.theme)
    }

    private func drawScrollbar(_ count: Int, in area: Rect, into grid: inout Grid) {
        guard isPadded else { return }
        Scrollbar.draw(
            comparison.scroll.visible,
            of: count,
            beside: area,
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    // MARK: The strip

    /// Draws `d  3 differences   n next` on the first side, and the kinds of differences on the other.
    private func drawStrip(in row: Rect, into grid: inout Grid) {
        guard let diff = comparison.rows?.diff else { return }
        let isFirst = side == .cache || isAlone
        let leading = isFirst ? total(of: diff) : kinds(of: diff)
        var trailing: [StyledText] = []
        if isFirst, comparison.rows?.isFiltered == true {
            trailing.append(StyledText("equal rows folded", look[.textMuted]))
        }
        if diff.isPartial {
            let text = isFirst ? "incomplete" : ""
            if !text.isEmpty { trailing.append(StyledText(text, look[.warning])) }
        }
        FittingLine(leading: leading, trailing: trailing).draw(in: row, into: &grid)
    }

    private func total(of diff: DocumentDiff) -> [StyledText] {
        let count = diff.differences.count
        var line = StyledText("d ", look[.key])
        guard count > 0 else {
            line.append("no differences", look[.statusSuccess])
            return [line]
        }
        let place = comparison.currentDifference.map { "\(Readable.count($0)) of " } ?? ""
        let noun = count == 1 ? "difference" : "differences"
        line.append("\(place)\(Readable.count(count)) \(noun)", look[.textAccent])
        var next = StyledText("n ", look[.key])
        next.append("next", look[.keyHint])
        return [line, next]
    }

    private func kinds(of diff: DocumentDiff) -> [StyledText] {
        let counts = diff.counts
        let all: [(Unicode.Scalar, Int, String, Scope)] = [
            (look.symbols.plus, counts.added, "added", .diffAdded),
            (look.symbols.minus, counts.removed, "removed", .diffRemoved),
            (look.symbols.tilde, counts.changed, "changed", .diffChanged),
            (look.symbols.moved, counts.moved, "moved", .diffMoved),
        ]
        return all.filter { $0.1 > 0 }.map { sign, count, word, scope in
            StyledText("\(sign) \(Readable.count(count)) \(word)", look[scope])
        }
    }
}
