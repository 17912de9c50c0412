import Apus
import Terminal

/// What the line under the list's cursor is about: a request with its two
/// answers, a batch, a chain, or a group.
struct DetailPane {
    let model: Model
    let layout: Layout
    let look: Look

    /// Draws it; returns where the text cursor stands while something is typed.
    @discardableResult
    func draw(into grid: inout Grid) -> Point? {
        guard !layout.detail.isEmpty else { return nil }
        switch model.list.selected?.kind {
        case .batch: BatchPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .chain: ChainPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .target, .group, nil: return drawTarget(into: &grid)
        }
        return nil
    }

    private func drawTarget(into grid: inout Grid) -> Point? {
        if let value = model.focusedTree?.wholeValue {
            WholeValueView(
                value: value,
                isFramed: layout.isFramed,
                now: model.now.uptime,
                look: look
            ).draw(in: layout.value, into: &grid)
            return nil
        }
        grid.clipped(to: layout.request) { grid in
            RequestPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        var cursor: Point?
        for side in [PaneSide.cache, .server] {
            let rect = side == .cache ? layout.cache : layout.server
            let place = grid.clipped(to: rect) { grid in
                AnswerPane(side: side, model: model, layout: layout, look: look)
                    .draw(in: rect, into: &grid)
            }
            cursor = cursor ?? place
        }
        return cursor
    }
}
