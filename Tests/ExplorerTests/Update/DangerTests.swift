import Apus
import Terminal
import Testing

@testable import Explorer

@Suite("An environment that is marked as dangerous")
struct DangerTests {
    private static var catalog: Catalog {
        var catalog = Catalog.sample
        catalog.marks["staging"] = EnvironmentMark(isDangerous: true)
        for (name, method) in [("Delete", "DELETE"), ("Patch", "PATCH"), ("Look", "HEAD")] {
            let target = CatalogTarget(id: CatalogID(name), name: name, method: method)
            catalog.nodes.append(.target(target))
        }
        return catalog
    }

    private func play(on name: String, in environment: Int = 1) -> Play {
        var play = Play(catalog: Self.catalog)
        play.model.workspace.environment = environment
        let row = play.model.targets.rows.firstIndex { $0.name == name }
        play.model.targets.scroll.select(row ?? 0)
        return play
    }

    @Test(
        "what may change something is asked about, and nothing else",
        arguments: [
            ("Show user", false), ("Look", false), ("Delete", true), ("Patch", true),
            ("Warm", false), ("Sign up", true),
        ]
    )
    func asks(_ name: String, isAsked: Bool) {
        var play = play(on: name)
        play.type("enter")
        #expect((play.model.layers.confirmation != nil) == isAsked)
        #expect((play.firedRun == nil) == isAsked)
        var other = self.play(on: name, in: 0)
        other.type("enter")
        #expect(other.model.layers.confirmation == nil && other.firedRun != nil)
    }

    @Test("only y sends; enter, escape, another letter and a click do not")
    func answers() {
        for (key, isSent) in [
            ("y", true), ("enter", false), ("esc", false), ("q", false), ("n", false),
        ] {
            var play = play(on: "Delete")
            play.type("enter \(key)")
            #expect((play.firedRun != nil) == isSent, "\(key)")
            #expect(play.model.layers.confirmation == nil)
        }
        var play = play(on: "Delete")
        play.type("enter")
        play.send(.mouse(MouseEvent(kind: .press, position: Point(x: 60, y: 12))))
        #expect(play.model.layers.confirmation == nil && play.firedRun == nil)
    }

    @Test("it asks each time, until a says that it asks no more; the palette brings it back")
    func again() {
        var play = play(on: "Delete")
        play.type("enter y enter")
        #expect(play.model.layers.confirmation != nil)
        play.type("a")
        #expect(play.firedRun != nil)
        play.type("enter")
        #expect(play.model.layers.confirmation == nil && play.firedRun != nil)
        play.type(": c o n f i r m enter enter")
        #expect(play.model.layers.confirmation != nil)
    }

    @Test("a watch asks once, before it begins")
    func watch() {
        var play = play(on: "Delete")
        play.receive(.catalogLoaded(Self.catalog))
        play.type("w enter")
        #expect(play.model.layers.confirmation != nil)
        play.type("y")
        #expect(play.effects.contains { if case .watch = $0 { true } else { false } })
    }

    @Test("a catalog that is read again takes the question back")
    func reload() {
        var play = play(on: "Delete")
        play.type("enter")
        play.receive(.catalogLoaded(Self.catalog))
        #expect(play.model.layers.confirmation == nil)
    }

    @Test("its name is red, with a sign, in the title and in the list of environments")
    func shown() {
        var play = play(on: "Delete")
        var grid = Grid.rendering(play.model)
        #expect(grid.textRows[0].contains("env ! staging"))
        #expect(Theme.standard.description(of: grid.style(of: "staging", row: 0)).contains("error"))
        play.type("enter")
        grid = Grid.rendering(play.model)
        let question = "! DELETE Delete on staging. Send it?"
        #expect(grid.textRows.contains { $0.contains(question) })
        #expect(grid.textRows.last?.contains("y send  a send, and stop asking") == true)
        var tiny = play.model
        tiny.size = Size(columns: 40, rows: 10)
        #expect(
            Grid.rendering(tiny).textRows.last?.contains("! y sends it: DELETE Delete on") == true
        )
    }
}

extension Grid {
    /// The style of the first letter of a text in a row.
    fileprivate func style(of text: String, row: Int) -> StyleID {
        let line = textRows[row]
        guard let place = line.firstRange(of: text) else { return .default }
        let x = line.distance(from: line.startIndex, to: place.lowerBound)
        return self[x, row].style
    }
}
