import Apus
import Documents
import Terminal

extension Model {
    /// Takes what happens in a chain.
    mutating func take(_ event: ChainEvent, of id: RunID) {
        let now = now.uptime
        runs.updateChain(id) { $0.take(event, at: now) }
        guard case .finished = event else { return }
        runs.end(id, at: now)
        arrangeSession()
    }

    /// Takes what was taken out of a step's answer.
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
            // A rule's steps are known when they begin.
            if step == steps.count { steps.append(Step(name: "step \(step + 1)", title: "")) }
            set(step, .running(since: now))
        case .sending(let step, nil, let target)
        where steps.indices.contains(step) && steps[step].title.isEmpty:
            steps[step].title = "\(target.method) \(CredentialMask().masking(url: target.path))"
        case .sending, .exchange, .answered: break
        case .ended(let result, _): set(result.index, Step.State(result))
        case .finished(let summary): finish(summary)
        }
    }

    private mutating func set(_ step: Int, _ state: Step.State) {
        guard steps.indices.contains(step) else { return }
        steps[step].state = state
    }

    private mutating func finish(_ summary: ChainSummary) {
        // Steps that were planned, and that a rule did not come to.
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
    /// A word or two for what has a box's width.
    fileprivate var shortText: String {
        switch self {
        case .failed(let step): "\(step) failed"
        case .skipped(let step): "\(step) skipped"
        case .condition: "condition not met"
        }
    }
}

extension ChainFailure {
    /// A word or two for what has a box's width.
    fileprivate var shortText: String {
        switch self {
        case .exchange(let error): error.reason.shortName
        case .status(let status): String(status)
        default: description
        }
    }
}

extension Model {
    /// Chooses a step of the chain that is shown; nil when the keys do not go there, or the action
    /// is no move.
    mutating func performInChain(_ action: Action) -> [Effect]? {
        guard focusedSide != nil, isChainSelected, let id = list.selected?.id else { return nil }
        let count = chainSteps.count
        let shown = chainGeometry(in: layout)?.layout
        guard let move = ChainStepMove(action) else { return nil }
        guard count > 0 else { return [] }
        let old = selectedView?.chosenStep.map { min($0, count - 1) }
        let new =
            old.map { move.step(after: $0, of: count, in: shown) } ?? stepThatCounts(count)
        views.update(id, environment: environment) { $0.chosenStep = new }
        return []
    }

    /// The step that failed or runs, else the first: where choosing begins.
    private func stepThatCounts(_ count: Int) -> Int {
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

    /// The step where the move ends, the same if there is none; without a layout the steps stand
    /// one below the other.
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

    /// A column counts more than any number of rows.
    private func distance(_ node: ChainLayout.Node, _ here: ChainLayout.Node) -> Int {
        abs(node.column - here.column) << 20 + abs(node.row - here.row)
    }
}

/// The chain under the cursor of the list.
extension Model {
    /// Whether there is one.
    var isChainSelected: Bool { opened == nil && watched == nil && list.selected?.kind == .chain }

    /// Its newest run; nil if it never ran.
    var chainRun: ChainRunState? {
        guard let id = list.selected?.id,
            case .chain(let chain)? = runs.latest(of: id, in: environment)?.state
        else { return nil }
        return chain
    }

    /// The steps that have run or will.
    var chainSteps: [ChainRunState.Step] {
        if let chainRun { return chainRun.steps }
        guard case .chain(let steps, _)? = selectedView?.plan else { return [] }
        return steps.map { ChainRunState.Step(name: $0.name, title: $0.title) }
    }

    /// Where they stand when they are drawn.
    var chainLayout: ChainLayout {
        var layout = chainRun?.layout
        if chainRun == nil, case .chain(_, let planned)? = selectedView?.plan { layout = planned }
        let count = chainSteps.count
        guard let layout, layout.nodes.count == count else { return .line(of: count) }
        return layout
    }

    /// How they are drawn in the detail pane; nil where they stand one below the other.
    func chainGeometry(in layout: Layout) -> ChainGeometry? {
        let inside = layout.inside(layout.detail)
        return ChainGeometry(
            chainLayout,
            in: layout.isFramed ? inside.inset(left: 2, right: 2) : inside
        )
    }
}
