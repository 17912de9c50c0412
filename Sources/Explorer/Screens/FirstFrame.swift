import Terminal

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
