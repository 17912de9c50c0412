import Apus
import Terminal

/// The whole screen: what the model looks like.
///
/// Pure: no clock, no file, no waiting. Every view draws into its own rectangle
/// of `Layout` and nowhere else.
enum Screen {
    /// Draws the model; returns where the text cursor stands, nil to hide it.
    static func render(_ model: Model, into grid: inout Grid, look: Look) -> Point? {
        let layout = model.layout
        guard model.catalog != nil else {
            FirstFrame(model: model, look: look).draw(layout, into: &grid)
            return nil
        }
        HeaderBar(model: model, look: look).draw(in: layout.header, into: &grid)
        var cursor: Point?
        if model.explanation != nil {
            WhyScreen(model: model, look: look).draw(into: &grid)
        } else if let help = model.help {
            HelpScreen(
                size: model.size,
                keys: model.keys,
                places: KeyBinding.Place.ofExplorer,
                scroll: help,
                look: look
            )
            .draw(into: &grid)
        } else if let list = model.cookies {
            CookieScreen(list: list, model: model, look: look).draw(into: &grid)
        } else {
            cursor = drawPanes(model, layout, into: &grid, look: look)
        }
        if let picker = model.picker {
            cursor = PickerView(picker: picker, size: model.size, look: look).draw(into: &grid)
        }
        let typed = FooterBar(model: model, look: look).draw(layout, into: &grid)
        if let jump = model.jump { JumpView(jump: jump, look: look).draw(into: &grid) }
        return typed ?? cursor
    }

    private static func drawPanes(
        _ model: Model,
        _ layout: Layout,
        into grid: inout Grid,
        look: Look
    ) -> Point? {
        let cursor = grid.clipped(to: layout.targets) { grid in
            TargetsPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        let session = grid.clipped(to: layout.progress) { grid in
            SessionPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        let detail = grid.clipped(to: layout.detail) { grid in
            DetailPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        return cursor ?? session ?? detail
    }
}

/// What stands on the screen while the workspace is being read: nearly nothing,
/// so that it is there at once.
struct FirstFrame {
    let model: Model
    let look: Look

    func draw(_ layout: Layout, into grid: inout Grid) {
        let bounds = grid.bounds
        let name = grid.draw(" apus ", x: 0, y: 0, style: look[.titleProgram])
        grid.draw(model.sourceName, x: name + 1, y: 0, style: look[.title], cut: .end)
        guard bounds.rows > 1 else { return }
        let text = "reading the workspace\(look.symbols.ellipsis)"
        let x = max(0, (bounds.columns - TextWidth.columns(of: text)) / 2)
        grid.draw(
            text,
            x: x,
            y: bounds.rows / 2,
            width: bounds.columns - x,
            style: look[.textMuted],
            cut: .end
        )
    }
}

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
        if let past = model.pastValues {
            PastValuesView(past: past, model: model, layout: layout, look: look)
                .draw(in: layout.value, into: &grid)
            return nil
        }
        guard model.showsSelection else { return drawTarget(into: &grid) }
        switch model.list.selected?.kind {
        case .batch: BatchPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .chain: ChainPane(model: model, layout: layout, look: look).draw(into: &grid)
        case .target, .group, nil: return drawTarget(into: &grid)
        }
        return nil
    }

    /// Why the cache has no answer, in a few words.
    private var cacheLine: String {
        guard let view = model.selectedView else { return "" }
        if case .success(let resolved)? = view.request, resolved.target.cachePolicy.storage == .none
        {
            return "keeps nothing of this target: its policy stores no answers"
        }
        switch (view.cache.content, view.storage) {
        case (.waiting, _): return "looking"
        case (.missed(let reason), _) where reason != .notFound: return reason.text
        case (.missed, .stored?): return "had no answer; it has the server's now"
        case (.missed, .notStored(let reason)?):
            return "had no answer; the server's was not stored: \(reason.text)"
        case (.missed, nil): return "has no answer"
        default: return "has no answer yet"
        }
    }

    /// What a pane of its own would say at length.
    private func drawCacheLine(into grid: inout Grid) {
        let row = layout.cacheLine.inset(left: 2, right: 2)
        let used = grid.draw("Cache  ", in: row, style: look[.sourceCache])
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
                now: model.now.uptime,
                clock: WallClock(now: model.now.wall, zone: model.timeZone),
                look: look
            ).draw(in: layout.value, into: &grid)
            return nil
        }
        var cursor = grid.clipped(to: layout.request) { grid in
            RequestPane(model: model, layout: layout, look: look).draw(into: &grid)
            return RequestEditorView(model: model, layout: layout, look: look).draw(into: &grid)
        }
        drawCacheLine(into: &grid)
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
