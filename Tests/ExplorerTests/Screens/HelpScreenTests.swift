import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("The help")
struct HelpScreenTests {
    @Test(
        "every binding of the key table stands in it",
        arguments: [(120, 40), (80, 24), (40, 10)]
    )
    func everyBinding(columns: Int, rows: Int) {
        var model = Scene.help.model(columns, rows)
        var seen = ""
        for offset in 0...lastOffset(model.size) {
            model.layers.help?.scroll.offset = offset
            seen += Grid.rendering(model).textRows.joined(separator: "\n") + "\n"
        }
        for binding in KeyTable.explorer.bindings
        where KeyBinding.Place.ofExplorer.contains(binding.place) {
            let start = String(binding.help.prefix(15))
            #expect(seen.contains(start), "no \(binding.action) in \(columns)x\(rows)")
        }
    }

    private func lastOffset(_ size: Size) -> Int {
        let area = PageLayout(size: size).inside
        let text = HelpText(.explorer, places: KeyBinding.Place.ofExplorer, columns: area.columns)
        return max(0, text.rowCount - area.rows)
    }

    @Test("scrolling beyond its end shows its end")
    func beyondTheEnd() {
        var model = Scene.help.model(80, 24)
        model.layers.help?.scroll.offset = lastOffset(model.size)
        let end = Grid.rendering(model)
        model.layers.help?.scroll.offset = 10_000
        #expect(Grid.rendering(model) == end)
    }
}
