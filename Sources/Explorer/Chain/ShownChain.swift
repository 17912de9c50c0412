import Apus
import Terminal
import TreeView
import Workspaces

/// The chain under the list's cursor, as its pane shows it.
struct ShownChain {
    /// Its newest run; nil if it never ran.
    let run: Run?
    /// The state of that run.
    let state: ChainRunState?
    /// The steps of that run, or else the planned ones.
    let steps: [ChainRunState.Step]
    /// Where they stand in a drawing.
    let drawing: ChainLayout
    /// The step that the user chose; nil if there is none.
    let chosenStep: Int?

    fileprivate init(run: Run?, view: TargetState?) {
        self.run = run
        var planned: (steps: [ResolvedChain.Step], layout: ChainLayout?) = ([], nil)
        if case .chain(let steps, let layout)? = view?.plan { planned = (steps, layout) }
        state = if case .chain(let state)? = run?.state { state } else { nil }
        let steps =
            state?.steps
            ?? planned.steps.map { ChainRunState.Step(name: $0.name, title: $0.title) }
        let layout = state.map(\.layout) ?? planned.layout
        drawing =
            layout.flatMap { $0.nodes.count == steps.count ? $0 : nil } ?? .line(of: steps.count)
        chosenStep = view?.chosenStep.flatMap { steps.indices.contains($0) ? $0 : nil }
        self.steps = steps
    }

    /// The step whose details are shown: the chosen one, else the first that failed, else the first that is
    /// running, else the last that was reached; nil before the chain has run.
    var shownStep: Int? {
        guard state != nil, !steps.isEmpty else { return nil }
        let failed = steps.firstIndex { if case .failed = $0.state { true } else { false } }
        let running = steps.firstIndex { if case .running = $0.state { true } else { false } }
        return chosenStep ?? failed ?? running ?? steps.lastIndex(where: \.isReached) ?? 0
    }

    /// That step, for the response panes.
    var part: OpenedPart? {
        guard let index = shownStep, let run else { return nil }
        return OpenedPart(run: run.id, index: index, name: steps[index].name)
    }

    /// The response of that step; nil if it has none, or none was kept.
    var result: Result<Response, ApusError>? { shownStep.flatMap { steps[$0].result } }

    /// What that response is checked against; nil if nothing is expected of it.
    var checkedTarget: WorkspaceTarget? { shownStep.flatMap { steps[$0].target?.checkedTarget } }

    /// How long that step took.
    var duration: Duration {
        switch shownStep.map({ steps[$0].state }) {
        case .done(_, let duration), .failed(_, let duration): duration
        default: .zero
        }
    }

    /// The step that a move chooses; without a chosen step, the first that failed or is running, else the first.
    func step(after move: ChainStepMove, in layout: Layout) -> Int {
        if let chosenStep {
            return move.step(after: chosenStep, of: steps.count, in: geometry(in: layout)?.layout)
        }
        return steps.firstIndex {
            switch $0.state {
            case .running, .failed: true
            case .waiting, .done, .skipped: false
            }
        } ?? 0
    }

    /// How they are drawn in the detail pane; nil if they are listed instead.
    func geometry(in layout: Layout) -> ChainGeometry? {
        ChainGeometry(
            drawing,
            in: area(in: layout),
            names: steps.map { $0.captures.first.map { TextWidth.columns(of: $0.name) } ?? 0 }
                .max() ?? 0
        )
    }

    /// The regions of its pane.
    func regions(in layout: Layout) -> ChainRegions {
        let rows = geometry(in: layout).map { $0.rows + 1 } ?? steps.count
        return ChainRegions(area(in: layout), rows: rows, hasStep: shownStep != nil)
    }

    /// The region of the response of the step that is shown.
    func body(in layout: Layout) -> Rect {
        let hasCaptures = shownStep.map { !steps[$0].captures.isEmpty } ?? false
        return regions(in: layout).body(hasCaptures: hasCaptures)
    }

    private func area(in layout: Layout) -> Rect {
        let inside = layout.inside(layout.detail)
        return layout.isFramed ? inside.inset(left: 2, right: 2) : inside
    }
}

extension Model {
    /// Whether a chain is selected and its pane is shown.
    var isChainSelected: Bool { responses.showsSelection && targets.selected?.kind == .chain }

    /// The chain whose pane is shown; nil if another kind of line is selected, or something in its place.
    var shownChain: ShownChain? {
        isChainSelected ? ShownChain(run: shownRun, view: selectedView) : nil
    }
}

/// A move from one step of a chain to another.
enum ChainStepMove {
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
