import Apus
import Documents
import Terminal
import TreeView

/// A chain: its steps as boxes joined by arrows if there is room, else as a list.
struct ChainPane: ScreenView {
    let context: ScreenContext

    private var isFocused: Bool { model.panes.focusedSide != nil }
    private let chain: ShownChain
    private var run: Run? { chain.run }
    private var state: ChainRunState? { chain.state }
    private var steps: [ChainRunState.Step] { chain.steps }
    /// The selected step; nil if the pane does not have the focus.
    private var chosen: Int? { isFocused ? chain.chosenStep : nil }

    /// Makes the pane; nil if no chain is selected.
    init?(context: ScreenContext) {
        guard let chain = context.model.shownChain else { return nil }
        (self.context, self.chain) = (context, chain)
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
        let regions = chain.regions(in: layout)
        if let geometry = chain.geometry(in: layout) {
            ChainBoxes(
                geometry: geometry,
                steps: steps,
                selected: chosen,
                now: model.clock.now.uptime,
                look: look
            ).draw(in: area.inset(top: 1), into: &grid)
        } else {
            ChainList(steps: steps, selected: chosen, now: model.clock.now.uptime, look: look)
                .draw(in: regions.steps, into: &grid)
        }
        drawStep(regions, into: &grid)
        drawWords(in: regions.words, into: &grid)
    }

    /// Draws the details of the selected or failed step: its request, its response, and its captures.
    private func drawStep(_ regions: ChainRegions, into grid: inout Grid) {
        guard let index = chain.shownStep, !regions.step.isEmpty else { return }
        let step = steps[index]
        let label = ChainStepLabel(step: step, now: model.clock.now.uptime, look: look)
        let dot = StyledText(look.separator, look[.textMuted])
        var pieces = [StyledText(step.name, look[label.scope])]
        if !step.title.isEmpty { pieces.append(StyledText(step.title, look[.text])) }
        pieces.append(label.short)
        if label.detail.text != label.short.text { pieces.append(label.detail) }
        if step.attempts > 1 {
            pieces.append(StyledText("\(step.attempts) attempts", look[.warning]))
        }
        if let size = step.result?.response?.body.count, size > 0 {
            pieces.append(StyledText(Readable.bytes(size), look[.textMuted]))
        }
        FittingLine(leading: pieces, gap: dot).draw(in: regions.step.row(0), into: &grid)
        let given = step.captures.map { capture in
            var piece = StyledText("\(capture.name) ", look[.treeKey])
            piece.append(capture.value, look[.treeString])
            return piece
        }
        if !given.isEmpty {
            FittingLine(leading: [StyledText("captured", look[.textMuted])] + given)
                .draw(in: regions.step.row(1), into: &grid)
        }
        guard let part = chain.part, let view = model.view(of: part.item) else { return }
        let body = regions.body(hasCaptures: !given.isEmpty)
        if case .failed(let error) = view.server.content, view.server.document.body == nil {
            Paragraph(
                parts: error.paneTexts.prefix(2).map { .init(text: $0, style: look[.error]) }
            ).draw(in: body, into: &grid)
        } else if view.server.document.body != nil {
            DocumentPaneView(
                pane: view.server.document,
                isFocused: false,
                isPadded: false,
                now: model.clock.now.uptime,
                keys: model.keys,
                look: look
            ).draw(in: body, into: &grid)
        }
    }

    private var title: [StyledText] {
        let style = look[isFocused ? .paneTitleFocused : .paneTitle]
        let summary =
            model.targets.selected?.summary.map { [StyledText($0, look[.textMuted])] } ?? []
        return [StyledText("Chain: \(model.targets.selected?.name ?? "")", style)] + summary
    }

    private var trailing: StyledText {
        guard let run, let state else { return StyledText() }
        let time = ProgressText.elapsed(run.duration(by: model.clock.now.uptime))
        let text = "\(state.doneCount) of \(state.steps.count)\(look.separator)\(time)"
        return StyledText(text, look[.textMuted])
    }

    private func drawWords(in area: Rect, into grid: inout Grid) {
        var parts: [Paragraph.Part] = []
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

    /// The full texts of failed steps, for which boxes have no room.
    private var failures: [Paragraph.Part] {
        steps.enumerated().compactMap { index, step in
            // The step that is shown above has its own text.
            guard index != chain.shownStep, case .failed(let text, _) = step.state else {
                return nil
            }
            return .init(
                text: "\(look.symbols.crossMark) \(step.name): \(text)",
                style: look[.chainFailed]
            )
        }
    }

    private func ending(of run: Run) -> Paragraph.Part {
        let time = Readable.duration(run.duration(by: model.clock.now.uptime))
        let isGood = state.map { $0.problem == nil && $0.doneCount == $0.steps.count } ?? false
        if isGood {
            return .init(text: "\(look.symbols.check) Done in \(time).", style: look[.chainDone])
        }
        guard let failed = steps.first(where: \.hasFailed), case .failed(let why, _) = failed.state
        else { return .init(text: "Ended after \(time). \(again)", style: look[.textMuted]) }
        let sentence = "Failed at \(failed.name): \(why)\(why.hasSuffix(".") ? "" : ".")"
        return .init(text: "\(sentence) \(again)", style: look[.chainFailed])
    }

    /// The hint of the key that runs the chain again; enter opens the step that is shown.
    private var again: String {
        let key = model.keys.hint(for: .sendAgain, in: [.chain])?.key ?? "r"
        return "\(key) runs it again."
    }
}

/// The steps of a chain in one row: `register 201 ✓ ─▶ verify 200 ✓ ─▶ profile ⠋ 0.3 s`.
struct ChainLine {
    let steps: [ChainRunState.Step]
    let now: Duration
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty, !steps.isEmpty else { return }
        // If not all steps fit, those before the current one are left out, then those after it.
        var (first, last) = (0, current)
        while first < current, line(first...current).columns > row.columns { first += 1 }
        while last + 1 < steps.count, line(first...(last + 1)).columns <= row.columns { last += 1 }
        grid.draw(line(first...last), in: row)
    }

    /// The index of the step that runs or failed; else of the last.
    private var current: Int {
        steps.firstIndex {
            switch $0.state {
            case .running, .failed: true
            case .waiting, .done, .skipped: false
            }
        } ?? max(0, steps.count - 1)
    }

    private func line(_ shown: ClosedRange<Int>) -> StyledText {
        var line = StyledText()
        let arrow = " \(look.arrow(columns: 2)) "
        if shown.lowerBound > 0 {
            line.append("\(shown.lowerBound) \(look.symbols.check)\(arrow)", look[.chainDone])
        }
        for index in shown {
            let step = steps[index]
            if index > shown.lowerBound { line.append(arrow, look[.textMuted]) }
            line.append(step.name, look[step.isReached ? .text : .textMuted])
            let state = ChainStepLabel(step: step, now: now, look: look)
            line.append(" ", look[.text])
            line.append(state.short)
        }
        let left = steps.count - 1 - shown.upperBound
        if left > 0 { line.append("\(arrow)\(left) more", look[.textMuted]) }
        return line
    }
}
