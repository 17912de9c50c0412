import Terminal
import Testing

@testable import Explorer

@Suite("Screens in any size")
struct ScreenSizeTests {
    @Test(
        "a screen draws in every size from 1x1 to 130x50",
        arguments: [Scene.responses, .busy]
    )
    func everySize(_ scene: Scene) {
        var model = scene.model(120, 40)
        for columns in 1...130 {
            for rows in 1...50 {
                draw(&model, columns, rows, Focus.allCases[(columns + rows) % Focus.allCases.count])
            }
        }
    }

    @Test("every scene draws in a sample of all sizes", arguments: Scene.allCases)
    func everyScene(_ scene: Scene) {
        var model = scene.model(120, 40)
        for columns in stride(from: 1, through: 130, by: 2) {
            for rows in stride(from: 1 + columns % 5, through: 50, by: 5) {
                draw(
                    &model,
                    columns,
                    rows,
                    Focus.allCases[(columns / 2 + rows) % Focus.allCases.count]
                )
            }
        }
    }

    private func draw(_ model: inout Model, _ columns: Int, _ rows: Int, _ focus: Focus) {
        model.size = Size(columns: columns, rows: rows)
        model.panes.focus = focus
        let grid = Grid.rendering(model)
        #expect(grid.size == model.size)
    }

    @Test(
        "a pane draws only inside its rectangle",
        arguments: Scene.allCases,
        [(1, 1), (7, 3), (20, 5), (40, 10), (60, 14), (61, 23), (80, 24), (100, 24), (130, 50)]
    )
    func nothingOutside(_ scene: Scene, size: (Int, Int)) {
        let model = scene.model(size.0, size.1)
        guard model.workspace.catalog != nil else { return }
        for focus in Focus.allCases {
            var model = model
            model.panes.focus = focus
            expectNothingOutside(model)
        }
    }

    /// Draws one pane at a time and looks for cells that it changed outside its rectangle.
    private func expectNothingOutside(_ model: Model) {
        let layout = model.layout
        let context = ScreenContext(model, Look(theme: .standard))
        expect("targets", within: layout.targets, model) { grid in
            _ = TargetsPane(context: context).draw(into: &grid)
        }
        expect("progress", within: layout.progress, model) { grid in
            _ = SessionPane(context: context).draw(into: &grid)
        }
        expect("detail", within: layout.detail, model) { grid in
            DetailPane(context: context).draw(into: &grid)
        }
        expect("header", within: layout.header, model) { grid in
            HeaderBar(context: context).draw(in: layout.header, into: &grid)
        }
    }

    private func expect(
        _ name: String,
        within rect: Rect,
        _ model: Model,
        _ draw: (inout Grid) -> Void
    ) {
        var grid = Grid(size: model.size)
        draw(&grid)
        for y in 0..<model.size.rows {
            for x in 0..<model.size.columns where !rect.contains(Point(x: x, y: y)) {
                guard grid[x, y].scalar != " " else { continue }
                Issue.record("\(name) drew at \(x), \(y) outside \(rect) in \(model.size)")
                return
            }
        }
    }

    @Test(
        "plain signs draw every scene without a character beyond ASCII",
        arguments: Scene.allCases
    )
    func plainSigns(_ scene: Scene) {
        var model = scene.model(120, 40)
        // What the catalog says is its own.
        model.responses.views = RecentTargets()
        let text = Grid.rendering(model, symbols: .plain).textRows.joined()
        #expect(text.unicodeScalars.filter { !$0.isASCII } == [])
    }
}
