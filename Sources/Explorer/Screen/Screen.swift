import Terminal
import TreeView

/// Draws the whole screen from the model.
///
/// Pure: no clock, no file, no waiting. Every view draws only into its own rectangle of `Layout`.
enum Screen {
    /// Draws the model; returns the position of the text cursor, nil to hide it.
    static func render(_ model: Model, into grid: inout Grid, look: Look) -> Point? {
        let context = ScreenContext(model, look)
        let layout = context.layout
        guard model.workspace.catalog != nil else {
            FirstFrame(context: context).draw(into: &grid)
            return nil
        }
        HeaderBar(context: context).draw(in: layout.header, into: &grid)
        // A page hides what is below it.
        let layers = model.openLayers
        let page = layers.firstIndex { $0.kind.isPage }
        var cursor = page == nil ? drawPanes(context, into: &grid) : nil
        let shown = layers.prefix(page.map { $0 + 1 } ?? layers.count)
        for layer in shown.reversed() {
            cursor = draw(layer, context, into: &grid) ?? cursor
        }
        let typed = FooterBar(context: context).draw(into: &grid)
        // The labels are over the footer, too.
        if let jump = model.layers.jump { JumpView(jump: jump, look: look).draw(into: &grid) }
        return typed ?? cursor
    }

    private static func drawPanes(_ context: ScreenContext, into grid: inout Grid) -> Point? {
        let layout = context.layout
        let cursor = grid.clipped(to: layout.targets) { grid in
            TargetsPane(context: context).draw(into: &grid)
        }
        let session = grid.clipped(to: layout.progress) { grid in
            SessionPane(context: context).draw(into: &grid)
        }
        let detail = grid.clipped(to: layout.detail) { grid in
            DetailPane(context: context).draw(into: &grid)
        }
        return cursor ?? session ?? detail
    }
}

/// The model, layout and look of one frame, shared by its views.
///
/// It is a class because a view that stored the model would copy its hundreds of fields. With such copies, this
/// module took more than twice as long to compile for release.
final class ScreenContext {
    let model: Model
    let layout: Layout
    let look: Look

    init(_ model: Model, _ look: Look) {
        self.model = model
        layout = model.layout
        self.look = look
    }
}

/// A part of the screen that shows the model.
protocol ScreenView {
    var context: ScreenContext { get }
}

extension ScreenView {
    var model: Model { context.model }
    var layout: Layout { context.layout }
    var look: Look { context.look }
}

/// The screen while the workspace is being read: nearly empty, so that it appears at once.
struct FirstFrame: ScreenView {
    let context: ScreenContext

    func draw(into grid: inout Grid) {
        let bounds = grid.bounds
        let name = grid.draw(" apus ", x: 0, y: 0, style: look[.titleProgram])
        grid.draw(model.workspace.sourceName, x: name + 1, y: 0, style: look[.title], cut: .end)
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

/// The labels of a jump, over everything else.
struct JumpView {
    let jump: Jump
    let look: Look

    func draw(into grid: inout Grid) {
        for label in jump.candidates {
            // Shows only the letters that are still to be typed.
            let rest = String(label.text.dropFirst(jump.typed.count))
            grid.draw(rest, x: label.point.x, y: label.point.y, style: look[.badge])
        }
    }
}
