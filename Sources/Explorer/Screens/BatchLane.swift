import Apus
import Terminal

/// A request of a batch that is under way.
struct BatchLane {
    let number: Int
    let lane: BatchRunState.Lane?
    let now: Duration
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        grid.draw(String(number), endingAt: row.x + 2, y: row.y, style: look[.textMuted])
        let row = row.inset(left: 4)
        guard let lane, !row.isEmpty else { return }
        // The end has ten columns for its number, the gauge a quarter of the rest.
        let gaugeColumns = row.columns >= 32 ? max(6, (row.columns - 10) / 4) : 0
        let titleColumns = max(0, row.columns - 10 - gaugeColumns - (gaugeColumns > 0 ? 2 : 0))
        grid.draw(
            lane.title,
            x: row.x,
            y: row.y,
            width: titleColumns,
            style: look[.text],
            cut: .middle
        )
        let gauge = Rect(
            x: row.x + titleColumns + 1,
            y: row.y,
            columns: gaugeColumns,
            rows: 1
        )
        ProgressGauge(progress: lane.progress ?? TransferProgress(), now: now)
            .draw(in: gauge, into: &grid, look: look)
        grid.draw(
            number(of: lane),
            endingAt: row.maxX,
            y: row.y,
            width: 10,
            style: look[.textMuted]
        )
    }

    private func number(of lane: BatchRunState.Lane) -> String {
        guard let received = lane.progress?.bytesReceived, received > 0 else {
            return ProgressText.elapsed(now - lane.started).text
        }
        return Readable.bytes(received)
    }
}
