import Apus
import Documents
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
                "Nothing has run yet. Requests show their progress here.",
                in: area,
                style: look[.textMuted]
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

/// Where things stand in the rows of the progress, for a width.
///
/// ```
/// GET   /big?megabytes=200   ████████████▌      124.0 / 200.0 MB   310 MB/s   0.4 s left
/// tag   target               gauge              amount             rate       left
/// ```
struct ProgressColumns: Equatable {
    /// Each begins at the sum of those before it; 0 where there is no room for it.
    var tag = 6
    var target = 0
    var gauge = 0
    var amount = 0
    var rate = 0
    var left = 0

    static let gap = 2

    init(width: Int) {
        target = max(8, min(36, width * 24 / 100))
        amount = width >= 50 ? 17 : 0
        rate = width >= 72 ? 9 : 0
        left = width >= 92 ? 12 : 0
        let texts = [amount, rate, left].reduce(0) { $0 + ($1 > 0 ? $1 + Self.gap : 0) }
        gauge = max(0, min(80, width - tag - target - Self.gap - texts))
        if gauge < 4 { gauge = 0 }
        // What a gauge leaves where there is none is the target's.
        if gauge == 0 { target = max(0, width - tag - Self.gap - texts) }
    }

    /// Where the gauge begins.
    var gaugeStart: Int { tag + target + Self.gap }
    /// Where the texts after the gauge begin.
    var textStart: Int { gaugeStart + gauge + Self.gap }
}
