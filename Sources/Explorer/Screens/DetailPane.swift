import Apus
import Terminal

/// What the line under the list's cursor is about: a request with its two
/// answers, a batch, a chain, or a group.
struct DetailPane {
    let model: Model
    let layout: Layout
    let look: Look

    func draw(into grid: inout Grid) {
        guard !layout.detail.isEmpty else { return }
        switch model.list.selected?.kind {
        case .batch: BatchPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .chain: ChainPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .target, .group, nil: drawTarget(into: &grid)
        }
    }

    private func drawTarget(into grid: inout Grid) {
        grid.clipped(to: layout.request) { grid in
            RequestPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        for side in [PaneSide.cache, .server] {
            let rect = side == .cache ? layout.cache : layout.server
            grid.clipped(to: rect) { grid in
                AnswerPane(side: side, model: model, layout: layout, look: look)
                    .draw(in: rect, into: &grid)
            }
        }
    }
}
