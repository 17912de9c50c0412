import Documents
import Terminal
import TreeView

/// The steps of a chain as a list, if there is no room for boxes.
struct ChainList {
    let steps: [ChainRunState.Step]
    /// The selected step; nil if the pane does not have the focus.
    let selected: Int?
    let now: Duration
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        let name = min(16, max(6, steps.map { TextWidth.columns(of: $0.name) }.max() ?? 0))
        for (line, index) in visible(area.rows).enumerated() {
            let step = steps[index]
            let row = mark(index, in: area.row(line), into: &grid)
            let state = ChainStepLabel(step: step, now: now, look: look)
            let short = state.short
            grid.draw(step.name, in: row.first(name), style: look[state.scope])
            let x = row.x + name + 2
            let room = row.maxX - x - 18
            grid.draw(
                step.title,
                x: x,
                y: row.y,
                width: max(0, room),
                style: look[step.isReached ? .text : .textMuted],
                cut: .middle
            )
            let stateX = max(x, row.maxX - 17)
            grid.draw(short, in: row.from(x: stateX))
            if case .done(_, let duration) = step.state, row.columns >= name + 20 {
                grid.draw(
                    Readable.duration(duration),
                    endingAt: row.maxX,
                    y: row.y,
                    width: 9,
                    style: look[.textMuted]
                )
            }
        }
    }

    /// The steps that fit in the rows, around the selected one or the last that has started.
    private func visible(_ rows: Int) -> Range<Int> {
        let middle = selected ?? steps.lastIndex(where: \.isReached) ?? 0
        let first = max(0, min(middle - rows / 2, steps.count - rows))
        return first..<min(steps.count, first + rows)
    }

    /// Marks the selected step; while a step is selected, all rows are indented for the mark.
    private func mark(_ index: Int, in row: Rect, into grid: inout Grid) -> Rect {
        guard let selected else { return row }
        if index == selected, !row.isEmpty {
            grid.put(look.symbols.foldClosed, x: row.x, y: row.y, style: look[.textAccent])
        }
        return row.inset(left: 2)
    }
}

/// The state of a step of a chain, in a few columns.
struct ChainStepLabel {
    let step: ChainRunState.Step
    let now: Duration
    let look: Look

    /// "201 ✓", "⠋ 0.3 s", "✗", "skipped"; an ellipsis while it waits.
    var short: StyledText {
        switch step.state {
        case .waiting: StyledText(String(look.symbols.ellipsis), look[.chainWaiting])
        case .running(let since):
            StyledText(
                "\(look.spinner(at: now)) \(ProgressText.elapsed(now - since))",
                look[.chainRunning]
            )
        case .done(let status, _):
            // The chain goes on, but the response is not as the target expects.
            StyledText(
                (status.map { "\($0) " } ?? "")
                    + String(step.unmetCount > 0 ? look.symbols.crossMark : look.symbols.check),
                look[step.unmetCount > 0 ? .statusFailure : .chainDone]
            )
        case .failed: StyledText(String(look.symbols.crossMark), look[.chainFailed])
        case .skipped: StyledText("skipped", look[.chainSkipped])
        }
    }

    /// How long it took, or why it failed or was skipped.
    var detail: StyledText {
        switch step.state {
        case .waiting: StyledText("waiting", look[.chainWaiting])
        case .running(let since):
            StyledText(ProgressText.elapsed(now - since), look[.chainRunning])
        case .done(_, let duration):
            step.unmetCount > 0
                ? StyledText("not as expected", look[.statusFailure])
                : StyledText(Readable.duration(duration), look[.textMuted])
        case .failed(let text, _): StyledText(text, look[.chainFailed])
        case .skipped(let reason): StyledText(reason ?? "not reached", look[.chainSkipped])
        }
    }

    /// The color of its box.
    var scope: Scope {
        switch step.state {
        case .waiting: .chainWaiting
        case .running: .chainRunning
        case .done: .chainDone
        case .failed: .chainFailed
        case .skipped: .chainSkipped
        }
    }
}

extension ChainRunState.Step {
    /// Whether it has started.
    var isReached: Bool {
        switch state {
        case .running, .done, .failed: true
        case .waiting, .skipped: false
        }
    }
}
