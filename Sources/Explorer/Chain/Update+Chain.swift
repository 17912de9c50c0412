import Apus
import Documents
import Terminal
import TreeView

extension Model {
    /// Handles an event of a chain.
    mutating func take(_ event: ChainEvent, of id: RunID) -> [Effect] {
        let now = now.uptime
        runs.updateChain(id) { $0.take(event, at: now) }
        switch event {
        case .ended: break
        case .finished:
            runs.end(id, at: now)
            arrangeSession()
        case .began, .sending, .exchange, .answered: return []
        }
        return shownRun?.id == id ? showStep() : []
    }

    /// The step whose details are shown: the selected one, else the first that failed, else the first that is
    /// running, else the last that was reached; nil before the chain has run.
    var shownStep: Int? {
        guard isChainSelected, let steps = chainRun?.steps, !steps.isEmpty else { return nil }
        if let chosen = selectedView?.chosenStep, steps.indices.contains(chosen) { return chosen }
        let failed = steps.firstIndex { if case .failed = $0.state { true } else { false } }
        let running = steps.firstIndex { if case .running = $0.state { true } else { false } }
        return failed ?? running ?? steps.lastIndex(where: \.isReached) ?? 0
    }

    /// The step that is shown, for the answer panes.
    var stepPart: OpenedPart? {
        guard let index = shownStep, let run = shownRun, let steps = chainRun?.steps else {
            return nil
        }
        return OpenedPart(run: run.id, place: index, name: steps[index].name)
    }

    /// Opens the answer of the step that is shown.
    mutating func showStep() -> [Effect] {
        guard let part = stepPart, let result = chainRun?.steps[part.place].result else {
            return []
        }
        let effects = prepare(part, result)
        fitPanes()
        return effects
    }

    /// Notes the values captured from a step's answer.
    mutating func note(_ captures: [ResolvedChain.Capture], ofStep index: Int, in id: RunID) {
        runs.updateChain(id) { chain in
            guard chain.steps.indices.contains(index) else { return }
            chain.steps[index].captures = captures
        }
    }
}

extension ChainRunState {
    fileprivate mutating func take(_ event: ChainEvent, at now: Duration) {
        switch event {
        case .began(let step, _):
            // The steps of a rule become known when they begin.
            if step == steps.count { steps.append(Step(name: "step \(step + 1)", title: "")) }
            set(step, .running(since: now))
        case .sending(let step, _, let target):
            guard steps.indices.contains(step) else { break }
            steps[step].target = target
            if steps[step].title.isEmpty {
                steps[step].title = "\(target.method) \(CredentialMask().masking(url: target.path))"
            }
        case .answered(let step, _, let summary): keep(summary, ofStep: step)
        case .exchange: break
        case .ended(let result, _): set(result.index, Step.State(result))
        case .finished(let summary): finish(summary)
        }
    }

    /// Keeps an answer unless it is large; of the answers for a list, keeps the failed one.
    private mutating func keep(_ summary: ExchangeSummary, ofStep step: Int) {
        guard steps.indices.contains(step) else { return }
        steps[step].attempts = max(steps[step].attempts, summary.attempts)
        if case .failure? = steps[step].result { return }
        let size = summary.result.response?.body.count ?? 0
        steps[step].result = size <= Self.largestKept ? summary.result : nil
    }

    private mutating func set(_ step: Int, _ state: Step.State) {
        guard steps.indices.contains(step) else { return }
        steps[step].state = state
    }

    private mutating func finish(_ summary: ChainSummary) {
        done = summary.state
        // Planned steps that a rule did not reach.
        for index in steps.indices where steps[index].state == .waiting {
            steps[index].state = .skipped()
        }
        switch summary.ending {
        case .done, .failed: break
        case .ruleFailed(let detail): problem = detail
        case .tooManySteps(let limit): problem = "stopped after \(limit) steps"
        case .timedOut(let limit): problem = "timed out after \(Readable.span(limit))"
        case .cancelled: problem = "cancelled"
        }
    }
}

extension ChainRunState.Step.State {
    fileprivate init(_ result: ChainStepResult) {
        switch result.outcome {
        case .done, .restored: self = .done(status: result.status, result.duration)
        case .failed(let failure): self = .failed(failure.shortText, result.duration)
        case .skipped(let skip): self = .skipped(because: skip.shortText)
        case .cancelled: self = .skipped()
        }
    }
}

extension ChainSkip {
    /// A word or two, to fit into a box.
    fileprivate var shortText: String {
        switch self {
        case .failed(let step): "\(step) failed"
        case .skipped(let step): "\(step) skipped"
        case .condition: "condition not met"
        }
    }
}

extension ChainFailure {
    /// A word or two, to fit into a box.
    fileprivate var shortText: String {
        switch self {
        case .exchange(let error): error.reason.shortName
        case .status(let status): String(status)
        default: description
        }
    }
}

extension Model {
    /// Performs an action on the steps of the shown chain; nil if its pane does not have the keys, or the action
    /// does not apply to steps.
    mutating func performInChain(_ action: Action) -> [Effect]? {
        guard focusedSide != nil, isChainSelected, let id = list.selected?.id else { return nil }
        switch action {
        case .open: return openStep()
        case .sendAgain: return runFromStep()
        case .runAlone: return runStepAlone()
        default: break
        }
        let count = chainSteps.count
        let shown = chainGeometry(in: layout)?.layout
        guard let move = ChainStepMove(action) else { return nil }
        guard count > 0 else { return [] }
        let old = selectedView?.chosenStep.map { min($0, count - 1) }
        let new =
            old.map { move.step(after: $0, of: count, in: shown) } ?? stepToStartFrom(count)
        views.update(id, environment: environment) { $0.chosenStep = new }
        return showStep()
    }

