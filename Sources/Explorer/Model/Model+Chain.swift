import Apus
import Terminal

/// The chain under the cursor of the list.
extension Model {
    /// Whether there is one.
    var isChainSelected: Bool { list.selected?.kind == .chain }

    /// Its newest run; nil if it never ran.
    var chainRun: ChainRunState? {
        guard let id = list.selected?.id, case .chain(let chain)? = runs.latest(of: id)?.state
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
