import Apus
import Documents
import Terminal
import TreeView

/// The end of a request, in a row: its status and where the time went, or why it failed.
struct EndedRequestRow {
    let single: SingleRun
    let duration: Duration
    let look: Look
    /// The longest transfer of all rows, which is the scale of their bars.
    var longest = Duration.zero

    private static let barColumns = 32
    private static let totalColumns = 9

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        switch single.ending {
        case .failed(let error): drawFailure(error, in: row, into: &grid)
        case .answered(let status, let isFromCache):
            let used = grid.draw("\(status) ", in: row, style: look.style(ofStatus: status))
            let rest = row.inset(left: used)
            if isFromCache {
                let words = status == 304 ? "revalidated" : "from the cache"
                drawCached(words, in: rest, into: &grid)
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

    private func drawCached(_ words: String, in row: Rect, into grid: inout Grid) {
        let used = grid.draw(words, in: row, style: look[.sourceCache])
        grid.draw(
            "  \(Readable.duration(duration))",
            in: row.inset(left: used),
            style: look[.textMuted]
        )
    }

    /// Draws all phases as one bar on the scale of all rows, their times, and the sum at the right.
    private func drawPhases(in row: Rect, into grid: inout Grid) {
        let total = single.duration ?? single.metrics?.phases.total ?? duration
        grid.draw(Readable.duration(total), endingAt: row.maxX, y: row.y, style: look[.text])
        let rest = row.inset(right: Self.totalColumns)
        guard let metrics = single.metrics, rest.columns >= 8 else { return }
        let (bar, legend) = rest.splitLeft(min(Self.barColumns, rest.columns / 2))
        PhaseBar(phases: metrics.phases, total: total, longest: longest)
            .draw(in: bar, into: &grid, look: look)
        var pieces = TransferPhase.parts(of: metrics.phases).map { phase in
            var piece = StyledText("\(phase.name) ", look[.textMuted])
            piece.append(Readable.duration(phase.duration), look[.text])
            return piece
        }
        if metrics.isUnverified {
            pieces.insert(StyledText("TLS not verified", look[.warning]), at: 0)
        }
        if metrics.reusedConnection { pieces.append(StyledText("reused", look[.textMuted])) }
        let words = legend.inset(left: 1, right: 1)
        guard let first = pieces.first, first.columns <= words.columns else { return }
        FittingLine(leading: pieces).draw(in: words, into: &grid)
    }
}
