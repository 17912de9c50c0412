import Apus
import Documents
import Terminal
import TreeView

/// The figures of a batch: latency, requests per second, and latency over time.
///
/// ```
/// latency   p50 11 ms  p90 34 ms  p99 212 ms  max 620 ms
/// ▁▂▅█▇▅▃▂▁▁▁
/// 1 ms                                            620 ms
///
/// rate      53/s  peak 61/s
/// ▂▃▅▆▇▇▇█▇▇▆▇▇█▇
///
/// over time
/// < 16 ms  ░▒▓█▓▒░
/// ```
struct BatchFigures {
    let run: Run
    let state: BatchRunState
    let now: Duration
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard state.latency.count > 0, !area.isEmpty else { return }
        guard area.rows >= 9 else {
            drawShort(in: area, into: &grid)
            return
        }
        guard isRateKnown else {
            let (latency, rest) = area.splitTop(max(6, area.rows / 2))
            drawLatency(in: latency.inset(bottom: 1), into: &grid)
            grid.draw("rate", in: rest, style: look[.title])
            grid.draw(Self.unknownRate, in: rest.row(0).inset(left: 9), style: look[.textMuted])
            return
        }
        // Each chart has a title, a row below it and a blank row.
        let bands = bands
        let heat = area.rows >= 16 ? min(bands.count, max(3, area.rows / 4)) + 2 : 0
        let charts = max(2, (area.rows - heat - 5) / 2)
        let (latency, rest) = area.splitTop(charts + 3)
        drawLatency(in: latency.inset(bottom: 1), into: &grid)
        let (rate, below) = rest.splitTop(charts + 3)
        drawRate(in: rate.inset(bottom: heat > 0 ? 1 : 0), into: &grid)
        if heat > 0 { drawHeat(bands, in: below.splitTop(heat).0, into: &grid) }
    }

    /// Draws up to three rows, with charts that are one cell high.
    private func drawShort(in area: Rect, into grid: inout Grid) {
        guard let low = state.latency.percentile(0), let high = state.latency.maximum else {
            return
        }
        let label = 9
        let width = max(0, min(40, area.columns - label - 20))
        for (line, name) in ["latency", "", "rate"].prefix(area.rows).enumerated() {
            grid.draw(name, in: area.row(line), style: look[.textMuted])
        }
        let top = area.row(0).inset(left: label)
        let least = TextWidth.padded(Readable.duration(low), to: 7, alignment: .trailing)
        var x = top.x + grid.draw("\(least) ", in: top, style: look[.text])
        Sparkline.draw(
            state.latency.profile(columns: width),
            in: Rect(x: x, y: top.y, columns: width, rows: 1),
            into: &grid,
            look: look,
            style: look[.gaugeFill]
        )
        x += width + 1
        grid.draw(Readable.duration(high), in: top.from(x: x), style: look[.text])
        guard area.rows > 1 else { return }
        drawPercentiles(in: area.row(1).inset(left: label), into: &grid)
        guard area.rows > 2 else { return }
        let bottom = area.row(2).inset(left: label)
        guard isRateKnown else {
            grid.draw(Self.unknownRate, in: bottom, style: look[.textMuted])
            return
        }
        let rates = rates(columns: width)
        Sparkline.draw(
            rates,
            in: Rect(x: bottom.x + 8, y: bottom.y, columns: width, rows: 1),
            into: &grid,
            look: look,
            style: look[.gaugeFill]
        )
        let peak = Readable.count(Int((rates.max() ?? 0).rounded()))
        grid.draw("peak \(peak)/s", in: bottom.inset(left: width + 9), style: look[.text])
    }

    // MARK: How long requests took

    private func drawLatency(in area: Rect, into grid: inout Grid) {
        guard let low = state.latency.percentile(0), let high = state.latency.maximum else {
            return
        }
        grid.draw("latency", in: area, style: look[.title])
        drawPercentiles(in: area.row(0).inset(left: 9), into: &grid)
        let (chart, foot) = area.inset(top: 1).splitBottom(1)
        BarChart(values: state.latency.profile(columns: chart.columns))
            .draw(in: chart, into: &grid, look: look, style: look[.gaugeFill])
        drawEnds(Readable.duration(low), Readable.duration(high), in: foot, into: &grid)
    }

    private func drawPercentiles(in row: Rect, into grid: inout Grid) {
        // In order of importance.
        let names = [("p50", 50.0), ("p99", 99), ("p90", 90), ("max", 100)]
        var pieces = names.compactMap { name, percent -> (Double, StyledText)? in
            guard let time = state.latency.percentile(percent) else { return nil }
            var piece = StyledText("\(name) ", look[.textMuted])
            piece.append(Readable.duration(time), look[.text])
            return (percent, piece)
        }
        // If not all fit, the least important ones are left out.
        while pieces.count > 1,
            pieces.reduce(-2, { $0 + $1.1.columns + 2 }) > row.columns
        {
            pieces.removeLast()
        }
        pieces.sort { $0.0 < $1.0 }
        FittingLine(leading: pieces.map(\.1), gap: StyledText("  ", look[.text]))
            .draw(in: row, into: &grid)
    }

    private func drawEnds(_ first: String, _ last: String, in row: Rect, into grid: inout Grid) {
        grid.draw(first, in: row, style: look[.textMuted])
        grid.draw(last, endingAt: row.maxX, y: row.y, style: look[.textMuted])
    }

    // MARK: How many ended in a second

    private static let unknownRate = "too few to tell"

    private var isRateKnown: Bool { state.isRateKnown(after: elapsed) }

    private var elapsed: Duration { run.duration(by: now) }

    private func rates(columns: Int) -> [Double] {
        state.course.columns(columns, until: elapsed).map {
            Double($0.step.ended) / ($0.span / .seconds(1))
        }
    }

    private func drawRate(in area: Rect, into grid: inout Grid) {
        grid.draw("rate", in: area, style: look[.title])
        let (chart, foot) = area.inset(top: 1).splitBottom(1)
        let rates = rates(columns: chart.columns)
        let seconds = max(0.001, elapsed / .seconds(1))
        var pieces = [(Double(state.progress.ended) / seconds, "mean"), (rates.max() ?? 0, "peak")]
            .map { rate, name in
                var piece = StyledText("\(name) ", look[.textMuted])
                piece.append("\(Readable.count(Int(rate.rounded())))/s", look[.text])
                return piece
            }
        if let rate = state.rate {
            pieces.append(StyledText("wanted \(rate.text)", look[.textMuted]))
        }
        FittingLine(leading: pieces, gap: StyledText("  ", look[.text]))
            .draw(in: area.row(0).inset(left: 9), into: &grid)
        BarChart(values: rates).draw(in: chart, into: &grid, look: look, style: look[.gaugeFill])
        drawEnds("0 s", ProgressText.elapsed(elapsed), in: foot, into: &grid)
    }

    // MARK: How long they took, over time

    /// The bands from the shortest latency to the longest one that occurred.
    private var bands: [Int] {
        var sum = BatchTimeline.Step()
        for step in state.course.steps { sum = sum + step }
        let used = (0..<16).filter { sum.bands[$0] > 0 }
        guard let first = used.first, let last = used.last else { return [] }
        return Array(first...last)
    }

    /// Draws a row for each band of latencies and a column for each moment: the darker, the more requests.
    private func drawHeat(_ bands: [Int], in area: Rect, into grid: inout Grid) {
        let label = 10
        let badRow = state.endings.badCount > 0 ? 1 : 0
        grid.draw("over time", in: area, style: look[.title])
        let (map, foot) = area.inset(top: 1).splitBottom(badRow)
        // If there are fewer rows than bands, the shortest ones share the last row.
        let rows = bands.suffix(map.rows).reversed()
        let columns = state.course.columns(max(0, map.columns - label), until: elapsed)
        let counts = rows.map { band in
            columns.map { column in
                band == rows.last
                    ? (0...band).reduce(0) { $0 + Int(column.step.bands[$1]) }
                    : Int(column.step.bands[band])
            }
        }
        let peak = counts.joined().max() ?? 0
        guard peak > 0 else { return }
        for (line, (band, counts)) in zip(rows, counts).enumerated() {
            let row = map.row(line)
            let text =
                BatchTimeline.limit(ofBand: band).map { "< \(Readable.duration($0))" } ?? "longer"
            grid.draw(text, in: row.first(label - 1), style: look[.textMuted])
            for (column, count) in counts.enumerated() where count > 0 {
                let shades = look.symbols.shades
                let shade = shades[min(shades.count - 1, count * shades.count / (peak + 1))]
                grid.put(shade, x: row.x + label + column, y: row.y, style: look[.gaugeFill])
            }
        }
        guard badRow > 0 else { return }
        grid.draw("failed", in: foot.first(label - 1), style: look[.textMuted])
        for (column, value) in columns.enumerated() where value.step.bad > 0 {
            grid.put(
                look.symbols.crossMark,
                x: foot.x + label + column,
                y: foot.y,
                style: look[.statusFailure]
            )
        }
    }
}

/// A chart of vertical bars; the highest value fills all rows.
struct BarChart {
    let values: [Double]

    func draw(in area: Rect, into grid: inout Grid, look: Look, style: StyleID) {
        guard let highest = values.max(), highest > 0, !area.isEmpty else { return }
        let levels = look.symbols.sparkline
        for (column, value) in values.prefix(area.columns).enumerated() where value > 0 {
            let height = max(1, Int(value / highest * Double(area.rows * levels.count)))
            for row in 0..<area.rows {
                let rest = height - row * levels.count
                guard rest > 0 else { break }
                grid.put(
                    levels[min(levels.count, rest) - 1],
                    x: area.x + column,
                    y: area.maxY - 1 - row,
                    style: style
                )
            }
        }
    }
}
