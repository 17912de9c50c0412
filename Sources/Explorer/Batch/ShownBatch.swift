import Terminal
import TreeView

/// The batch under the list's cursor, as its pane shows it.
struct ShownBatch {
    /// Its newest run; nil if it never ran.
    let run: Run?
    /// The state of that run.
    let state: BatchRunState?
    let regions: BatchRegions
    /// The lines about how its requests ended.
    let lines: [BatchLines.Line]
    /// Where they are scrolled to, and the line under the cursor.
    let scroll: ListScroll

    fileprivate init(run: Run?, choice: BatchChoice, in layout: Layout) {
        self.run = run
        state = if case .batch(let state)? = run?.state { state } else { nil }
        let inside = layout.inside(layout.detail)
        regions = BatchRegions(
            layout.isFramed ? inside.inset(left: 2, right: 2) : inside,
            slots: state.flatMap { Self.slotCount(of: $0, isRunning: run?.isRunning == true) } ?? 0,
            causes: state?.endings.groups.count ?? 0,
            hasJudgement: state?.judgement.isEmpty == false
        )
        let endings = state?.endings ?? BatchOutcomes()
        lines = BatchLines(endings, open: choice.open, height: regions.list.rows).lines
        var scroll = choice.scroll
        scroll.update(count: lines.count, height: regions.list.rows)
        self.scroll = scroll
    }

    /// The rows for what is under way; workers keep theirs after the end.
    private static func slotCount(of state: BatchRunState, isRunning: Bool) -> Int {
        if let workers = state.workers { return max(isRunning ? 1 : 0, workers.lanes.lanes.count) }
        return isRunning ? state.slots.count : 0
    }

    /// The line under the cursor; nil if there are no lines.
    var selected: BatchLines.Line? {
        lines.indices.contains(scroll.selection) ? lines[scroll.selection] : nil
    }

    /// The line that names the group with an index.
    func heading(of group: Int) -> Int? {
        lines.firstIndex { if case .group(group, _) = $0 { true } else { false } }
    }
}

extension Model {
    /// Whether a batch is selected and its pane is shown.
    var isBatchSelected: Bool { responses.showsSelection && targets.selected?.kind == .batch }

    /// The batch whose pane is shown; nil if another kind of line is selected, or something in its place.
    var shownBatch: ShownBatch? {
        guard isBatchSelected else { return nil }
        return ShownBatch(
            run: shownRun,
            choice: selectedView?.batch ?? BatchChoice(),
            in: layout
        )
    }

    /// Whether some of its requests failed and can be sent again.
    var canRunFailedAgain: Bool {
        guard isBatchSelected, let run = shownRun, !run.isRunning,
            case .batch(let state) = run.state
        else { return false }
        return state.unsuccessfulCount > 0
    }
}
