import Apus
import Documents
import Terminal

/// A batch: how far it is in all, what is under way, how requests ended, how
/// long they took, what failed.
struct BatchPane {
    let model: Model
    let layout: Layout
    let look: Look

    private var isFocused: Bool { model.focus == .cache || model.focus == .server }
    private var run: Run? { model.shownRun }
    private var state: BatchRunState? {
        if case .batch(let batch)? = run?.state { batch } else { nil }
    }

    func draw(into grid: inout Grid) {
        let frame = PaneFrame(
            title: title,
            trailing: trailing,
            isFocused: isFocused,
            isFramed: layout.isFramed
        )
        let inside = frame.draw(in: layout.detail, into: &grid, look: look)
        let area = layout.isFramed ? inside.inset(left: 2, right: 2) : inside
        guard !area.isEmpty else { return }
        guard let run, let state else {
            drawPlan(in: area, into: &grid)
            return
        }
        BatchStatistics(run: run, state: state, now: model.now.uptime, look: look)
            .draw(in: area, into: &grid)
    }

    private var title: [StyledText] {
        let style = look[isFocused ? .paneTitleFocused : .paneTitle]
        return [StyledText("Batch: \(model.list.selected?.name ?? "")", style)]
    }

    /// How far it is, as in `640 of 1,000 · 12 s · 53/s · 16 at once`.
    private var trailing: StyledText {
        guard let run, let state else { return StyledText() }
        let progress = state.progress
        let duration = run.duration(by: model.now.uptime)
        let seconds = duration / .seconds(1)
        var pieces = ["\(Readable.count(progress.ended)) of \(Readable.count(state.total))"]
        if layout.detail.columns >= 60 {
            pieces.append(ProgressText.elapsed(duration))
            if seconds > 0.05, progress.ended > 0 {
                pieces.append("\(Readable.count(Int(Double(progress.ended) / seconds)))/s")
            }
            if run.isRunning { pieces.append("\(state.concurrency) at once") }
        }
        return StyledText(pieces.joined(separator: look.separator), look[.textMuted])
    }

    /// What it will do, before it has run.
    private func drawPlan(in area: Rect, into grid: inout Grid) {
        var parts = [Paragraph.Part(text: "This batch has not run yet.", style: look[.text])]
        var rows: [String] = []
        switch model.selectedView?.plan {
        case .batch(let titles, let concurrency):
            let count = titles.count == 1 ? "1 request" : "\(Readable.count(titles.count)) requests"
            parts[0].text = "\(count), \(concurrency) at once. Enter runs the batch."
            rows = titles
        case .problem(let problem):
            parts = [.init(text: problem.description, style: look[.error])]
        case .chain, nil: parts.append(.init(text: "Enter runs it.", style: look[.textMuted]))
        }
        let used = Paragraph(parts: parts).draw(in: area, into: &grid)
        let list = area.inset(top: used + 1)
        for (line, title) in rows.prefix(list.rows).enumerated() {
            grid.draw(title, in: list.row(line), style: look[.textMuted], cut: .middle)
        }
    }
}

/// A request of a batch that is under way.
struct BatchSlotRow {
    let number: Int
    let slot: BatchRunState.Slot?
    let now: Duration
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        grid.draw(String(number), endingAt: row.x + 2, y: row.y, style: look[.textMuted])
        let row = row.inset(left: 4)
        guard let slot, !row.isEmpty else { return }
        // The end has ten columns for its number, the gauge a quarter of the rest.
        let gaugeColumns = row.columns >= 32 ? max(6, (row.columns - 10) / 4) : 0
        let titleColumns = max(0, row.columns - 10 - gaugeColumns - (gaugeColumns > 0 ? 2 : 0))
        grid.draw(slot.title, in: row.first(titleColumns), style: look[.text], cut: .middle)
        let gauge = Rect(
            x: row.x + titleColumns + 1,
            y: row.y,
            columns: gaugeColumns,
            rows: 1
        )
        ProgressGauge(progress: slot.progress ?? TransferProgress(), now: now)
            .draw(in: gauge, into: &grid, look: look)
        grid.draw(
            number(of: slot),
            endingAt: row.maxX,
            y: row.y,
            width: 10,
            style: look[.textMuted]
        )
    }

    private func number(of slot: BatchRunState.Slot) -> String {
        guard let received = slot.progress?.bytesReceived, received > 0 else {
            return ProgressText.elapsed(now - slot.started)
        }
        return Readable.bytes(received)
    }
}
