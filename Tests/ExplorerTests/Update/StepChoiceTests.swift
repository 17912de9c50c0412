import Apus
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("Choosing a step of a chain")
struct StepChoiceTests {
    /// Which step is chosen after some keys.
    private func chosen(
        after keys: String,
        in scene: Scene = .graph,
        size: (Int, Int) = (120, 40)
    ) -> String? {
        var model = scene.model(size.0, size.1)
        model.panes.focus = .server
        model.workspace.isRequested = true
        for name in keys.split(separator: " ") {
            guard let key = Key(String(name)) else { return "no key \(name)" }
            _ = model.handle(key)
        }
        return model.selectedView?.chosenStep.flatMap { model.shownChain?.steps[$0].name }
    }

    @Test(
        "keys go from box to box, to what is nearest",
        arguments: [
            ("up", "prices"), ("up up", "verify"), ("up up up", "verify"), ("left", "lamps"),
            ("right", "gift"), ("right up", "order"), ("l l", "goodbye"), ("l l l", "goodbye"),
            ("g", "register"), ("G", "goodbye"), ("g right", "verify"), ("down", "coupon"),
        ]
    )
    func boxes(keys: String, step: String) { #expect(chosen(after: keys) == step) }

    @Test("where there is no room for boxes, up and down go through the list")
    func list() {
        #expect(chosen(after: "down", size: (40, 10)) == "order")
        #expect(chosen(after: "up up", size: (40, 10)) == "verify")
    }

    @Test("choosing begins with the step that runs")
    func begin() {
        #expect(chosen(after: "down", in: .chain) == "profile")
        #expect(chosen(after: "down left", in: .chain) == "verify")
    }

    @Test("the step that was chosen is told whole, and has a sign")
    func words() {
        let rows = Grid.rendering(Scene.graph.model(120, 40)).textRows
        #expect(rows.contains { $0.contains("▸ coupon") })
        #expect(rows.contains { $0.contains("coupon · GET /status/503 · ✗ · 503") })
    }

    @Test("in the list of targets no step is marked")
    func unfocused() {
        var model = Scene.graph.model(120, 40)
        model.panes.focus = .targets
        #expect(!Grid.rendering(model).textRows.contains { $0.contains("▸ coupon") })
    }

    @Test("enter runs the chain from its pane, too")
    func enter() {
        var model = Scene.graph.model(120, 40)
        model.workspace.isRequested = true
        let effects = model.handle(Key(.enter, []))
        #expect(!effects.isEmpty || model.notice != nil)
    }
}
