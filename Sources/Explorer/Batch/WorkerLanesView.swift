import Documents
import Terminal
import TreeView

/// The workers of a batch, a row for each.
///
/// ```
/// alpha/4711  ██████▒▒ 6 of 8   10,012   p50 3.1 ms  p99 12 ms
/// beta/833    gone               9,480   p50 2.9 ms  p99 11 ms
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
        let names = min(24, all.map { TextWidth.columns(of: $0.name) }.max() ?? 0)
        for (line, lane) in all.prefix(area.rows).enumerated() {
            if hidden > 0, line == area.rows - 1 {
                let text = "and \(hidden + 1) more"
                grid.draw(text, in: area.row(line), style: look[.textMuted])
            } else {
                draw(lane, names: names, in: area.row(line), into: &grid)
            }
        }
    }

    private func draw(
        _ lane: WorkerLanes.Lane,
        names: Int,
        in row: Rect,
        into grid: inout Grid
    ) {
        let isHere = lane.state == .working
        grid.draw(
            lane.name,
            in: row.first(names),
            style: look[isHere ? .text : .textMuted],
            cut: .middle
        )
        var x = row.x + names + 2
        let room = row.from(x: x)
        if isHere, isRunning {
            let gauge = Rect(x: x, y: row.y, columns: min(8, max(0, room.columns - 40)), rows: 1)
            if gauge.columns > 2 {
                let fraction =
                    lane.concurrency > 0 ? Double(lane.running) / Double(lane.concurrency) : 0
                Gauge.draw(
                    fraction: min(1, fraction),
                    in: gauge,
                    into: &grid,
                    look: look,
                    fill: look[.gaugeFill]
                )
                x += gauge.columns + 1
            }
        }
        var pieces: [StyledText] = []
        switch lane.state {
        case .working:
            if isRunning {
                pieces.append(
                    StyledText("\(lane.running) of \(lane.concurrency)", look[.textMuted])
                )
            }
        case .left: pieces.append(StyledText(isRunning ? "left" : "", look[.textMuted]))
        case .lost: pieces.append(StyledText("gone", look[.warning]))
        }
        pieces.append(StyledText("\(Readable.count(lane.ended)) done", look[.text]))
        if lane.failed > 0 {
            pieces.append(StyledText("\(Readable.count(lane.failed)) failed", look[.statusFailure]))
        }
        for (name, percent) in [("p50", 50.0), ("p99", 99)] {
            guard let time = lane.latency.percentile(percent) else { continue }
            pieces.append(StyledText("\(name) \(Readable.duration(time))", look[.textMuted]))
        }
        FittingLine(
            leading: pieces.filter { !$0.isEmpty },
            gap: StyledText("  ", look[.text])
        ).draw(in: row.from(x: x), into: &grid)
    }
}
