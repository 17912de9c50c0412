import Apus
import Documents
import Terminal

/// How a request ended, in a row: its status and where the time went, or why it failed.
struct EndedRequestRow {
    let single: SingleRun
    let duration: Duration
    let look: Look

    /// Columns that all bars share.
    private static let barColumns = 16

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        switch single.ending {
        case .failed(let error): drawFailure(error, in: row, into: &grid)
        case .answered(let status, let isFromCache):
            let used = grid.draw("\(status) ", in: row, style: look.style(ofStatus: status))
            let rest = row.inset(left: used)
            if isFromCache {
                drawCached(in: rest, into: &grid)
            } else {
                drawPhases(in: rest, into: &grid)
            }
        case nil:
            grid.draw("ended", in: row, style: look[.textMuted])
        }
    }

    private func drawFailure(_ error: ApusError, in row: Rect, into grid: inout Grid) {
        let isCancelled = error.reason == .cancelled
        let text = "\(look.symbols.crossMark) \(error.message.title)"
        let used = grid.draw(text, in: row, style: look[isCancelled ? .textMuted : .statusFailure])
        let after = "  after \(Readable.duration(duration))"
        guard used + after.count <= row.columns else { return }
        grid.draw(after, x: row.x + used, y: row.y, style: look[.textMuted])
    }

    private func drawCached(in row: Rect, into grid: inout Grid) {
        let used = grid.draw("from the cache", in: row, style: look[.sourceCache])
        grid.draw(
            "  \(Readable.duration(duration))",
            in: row.inset(left: used),
            style: look[.textMuted]
        )
    }

    /// `dns ▏0.1  tcp ▏0.2  wait ██ 11.2  body ▏0.3   = 11.8 ms`, or only the sum.
    private func drawPhases(in row: Rect, into grid: inout Grid) {
        guard let metrics = single.metrics else {
            drawSum(duration, in: row, into: &grid)
            return
        }
        let phases = TransferPhase.parts(of: metrics.phases)
        let total = metrics.phases.total
        let texts = phases.map { text(of: $0.duration, total: total) }
        let needed = zip(phases, texts).reduce(0) { $0 + $1.0.name.count + $1.1.count + 5 }
        guard needed + Self.barColumns + 12 <= row.columns else {
            drawSum(total, in: row, into: &grid)
            return
        }
        var x = row.x
        for (phase, text) in zip(phases, texts) {
            x += grid.draw("\(phase.name) ", x: x, y: row.y, style: look[.textMuted])
            x += drawBar(phase.duration, of: total, x: x, y: row.y, into: &grid)
            x += grid.draw("\(text)  ", x: x, y: row.y, style: look[.text])
        }
        if metrics.reusedConnection {
            let note = "reused  "
            if x + note.count + 12 <= row.maxX {
                x += grid.draw(note, x: x, y: row.y, style: look[.textMuted])
            }
        }
        drawTotal(total, at: x, in: row, into: &grid)
    }

    /// The sum, with the digits of its parts.
    private func drawTotal(
        _ total: Duration,
        at x: Int,
        in row: Rect,
        into grid: inout Grid
    ) {
        let unit = total >= .seconds(10) ? "s" : "ms"
        grid.draw(
            "= \(text(of: total, total: total)) \(unit)",
            in: row.from(x: x),
            style: look[.text]
        )
    }

    private func drawSum(_ total: Duration, in row: Rect, into grid: inout Grid) {
        grid.draw(Readable.duration(total), in: row, style: look[.text])
    }

    /// A bar in eighths, at least one; returns its columns.
    private func drawBar(
        _ part: Duration,
        of total: Duration,
        x: Int,
        y: Int,
        into grid: inout Grid
    ) -> Int {
        let share = total > .zero ? min(1, part / total) : 0
        let eighths = max(1, Int(share * Double(Self.barColumns * 8)))
        let columns = (eighths + 7) / 8
        Gauge.draw(
            fraction: Double(eighths) / Double(columns * 8),
            in: Rect(x: x, y: y, columns: columns, rows: 1),
            into: &grid,
            look: look
        )
        return columns + (eighths < 8 ? 0 : 1)
    }

    /// In the unit of the whole: milliseconds, or seconds where it took long.
    private func text(of part: Duration, total: Duration) -> String {
        let isLong = total >= .seconds(10)
        let value = part / (isLong ? .seconds(1) : .milliseconds(1))
        if value >= 99.95 { return Readable.count(Int(value.rounded())) }
        let tenths = Int((max(0, value) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
