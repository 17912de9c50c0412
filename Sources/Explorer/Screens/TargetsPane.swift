import Apus
import Terminal

/// The list at the left: groups, targets, batches and chains with their states.
struct TargetsPane {
    let model: Model
    let layout: Layout
    let look: Look

    private var isFocused: Bool { model.focus == .targets }
    private var list: TargetList { model.list }

    /// Draws it; returns where the filter's cursor stands while it is typed.
    func draw(into grid: inout Grid) -> Point? {
        let pane = layout.targets
        guard !pane.isEmpty else { return nil }
        let frame = PaneFrame(
            title: title,
            trailing: trailing,
            footTrailing: place,
            isFocused: isFocused && model.help == nil,
            isFramed: layout.isFramed
        )
        let inside = frame.draw(in: pane, into: &grid, look: look)
        if list.rows.isEmpty {
            Paragraph(parts: [.init(text: emptyText, style: look[.textMuted])])
                .draw(in: inside.inset(left: 1, right: 1), into: &grid)
        }
        drawRows(in: inside, into: &grid)
        return drawFilter(in: pane, into: &grid)
    }

    private var title: [StyledText] {
        [StyledText("Targets", look[isFocused ? .paneTitleFocused : .paneTitle])]
    }

    private var trailing: StyledText {
        layout.isFramed
            ? StyledText(Readable.count(list.targetCount), look[.textMuted])
            : StyledText(model.sourceChoice.title(for: model.selectedSource), look[.textAccent])
    }

    /// Where the cursor is in the list, when there is more than is seen.
    private var place: StyledText {
        guard list.filter == nil, list.rows.count > layout.inside(layout.targets).rows else {
            return StyledText()
        }
        let text = "\(list.scroll.selection + 1) of \(list.rows.count)"
        return StyledText(text, look[.textMuted])
    }

    private var emptyText: String {
        list.filter == nil
            ? "This workspace has no targets yet." : "No target matches. Esc clears the filter."
    }

    private func drawRows(in area: Rect, into grid: inout Grid) {
        var scroll = list.scroll
        scroll.update(count: list.rows.count, height: area.rows)
        for (line, index) in scroll.visible.enumerated() where list.rows.indices.contains(index) {
            let row = area.row(line)
            TargetRow(row: list.rows[index], model: model, look: look)
                .draw(in: row.inset(left: layout.isFramed ? 1 : 0, right: 1), into: &grid)
            if index == scroll.selection {
                grid.overlay(row, isFocused ? .selection : .selectionInactive, theme: look.theme)
            }
        }
        if layout.isFramed, list.rows.count > area.rows {
            Scrollbar.draw(
                offset: scroll.offset,
                visible: area.rows,
                total: list.rows.count,
                in: Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows),
                into: &grid,
                look: look,
                style: look[isFocused ? .borderFocused : .border]
            )
        }
    }

    /// The filter stands in the lower border, so that the list keeps its rows;
    /// without a border it takes the title's place.
    private func drawFilter(in pane: Rect, into grid: inout Grid) -> Point? {
        guard let filter = list.filter else { return nil }
        let line = pane.row(layout.isFramed ? pane.rows - 1 : 0)
        let room = layout.isFramed ? line.inset(left: 2, right: 2) : line
        guard room.columns > 4 else { return nil }
        let label = grid.draw(
            layout.isFramed ? " / " : "/ ",
            x: room.x,
            y: room.y,
            style: look[list.isTypingFilter ? .key : .keyHint]
        )
        let field = room.inset(left: label, right: layout.isFramed ? 1 : 0)
        return filter.draw(in: field, into: &grid, look: look, isFocused: list.isTypingFilter)
    }
}