    /// Shows a step's request and answer in full.
    private mutating func openStep() -> [Effect] {
        guard let part = stepPart else { return sendSelected() }
        guard let result = chainRun?.steps[part.place].result else {
            notice = Notice(kind: .information, text: "\(part.name) has no answer to look at")
            return []
        }
        return open(part, result)
    }

    /// Runs the chain again from the selected step; runs all of it if none is selected.
    mutating func runFromStep() -> [Effect] {
        guard let row = list.selected, case .chain(let chain)? = catalog?.node(row.id),
            let last = chainRun, shownRun?.isRunning == false,
            let step = selectedView?.chosenStep, last.steps.indices.contains(step),
            var done = last.done
        else { return sendSelected() }
        if needsConfirmation(.fromStep, .chain(chain)) { return [] }
        done.forget(last.steps[step].name)
        do throws(CatalogProblem) {
            let effects = try send(chain, resuming: done, after: last)
            warnAboutUnsavedEdits("the chain")
            return effects
        } catch {
            notice = Notice(kind: .failure, text: error.description)
            return []
        }
    }

    /// Sends the step's request alone.
    mutating func runStepAlone() -> [Effect] {
        guard let part = stepPart else {
            say("choose a step with the arrow keys first")
            return []
        }
        if let result = chainRun?.steps[part.place].result { _ = prepare(part, result) }
        let effects = sendAlone(part, asking: .stepAlone)
        guard !effects.isEmpty else { return [] }
        openedPart = part
        focus = .server
        fitPanes()
        return effects
    }

    /// Where moving between steps starts: the first that failed or is running, else the first.
    private func stepToStartFrom(_ count: Int) -> Int {
        chainSteps.firstIndex {
            switch $0.state {
            case .running, .failed: true
            case .waiting, .done, .skipped: false
            }
        } ?? 0
    }
}

/// A move from one step of a chain to another.
private enum ChainStepMove {
    case up, down, left, right, first, last

    init?(_ action: Action) {
        switch action {
        case .up, .pageUp: self = .up
        case .down, .pageDown: self = .down
        case .left: self = .left
        case .right: self = .right
        case .first: self = .first
        case .last: self = .last
        default: return nil
        }
    }

    /// The step where the move ends, or the same step if there is none.
    ///
    /// Without a layout the steps stand one below the other.
    func step(after step: Int, of count: Int, in layout: ChainLayout?) -> Int {
        switch self {
        case .first: return 0
        case .last: return count - 1
        case .up, .down, .left, .right: break
        }
        guard let layout else {
            let isBack = self == .up || self == .left
            return max(0, min(count - 1, step + (isBack ? -1 : 1)))
        }
        let here = layout.nodes[step]
        return layout.nodes.filter { isAhead($0, of: here) }
            .min { distance($0, here) < distance($1, here) }?.step ?? step
    }

    private func isAhead(_ node: ChainLayout.Node, of here: ChainLayout.Node) -> Bool {
        switch self {
        case .up: node.column == here.column && node.row < here.row
        case .down: node.column == here.column && node.row > here.row
        case .left: node.column < here.column
        case .right: node.column > here.column
        case .first, .last: false
        }
    }

    /// Columns count more than any number of rows.
    private func distance(_ node: ChainLayout.Node, _ here: ChainLayout.Node) -> Int {
        abs(node.column - here.column) << 20 + abs(node.row - here.row)
    }
}

/// The chain under the cursor of the list.
extension Model {
    /// Whether a chain is selected and its pane is shown.
    var isChainSelected: Bool { showsSelection && list.selected?.kind == .chain }

    /// Its newest run; nil if it never ran.
    var chainRun: ChainRunState? {
        guard let id = list.selected?.id,
            case .chain(let chain)? = runs.latest(of: id, in: environment)?.state
        else { return nil }
        return chain
    }

    /// The steps of the newest run, or else the planned ones.
    var chainSteps: [ChainRunState.Step] {
        if let chainRun { return chainRun.steps }
        guard case .chain(let steps, _)? = selectedView?.plan else { return [] }
        return steps.map { ChainRunState.Step(name: $0.name, title: $0.title) }
    }

    /// Where they stand in a drawing.
    var chainLayout: ChainLayout {
        var layout = chainRun?.layout
        if chainRun == nil, case .chain(_, let planned)? = selectedView?.plan { layout = planned }
        let count = chainSteps.count
        guard let layout, layout.nodes.count == count else { return .line(of: count) }
        return layout
    }

    /// How they are drawn in the detail pane; nil if they are listed instead.
    func chainGeometry(in layout: Layout) -> ChainGeometry? {
        let inside = layout.inside(layout.detail)
        return ChainGeometry(
            chainLayout,
            in: layout.isFramed ? inside.inset(left: 2, right: 2) : inside,
            names: chainSteps.map { $0.captures.first.map { TextWidth.columns(of: $0.name) } ?? 0 }
                .max() ?? 0
        )
    }
}
