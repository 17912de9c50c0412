import Apus
import Documents
import Terminal
import TreeView
import Workspaces

/// A batch: its progress, the requests under way, how requests ended, and the figures.
struct BatchPane: ScreenView {
    let context: ScreenContext

    private var isFocused: Bool { model.panes.focus == .cache || model.panes.focus == .server }
    private let batch: ShownBatch
    private var run: Run? { batch.run }
    private var state: BatchRunState? { batch.state }

    /// Makes the pane; nil if no batch is selected.
    init?(context: ScreenContext) {
        guard let batch = context.model.shownBatch else { return nil }
        (self.context, self.batch) = (context, batch)
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
        let regions = batch.regions
        if run.isRunning {
            drawGauge(of: state, in: regions.head, into: &grid)
        } else {
            drawSummary(of: state, run, in: regions.head, into: &grid)
        }
        draw(state.judgement, in: regions.judgement, into: &grid)
        if let workers = state.workers {
            WorkerLanesView(
                lanes: workers.lanes,
                address: workers.address,
                isRunning: run.isRunning,
                look: look
            ).draw(in: regions.slots, into: &grid)
        } else {
            drawSlots(of: state, in: regions.slots, into: &grid)
        }
        BatchOutcomesView(
            state: state,
            lines: batch.lines,
            scroll: batch.scroll,
            isFocused: isFocused,
            look: look
        ).draw(in: regions.list, into: &grid)
        BatchFigures(run: run, state: state, now: model.clock.now.uptime, look: look)
            .draw(in: regions.figures, into: &grid)
    }

    private func drawGauge(of state: BatchRunState, in row: Rect, into grid: inout Grid) {
        let fraction = state.total > 0 ? Double(state.progress.ended) / Double(state.total) : 1
        let gauge = row.inset(right: 8)
        Gauge.draw(fraction: fraction, in: gauge, into: &grid, look: look, fill: look[.gaugeFill])
        let text = Readable.percent(fraction)
        grid.draw(text, endingAt: row.maxX, y: row.y, width: row.columns, style: look[.text])
    }

    /// Draws how it ended, in a line.
    private func drawSummary(
        of state: BatchRunState,
        _ run: Run,
        in row: Rect,
        into grid: inout Grid
    ) {
        let bad = state.endings.badCount
        let notSent = state.total - state.progress.ended - state.missed
        let isGood =
            bad == 0 && !state.isCancelled && notSent == 0 && state.isAsExpected
        let sign = isGood ? look.symbols.check : look.symbols.crossMark
        let time = Readable.duration(run.duration(by: model.clock.now.uptime))
        let end = state.isCancelled ? "Stopped after \(time)" : "Done in \(time)"
        var pieces = [StyledText("\(sign) \(end)", look[isGood ? .chainDone : .chainFailed])]
        func appendCount(_ count: Int, _ word: String, _ scope: Scope) {
            guard count > 0 else { return }
            pieces.append(StyledText("\(Readable.count(count)) \(word)", look[scope]))
        }
        appendCount(bad, "failed", .statusFailure)
        appendCount(state.endings.goodCount, "succeeded", .text)
        appendCount(notSent, "not sent", .warning)
        appendCount(state.missed, "skipped: the server was slower than the rate", .warning)
        appendCount(state.workers?.lanes.again ?? 0, "handed out again", .warning)
        pieces.append(StyledText(Readable.bytes(state.bytesReceived), look[.textMuted]))
        FittingLine(leading: pieces, gap: StyledText(look.separator, look[.textMuted]))
            .draw(in: row, into: &grid)
    }

    /// Draws what came of what is expected of the batch as a whole, what is not met first.
    private func draw(_ items: [CheckedResponse.Item], in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        let pieces = (items.filter { !$0.isMet } + items.filter(\.isMet)).map { item in
            let sign = item.isMet ? look.symbols.check : look.symbols.crossMark
            let actual = item.actual.map { ": \($0)" } ?? ""
            return StyledText(
                "\(sign) \(item.subject) \(item.expected)\(actual)",
                look[item.isMet ? .chainDone : .statusFailure]
            )
        }
        FittingLine(leading: pieces, gap: StyledText("   ", look[.text])).draw(in: row, into: &grid)
    }

    private func drawSlots(of state: BatchRunState, in area: Rect, into grid: inout Grid) {
        let hidden = state.slots.count - area.rows
        for (line, slot) in state.slots.prefix(area.rows).enumerated() {
            if hidden > 0, line == area.rows - 1 {
                grid.draw(
                    "and \(hidden + 1) more",
                    in: area.row(line).inset(left: 4),
                    style: look[.textMuted]
                )
            } else {
                BatchSlotRow(number: line + 1, slot: slot, now: model.clock.now.uptime, look: look)
                    .draw(in: area.row(line), into: &grid)
            }
        }
    }

    private var title: [StyledText] {
        let style = look[isFocused ? .paneTitleFocused : .paneTitle]
        let summary =
            model.targets.selected?.summary.map { [StyledText($0, look[.textMuted])] } ?? []
        return [StyledText("Batch: \(model.targets.selected?.name ?? "")", style)] + summary
    }

    /// The progress: `640 of 1,000 · 12 s · 53/s · 16 at once`.
    private var trailing: StyledText {
        guard let run, let state else { return StyledText() }
        let progress = state.progress
        let duration = run.duration(by: model.clock.now.uptime)
        let seconds = duration / .seconds(1)
        var pieces = ["\(Readable.count(progress.ended)) of \(Readable.count(state.total))"]
        if layout.detail.columns >= 60 {
            pieces.append(ProgressText.elapsed(duration))
            if seconds > 0.05, state.isRateKnown(after: duration) {
                pieces.append("\(Readable.count(Int(Double(progress.ended) / seconds)))/s")
            }
            if let workers = state.workers {
                let count =
                    run.isRunning ? workers.lanes.workingCount : workers.lanes.lanes.count
                pieces.append(count == 1 ? "1 worker" : "\(count) workers")
            } else if run.isRunning {
                pieces.append("\(state.concurrency) at once")
            }
            if let all = state.repeats { pieces.append("again, of \(Readable.count(all))") }
        }
        return StyledText(pieces.joined(separator: look.separator), look[.textMuted])
    }

    /// Draws what it will do, before it has run.
    private func drawPlan(in area: Rect, into grid: inout Grid) {
        var parts = [Paragraph.Part(text: "This batch has not run yet.", style: look[.text])]
        var rows: [String] = []
        switch model.selectedView?.plan {
        case .batch(let titles, let concurrency, let rate):
            let total = rate?.count ?? titles.count
            let count = total == 1 ? "1 request" : "\(Readable.count(total)) requests"
            parts[0].text = "\(count), \(concurrency) at once. Enter runs the batch."
            if let rate {
                let time = Readable.span(rate.duration)
                parts[0].text =
                    "\(count), \(rate.text) for \(time), \(concurrency) at once. Enter runs the batch."
                let late =
                    "A request that is due while \(concurrency) are under way is skipped, not sent late."
                parts.append(.init(text: late, style: look[.textMuted]))
            }
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
        // The number at the end has ten columns, and the gauge a quarter of the rest.
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
