import Apus
import Documents
import Terminal

/// The inside of a batch's pane.
///
/// ```
/// █████████████████████████▌                          64 %
///
///  1  GET /products/641  ▒▒▒▒▒  0.1 s      200   628  ██████ 98.1 %
///  2  GET /products/642  ████▌  41 kB      404     3  ▏       0.5 %
///
/// latency  1 ms ▁▂▅█▇▅▃▂▁ 620 ms   p50 11 ms  p90 34 ms  p95 48 ms
/// ```
struct BatchStatistics {
    let run: Run
    let state: BatchRunState
    let now: Duration
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        drawGauge(in: area.row(0), into: &grid)
        var rest = area.inset(top: 2)
        // What is under way comes first, then how long it took, then what failed.
        let least = min(middleRows, 5)
        let latencyRows = state.latency.count > 0 && rest.rows >= least + 3 ? 3 : 0
        let failureRows = failureRows(in: rest.rows - latencyRows - least)
        let middleRows = min(rest.rows - latencyRows - failureRows, middleRows)
        let (middle, below) = rest.splitTop(middleRows)
        drawMiddle(in: middle, into: &grid)
        rest = below
        if latencyRows > 0 {
            let (latency, after) = rest.splitTop(latencyRows)
            drawLatency(in: latency.inset(top: 1), into: &grid)
            rest = after
        }
        drawFailures(in: rest.inset(top: 1), into: &grid)
    }

    /// Rows of slots or of the tally, whichever has more; slots keep theirs when they are done.
    private var middleRows: Int {
        max(min(state.concurrency, state.total), min(state.tally.count, 8), 3)
    }

    /// A blank row and at least one failure, or nothing.
    private func failureRows(in rows: Int) -> Int {
        state.failures.isEmpty || rows < 2 ? 0 : min(state.failures.count + 1, rows)
    }

    private func drawGauge(in row: Rect, into grid: inout Grid) {
        let total = state.total
        let fraction = total > 0 ? Double(state.progress.ended) / Double(total) : 1
        let gauge = row.inset(right: 8)
        let fill: Scope = state.isCancelled ? .textMuted : .gaugeFill
        Gauge.draw(fraction: fraction, in: gauge, into: &grid, look: look, fill: look[fill])
        let text = state.isCancelled ? "stopped" : Readable.percent(fraction)
        grid.draw(text, endingAt: row.maxX, y: row.y, width: row.columns, style: look[.text])
    }

    private func drawMiddle(in area: Rect, into grid: inout Grid) {
        guard area.columns >= 64 else {
            // One below the other: slots while it runs, how requests ended after it.
            if run.isRunning {
                drawSlots(in: area, into: &grid)
            } else {
                drawTally(in: area, into: &grid)
            }
            return
        }
        let halves = area.columnsSplit([1, 1])
        drawSlots(in: halves[0].inset(right: 2), into: &grid)
        drawTally(in: halves[1].inset(left: 2), into: &grid)
    }

    private func drawSlots(in area: Rect, into grid: inout Grid) {
        guard run.isRunning else {
            drawSummary(in: area, into: &grid)
            return
        }
        let hidden = state.slots.count - area.rows
        for (line, slot) in state.slots.prefix(area.rows).enumerated() {
            if hidden > 0, line == area.rows - 1 {
                grid.draw(
                    "and \(hidden + 1) more",
                    in: area.row(line).inset(left: 4),
                    style: look[.textMuted]
                )
            } else {
                BatchSlotRow(number: line + 1, slot: slot, now: now, look: look)
                    .draw(in: area.row(line), into: &grid)
            }
        }
    }

    private func drawSummary(in area: Rect, into grid: inout Grid) {
        let failed = state.progress.failed
        let isGood = failed == 0 && !state.isCancelled
        let sign = isGood ? look.symbols.check : look.symbols.crossMark
        let time = Readable.duration(run.duration(by: now))
        let title = state.isCancelled ? "Cancelled after \(time)." : "Done in \(time)."
        let counts =
            failed == 0
            ? "\(Readable.count(state.progress.succeeded)) answered"
            : "\(Readable.count(state.progress.succeeded)) answered, \(Readable.count(failed)) failed"
        Paragraph(parts: [
            .init(text: "\(sign) \(title)", style: look[isGood ? .chainDone : .chainFailed]),
            .init(
                text: "\(counts), \(Readable.bytes(state.bytesReceived)) received",
                style: look[.text]
            ),
            .init(text: "Enter runs it again.", style: look[.textMuted]),
        ]).draw(in: area, into: &grid)
    }

    private func drawTally(in area: Rect, into grid: inout Grid) {
        let sorted = state.tally.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let name = min(max(6, sorted.map { TextWidth.columns(of: $0.key) }.max() ?? 0), 16)
        let count = sorted.map { Readable.count($0.value).count }.max() ?? 1
        let ended = max(1, state.progress.ended)
        for (line, (key, value)) in sorted.prefix(area.rows).enumerated() {
            let row = area.row(line)
            let style = style(ofEnding: key)
            grid.draw(key, in: row.first(name), style: style)
            grid.draw(
                Readable.count(value),
                endingAt: row.x + name + 2 + count,
                y: row.y,
                style: look[.text]
            )
            let bar = row.inset(left: name + count + 4, right: 8)
            let share = Double(value) / Double(ended)
            drawBar(share, style: style, in: bar, into: &grid)
            guard row.columns > name + count + 10 else { continue }
            grid.draw(tenths(share), endingAt: row.maxX, y: row.y, style: look[.textMuted])
        }
    }

    /// What has happened at all is seen, however seldom it was.
    private func drawBar(_ share: Double, style: StyleID, in bar: Rect, into grid: inout Grid) {
        guard bar.columns > 3 else { return }
        let least = 1.0 / Double(bar.columns * 8)
        Gauge.draw(fraction: max(share, least), in: bar, into: &grid, look: look, fill: style)
    }

    private func tenths(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// An ending's name is a status where there was an answer.
    private func style(ofEnding name: String) -> StyleID {
        guard let status = Int(name.prefix { $0 != " " }) else { return look[.statusFailure] }
        return look.style(ofStatus: status)
    }

    private func drawLatency(in area: Rect, into grid: inout Grid) {
        guard let low = state.latency.percentile(0), let high = state.latency.maximum else {
            return
        }
        let row = area.row(0)
        var x = row.x
        x += grid.draw("latency  ", x: x, y: row.y, width: row.columns, style: look[.textMuted])
        let least = TextWidth.padded(Readable.duration(low), to: 6, alignment: .trailing)
        x += grid.draw("\(least) ", x: x, y: row.y, style: look[.text])
        let width = max(0, min(20, row.maxX - x - 8))
        let picture = Rect(x: x, y: row.y, columns: width, rows: 1)
        Sparkline.draw(
            state.latency.profile(columns: width),
            in: picture,
            into: &grid,
            look: look,
            style: look[.gaugeFill]
        )
        x = picture.maxX + 1
        grid.draw(
            TextWidth.padded(Readable.duration(high), to: 6),
            in: row.from(x: x),
            style: look[.text]
        )
        x += 9
        let isWide = row.maxX - x >= 46
        let place = isWide ? Rect(x: x, y: row.y, columns: row.maxX - x, rows: 1) : area.row(1)
        drawPercentiles(in: place, into: &grid)
    }

    private func drawPercentiles(in row: Rect, into grid: inout Grid) {
        let pieces = [50.0, 90, 95, 99].compactMap { percent -> StyledText? in
            guard let time = state.latency.percentile(percent) else { return nil }
            var piece = StyledText("p\(Int(percent)) ", look[.textMuted])
            piece.append(TextWidth.padded(Readable.duration(time), to: 7), look[.text])
            return piece
        }
        guard !pieces.isEmpty else { return }
        FittingLine(leading: pieces, gap: StyledText(" ", look[.text])).draw(in: row, into: &grid)
    }

    private func drawFailures(in area: Rect, into grid: inout Grid) {
        for (line, failure) in state.failures.prefix(area.rows).enumerated() {
            let row = area.row(line)
            let title =
                state.titles.indices.contains(failure.index)
                ? state.titles[failure.index] : "request \(failure.index + 1)"
            var text = StyledText(String(look.symbols.crossMark), look[.statusFailure])
            let shown = TextWidth.cut(
                title,
                to: max(8, row.columns / 2),
                .middle,
                ellipsis: look.symbols.ellipsis
            )
            text.append(" \(shown)  ", look[.text])
            text.append(failure.text, look[.statusFailure])
            grid.draw(text, in: row)
        }
    }
}
