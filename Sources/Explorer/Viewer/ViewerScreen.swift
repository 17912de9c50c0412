import Documents
import Terminal

/// The whole screen of `apus view`.
///
/// Pure, as `Screen` is.
struct ViewerScreen {
    let model: ViewerModel
    let look: Look

    private var layout: ViewerLayout { model.layout }
    private var pane: TreePane { model.pane }

    /// Draws the model; returns where the text cursor stands, nil to hide it.
    static func render(_ model: ViewerModel, into grid: inout Grid, look: Look) -> Point? {
        ViewerScreen(model: model, look: look).draw(into: &grid)
    }

    private func draw(into grid: inout Grid) -> Point? {
        var cursor: Point?
        if let help = model.help {
            HelpScreen(
                size: model.size,
                places: KeyBinding.Place.ofViewer,
                view: help,
                look: look
            ).draw(into: &grid)
        } else if let value = pane.wholeValue {
            WholeValueView(value: value, isFramed: layout.isFramed, now: model.now, look: look)
                .draw(in: layout.pane, into: &grid)
        } else {
            cursor = drawPane(into: &grid)
        }
        ViewerFooter(model: model, look: look).draw(in: layout.footer, into: &grid)
        return cursor
    }

    private func drawPane(into grid: inout Grid) -> Point? {
        let titles = ViewerTitle(model: model, look: look)
        PaneFrame(
            title: titles.title,
            trailing: titles.trailing,
            foot: titles.path(columns: layout.pane.columns - titles.place.columns - 9),
            footTrailing: titles.place,
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.pane, into: &grid, look: look)
        grid.draw(
            titles.path(columns: layout.path.columns),
            x: layout.path.x,
            y: layout.path.y,
            width: layout.path.columns
        )
        if pane.body == nil {
            drawWords(in: layout.body.inset(left: layout.isFramed ? 1 : 0), into: &grid)
            return nil
        }
        return TreePaneView(
            pane: pane,
            isFocused: true,
            isPadded: layout.isFramed,
            now: model.now,
            look: look
        ).draw(in: layout.body, into: &grid)
    }

    /// What stands where the rows would.
    private func drawWords(in area: Rect, into grid: inout Grid) {
        let part: Paragraph.Part =
            switch model.content {
            case .failed(let text): .init(text: text, style: look[.error])
            case .opening:
                .init(
                    text: "\(look.spinner(at: model.now)) waiting for the first bytes",
                    style: look[.textMuted]
                )
            case .open: .init(text: "", style: look[.text])
            }
        Paragraph(parts: [part]).draw(in: area, into: &grid)
    }
}
