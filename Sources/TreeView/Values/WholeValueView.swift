import Documents
package import Terminal

/// One value over the panes: its path, its size, and its decoded form or its text in wrapped lines.
package struct WholeValueView {
    let value: WholeValue
    let isFramed: Bool
    let now: Duration
    let clock: WallClock
    let look: Look

    /// Makes the view.
    package init(
        value: WholeValue,
        isFramed: Bool,
        now: Duration,
        clock: WallClock,
        look: Look
    ) {
        self.value = value
        self.isFramed = isFramed
        self.now = now
        self.clock = clock
        self.look = look
    }

    package func draw(in rect: Rect, into grid: inout Grid) {
        if let inner = value.pane?.wholeValue {
            WholeValueView(value: inner, isFramed: isFramed, now: now, clock: clock, look: look)
                .draw(in: rect, into: &grid)
            return
        }
        grid.fill(rect, style: look[.text])
        PaneFrame(
            title: [StyledText(shownPath(in: rect), look[.paneTitleFocused])],
            trailing: StyledText(size, look[.textMuted]),
            footTrailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: isFramed
        ).draw(in: rect, into: &grid, look: look)
        let whole = rect.textArea(isFramed: isFramed)
        drawFacts(in: whole, into: &grid)
        let area = whole.inset(top: value.factRows)
        guard value.text != nil else {
            let line = "\(look.spinner(at: now)) decoding \(size)\(look.symbols.ellipsis)"
            grid.draw(line, in: area, style: look[.textMuted])
            return
        }
        if let pane = value.pane {
            // The rows take a column at each side for their padding.
            BodyRows(pane: pane, isFocused: true, isPadded: isFramed, look: look)
                .draw(in: isFramed ? area.inset(left: -1, right: -1) : area, into: &grid)
            return
        }
        let style = look[value.kind == .string ? .text : .treeNumber]
        for (line, text) in value.rows.prefix(area.rows).enumerated() {
            grid.draw(text, in: area.row(line), style: style)
        }
        guard isFramed else { return }
        let border = area.inset(right: -1)
        Scrollbar.draw(
            value.visible,
            of: value.text?.count ?? 0,
            beside: border,
            into: &grid,
            look: look
        )
    }

    private func drawFacts(in area: Rect, into grid: inout Grid) {
        let lines = value.facts.map { $0.line(clock) }
        let names = lines.map { TextWidth.columns(of: $0.name) }.max() ?? 0
        for (line, fact) in lines.prefix(max(0, value.factRows - 1)).enumerated() {
            let row = area.row(line)
            grid.draw(fact.name, in: row, style: look[.textMuted])
            let isOver = fact.name == "expired"
            grid.draw(
                StyledText(fact.text, look[isOver ? .warning : .text]),
                in: row.inset(left: names + 2)
            )
        }
    }

    private func shownPath(in rect: Rect) -> String {
        let room = rect.columns - TextWidth.columns(of: size) - (isFramed ? 9 : 2)
        return TextWidth.cut(value.path, to: room, .start, ellipsis: look.symbols.ellipsis)
    }

    /// `string · 1.2 kB`, `JWT · 412 B`.
    private var size: String {
        let bytes = value.decoded == nil ? value.text?.count : nil
        let written = value.kind == .string ? "string" : nil
        let kind = value.isWritten ? written : value.decoded?.name ?? written
        return (kind.map { "\($0)\(look.separator)" } ?? "")
            + Readable.bytes(bytes ?? value.sourceLength)
    }

    /// The position of the last visible byte, in percent; empty if the whole text is visible.
    private var place: String {
        guard value.pane == nil, let text = value.text, text.count > 0 else { return "" }
        let visible = value.visible
        guard visible.lowerBound > 0 || visible.upperBound < text.count else { return "" }
        return visible.upperBound == text.count
            ? "end" : "\(visible.upperBound * 100 / text.count) %"
    }
}
