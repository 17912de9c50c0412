import Apus
import Documents
import Terminal

/// A chain: its steps as boxes joined by arrows where there is room, else as a list.
struct ChainPane {
    let model: Model
    let layout: Layout
    let look: Look

    private var isFocused: Bool { model.focusedSide != nil }
    private var run: Run? { model.shownRun }
    private var state: ChainRunState? { model.chainRun }
    private var steps: [ChainRunState.Step] { model.chainSteps }
    /// The step that keys have chosen, while they go here.
    private var chosen: Int? {
        guard isFocused, let step = model.selectedView?.chosenStep else { return nil }
        return steps.indices.contains(step) ? step : nil
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
        let used: Int
        if let geometry = model.chainGeometry(in: layout) {
            ChainBoxes(
                geometry: geometry,
                steps: steps,
                selected: chosen,
                now: model.now.uptime,
                look: look
            ).draw(in: area.inset(top: 1), into: &grid)
            used = geometry.rows + 2
        } else {
            ChainList(steps: steps, selected: chosen, now: model.now.uptime, look: look)
                .draw(in: area, into: &grid)
            used = steps.count + 1
        }
        drawWords(in: area.inset(top: steps.isEmpty ? 0 : used), into: &grid)
    }

    private var title: [StyledText] {
        let style = look[isFocused ? .paneTitleFocused : .paneTitle]
        return [StyledText("Chain: \(model.list.selected?.name ?? "")", style)]
    }

    private var trailing: StyledText {
        guard let run, let state else { return StyledText() }
        let time = ProgressText.elapsed(run.duration(by: model.now.uptime))
        let text = "\(state.doneCount) of \(state.steps.count)\(look.separator)\(time)"
        return StyledText(text, look[.textMuted])
    }

    private func drawWords(in area: Rect, into grid: inout Grid) {
        var parts: [Paragraph.Part] = chosenWords
        if let problem = state?.problem {
            let text = "\(look.symbols.crossMark) \(problem)"
            parts.append(.init(text: text, style: look[.error]))
        }
        parts += failures
        switch (run, model.selectedView?.plan) {
        case (nil, .problem(let problem)?):
            parts.append(.init(text: problem.description, style: look[.error]))
        case (nil, _):
            parts.append(.init(text: "This chain has not run yet.", style: look[.text]))
            parts.append(.init(text: "Enter runs it.", style: look[.textMuted]))
        case (let run?, _):
            if !run.isRunning { parts.append(ending(of: run)) }
        }
        Paragraph(parts: parts).draw(in: area, into: &grid)
    }

    /// All that is known of the step that was chosen.
    private var chosenWords: [Paragraph.Part] {
        guard let chosen else { return [] }
        let step = steps[chosen]
        let state = ChainStepLabel(step: step, now: model.now.uptime, look: look)
        let facts = [step.name, step.title, state.short.text, state.detail.text]
        let first = facts.filter { !$0.isEmpty }.joined(separator: look.separator)
        let isFailed = if case .failed = step.state { true } else { false }
        var parts = [Paragraph.Part(text: first, style: look[isFailed ? .chainFailed : .text])]
        let given = step.captures.map { "\($0.name) \($0.value)" }
        if !given.isEmpty {
            let text = "captured \(given.joined(separator: look.separator))"
            parts.append(.init(text: text, style: look[.textMuted]))
        }
        return parts
    }

    /// A box has room for a word; here is all that a failed step has to say.
    private var failures: [Paragraph.Part] {
        steps.enumerated().compactMap { index, step in
            // The chosen step is shown above.
            guard index != chosen, case .failed(let text, _) = step.state else { return nil }
            return .init(
                text: "\(look.symbols.crossMark) \(step.name): \(text)",
                style: look[.chainFailed]
            )
        }
    }

    private func ending(of run: Run) -> Paragraph.Part {
        let time = Readable.duration(run.duration(by: model.now.uptime))
        let isGood = state.map { $0.problem == nil && $0.doneCount == $0.steps.count } ?? false
        return isGood
            ? .init(text: "\(look.symbols.check) Done in \(time).", style: look[.chainDone])
            : .init(text: "Ended after \(time). Enter runs it again.", style: look[.textMuted])
    }
}

/// The steps of a chain in a row: `register 201 ✓ ─▶ verify 200 ✓ ─▶ profile ⠋ 0.3 s`.
struct ChainLine {
    let steps: [ChainRunState.Step]
    let now: Duration
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        // Where not all fit, those before the one that counts are left out.
        var first = 0
        while first < current, columns(from: first) > row.columns { first += 1 }
        grid.draw(line(from: first), in: row)
    }

    /// The step that runs or failed; else the last.
    private var current: Int {
        steps.firstIndex {
            switch $0.state {
            case .running, .failed: true
            case .waiting, .done, .skipped: false
            }
        } ?? max(0, steps.count - 1)
    }

    private func columns(from first: Int) -> Int { line(from: first).columns }

    private func line(from first: Int) -> StyledText {
        var line = StyledText()
        let arrow = " \(look.arrow(columns: 2)) "
        if first > 0 {
            line.append("\(first) \(look.symbols.check)\(arrow)", look[.chainDone])
        }
        for (index, step) in steps.enumerated().dropFirst(first) {
            if index > first { line.append(arrow, look[.textMuted]) }
            line.append(step.name, look[step.isReached ? .text : .textMuted])
            let state = ChainStepLabel(step: step, now: now, look: look)
            line.append(" ", look[.text])
            line.append(state.short)
        }
        return line
    }
}
