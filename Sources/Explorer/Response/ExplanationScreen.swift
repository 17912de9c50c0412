import Terminal
import TreeView

/// The explanation of the cache's decision, over the panes.
struct ExplanationScreen: ScreenView {
    let context: ScreenContext
    let scroll: PageScroll

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        let area = layout.inside
        grid.fill(layout.frame, style: look[.text])
        let lines = model.explanationLines(columns: area.columns)
        let offset = min(max(0, scroll.offset), max(0, lines.count - area.rows))
        let end = min(lines.count, offset + area.rows)
        let place = lines.count > area.rows ? "\(end) of \(lines.count)" : ""
        let title = ["Why"] + (model.targets.selected.map { [$0.name] } ?? [])
        PaneFrame(
            title: title.map { StyledText($0, look[.paneTitleFocused]) },
            trailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        for (row, line) in lines[offset..<end].enumerated() {
            draw(line, in: area.row(row), into: &grid)
        }
    }

    private func draw(_ line: Explanation.Line, in row: Rect, into grid: inout Grid) {
        let text = row.inset(left: 2)
        switch line.subject {
        case .title: grid.draw(line.text, in: row, style: look[.title])
        case .course(let fresh, let now): drawCourse(fresh, now, in: row, into: &grid)
        case .holds:
            draw(line.text, .text, after: look.symbols.check, .statusSuccess, in: row, into: &grid)
        case .fails:
            draw(line.text, .text, after: look.symbols.crossMark, .warning, in: row, into: &grid)
        case .decision:
            draw(
                line.text,
                .textAccent,
                after: look.symbols.chain,
                .textAccent,
                in: row,
                into: &grid
            )
        case .response:
            draw(
                line.text,
                .sourceServer,
                after: look.symbols.chain,
                .sourceServer,
                in: row,
                into: &grid
            )
        case .detail: grid.draw(line.text, in: text, style: look[.textMuted])
        }
        grid.draw(line.section, endingAt: row.maxX, y: row.y, style: look[.textMuted])
    }

    private func draw(
        _ text: String,
        _ scope: Scope,
        after sign: Unicode.Scalar,
        _ signScope: Scope,
        in row: Rect,
        into grid: inout Grid
    ) {
        grid.put(sign, x: row.x, y: row.y, style: look[signScope])
        grid.draw(text, in: row.inset(left: 2), style: look[scope])
    }

    /// Draws a time line from when the response was stored to now, or to the end of its freshness if that is later.
    private func drawCourse(_ fresh: Double, _ now: Double, in row: Rect, into grid: inout Grid) {
        let line = row.inset(left: 2).first(64)
        guard line.columns > 2 else { return }
        func place(_ share: Double) -> Int {
            Int((min(1, max(0, share)) * Double(line.columns - 1)).rounded())
        }
        grid.fill(line, with: look.symbols.middleDot, style: look[.freshnessStale])
        grid.fill(
            line.first(place(fresh) + (fresh > 0 ? 1 : 0)),
            with: look.symbols.horizontal,
            style: look[.freshnessFresh]
        )
        grid.put(look.symbols.recording, x: line.x + place(now), y: row.y, style: look[.textAccent])
    }
}
