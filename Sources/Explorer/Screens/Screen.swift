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
            ExplanationScreen(model: model).draw(into: &grid, look: look)
        } else if let help = model.help {
            HelpScreen(
                size: model.size,
                places: KeyBinding.Place.ofExplorer,
                view: help,
                look: look
            )
            .draw(into: &grid)
        } else {
            cursor = drawPanes(model, layout, into: &grid, look: look)
        }
        FooterBar(model: model, look: look).draw(layout, into: &grid)
        return cursor
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
        grid.clipped(to: layout.progress) { grid in
            ProgressPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        let detail = grid.clipped(to: layout.detail) { grid in
            DetailPane(model: model, layout: layout, look: look).draw(into: &grid)
        }
        return cursor ?? detail
    }
}
