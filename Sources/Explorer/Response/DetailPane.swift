import Apus
import Terminal
import TreeView

/// The details of the selected line of the list: a request with its two responses, a batch, a chain, or a group.
struct DetailPane: ScreenView {
    let context: ScreenContext

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    @discardableResult
    func draw(into grid: inout Grid) -> Point? {
        guard !layout.detail.isEmpty else { return nil }
        if let past = model.layers.pastValues {
            PastValuesView(context: context, past: past)
                .draw(in: layout.value, into: &grid)
            return nil
        }
        guard model.responses.showsSelection else { return drawTarget(into: &grid) }
        switch model.targets.selected?.kind {
        case .batch: BatchPane(context: context)?.draw(into: &grid)
        case .chain: ChainPane(context: context)?.draw(into: &grid)
        case .target, .group, nil: return drawTarget(into: &grid)
        }
        return nil
    }

    /// Why the cache has no response, in a few words.
    private var cacheLine: String {
        guard let view = model.selectedView else { return "" }
        if case .success(let resolved)? = view.request, resolved.target.cachePolicy.storage == .none
        {
            return "Not cached"
        }
        switch (view.cache.content, view.storage) {
        case (.waiting, _): return "looking"
        case (.missed(let reason), _) where reason != .notFound: return reason.text
        case (.missed, .stored?): return "not cached before; stored now"
        case (.missed, .notStored(let reason)?):
            return "not cached before; not stored: \(reason.text)"
        case (.missed, nil): return "has no response"
        default: return "has no response yet"
        }
    }

    /// Draws in one row why the cache has no response, in place of the cache's pane.
    private func drawCacheLine(into grid: inout Grid) {
        let row = layout.cacheLine.inset(left: 2, right: 2)
        let used =
            model.keepsNothing ? 0 : grid.draw("Cache  ", in: row, style: look[.sourceCache])
        grid.draw(
            cacheLine,
            in: row.inset(left: used),
            style: look[.textMuted],
            cut: .end
        )
    }

    private func drawTarget(into grid: inout Grid) -> Point? {
        if let value = model.focusedDocument?.wholeValue {
            WholeValueView(
                value: value,
                isFramed: layout.isFramed,
                now: model.clock.now.uptime,
                clock: WallClock(now: model.clock.now.wall, zone: model.clock.zone),
                look: look
            ).draw(in: layout.value, into: &grid)
            return nil
        }
        var cursor = grid.clipped(to: layout.request) { grid in
            RequestPane(context: context).draw(into: &grid)
            return RequestEditorView(context: context).draw(into: &grid)
        }
        drawCacheLine(into: &grid)
        for side in [PaneSide.cache, .server] {
            let rect = side == .cache ? layout.cache : layout.server
            let place = grid.clipped(to: rect) { grid in
                ResponsePane(context: context, side: side)
                    .draw(in: rect, into: &grid)
            }
            cursor = cursor ?? place
        }
        return cursor
    }
}
