import Documents
import Terminal
import TreeView

/// The workers of a batch, a row for each.
///
/// ```
/// alpha/4711  6 of 8  10,012 done  p50 3.1 ms  p99 12 ms
/// beta/833    gone     9,480 done  p50 2.9 ms  p99 11 ms
/// ```
struct WorkerLanesView {
    let lanes: WorkerLanes
    /// Where they get the batch.
    let address: String
    let isRunning: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        let all = lanes.lanes
        guard !all.isEmpty else {
            guard isRunning else { return }
            let text = "No worker is there yet. Where the same files are: apus work \(address)"
            grid.draw(text, in: area.row(0), style: look[.warning], cut: .end)
            return
        }
        let hidden = all.count - area.rows
        let widths = (
            name: min(24, all.map { TextWidth.columns(of: $0.name) }.max() ?? 0),
            state: all.map { state(of: $0).columns }.max() ?? 0,
            count: all.map { Readable.count($0.ended).count }.max() ?? 0
        )
        for (line, lane) in all.prefix(area.rows).enumerated() {
            let row = area.row(line)
            if hidden > 0, line == area.rows - 1 {
                grid.draw("and \(hidden + 1) more", in: row, style: look[.textMuted])
            } else {
                draw(lane, widths, in: row, into: &grid)
            }
        }
    }

    private func draw(
        _ lane: WorkerLanes.Lane,
        _ widths: (name: Int, state: Int, count: Int),
        in row: Rect,
        into grid: inout Grid
    ) {
        let style = look[lane.state == .working ? .text : .textMuted]
        grid.draw(lane.name, in: row.first(widths.name), style: style, cut: .middle)
        var x = row.x + widths.name + 2
        if widths.state > 0 {
            grid.draw(state(of: lane), in: row.from(x: x))
            x += widths.state + 2
        }
        let count = TextWidth.padded(
            Readable.count(lane.ended),
            to: widths.count,
            alignment: .trailing
        )
        var pieces = [StyledText("\(count) done", look[.text])]
        if lane.failed > 0 {
            pieces.append(StyledText("\(Readable.count(lane.failed)) failed", look[.statusFailure]))
        }
        for (name, percent) in [("p50", 50.0), ("p99", 99)] {
            guard let time = lane.latency.percentile(percent) else { continue }
            pieces.append(StyledText("\(name) \(Readable.duration(time))", look[.textMuted]))
        }
        FittingLine(leading: pieces, gap: StyledText("  ", look[.text]))
            .draw(in: row.from(x: x), into: &grid)
    }

    /// What a worker does now: `6 of 8` requests at once, or that it is not there any more.
    private func state(of lane: WorkerLanes.Lane) -> StyledText {
        switch lane.state {
        case .working where isRunning:
            StyledText("\(lane.running) of \(lane.concurrency)", look[.textMuted])
        case .working: StyledText()
        case .left: StyledText(isRunning ? "left" : "", look[.textMuted])
        case .lost: StyledText("gone", look[.warning])
        }
    }
}
