import Apus

extension Model {
    /// Chooses a step of the chain that is shown; nil when the keys do not go there, or the action
    /// is no move.
    mutating func performInChain(_ action: Action) -> [Effect]? {
        guard focusedSide != nil, isChainSelected, let id = list.selected?.id else { return nil }
        let count = chainSteps.count
        let shown = chainGeometry(in: layout)?.layout
        guard let move = StepMove(action) else { return nil }
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
private enum StepMove {
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
