import Apus
import Terminal

/// What runs and has run: a row for each, those that go on first.
struct ProgressPane {
    let model: Model
    let layout: Layout
    let look: Look

    private var isFocused: Bool { model.focus == .progress }

    func draw(into grid: inout Grid) {
        let pane = layout.progress
        guard !pane.isEmpty else { return }
        let inside = drawFrame(in: pane, into: &grid)
        let area = inside.inset(left: 1, right: layout.isFramed ? 1 : 0)
        guard !model.runs.runs.isEmpty else {
            grid.draw(
                "Nothing has run yet. What runs shows its progress here.",
                x: area.x,
                y: area.y,
                width: area.columns,
                style: look[.textMuted],
                cut: .end
            )
            return
        }
        let columns = ProgressColumns(width: area.columns)
        for (line, run) in shownRuns(area.rows).enumerated() {
            ProgressRow(run: run, columns: columns, now: model.now.uptime, look: look)
                .draw(in: area.row(line), into: &grid)
        }
    }

    /// Running ones in the order that they began, then ended ones, the newest first.
    private func shownRuns(_ rows: Int) -> [Run] {
        var shown: [Run] = []
        for run in model.runs.runs where run.isRunning && shown.count < rows { shown.append(run) }
        for run in model.runs.runs.reversed() where !run.isRunning && shown.count < rows {
            shown.append(run)
        }
        return shown
    }

    private func drawFrame(in pane: Rect, into grid: inout Grid) -> Rect {
        let hasTitle = layout.progressIsFramed || !layout.isFramed
        // Between two panes without a border there is nothing to separate.
        guard hasTitle else { return pane }
        let frame = PaneFrame(
            title: [StyledText("Progress", look[isFocused ? .paneTitleFocused : .paneTitle])],
            trailing: StyledText(tally, look[.textMuted]),
            isFocused: isFocused,
            isFramed: layout.progressIsFramed
        )
        return frame.draw(in: pane, into: &grid, look: look)
    }

    private var tally: String {
        let running = model.runs.runningCount
        let ended = model.runs.endedCount
        let pieces = [
            running > 0 ? "\(Readable.count(running)) running" : nil,
            ended > 0 ? "\(Readable.count(ended)) done" : nil,
        ]
        return pieces.compactMap(\.self).joined(separator: look.separator)
    }
}
