import Apus
import FoundationEssentials
import Terminal
import Testing
import TreeView

@testable import Explorer
@testable import Recordings

@Suite("The palette and its like")
struct PickerTests {
    private func play() -> Play {
        var play = Play()
        play.type(":")
        play.receive(.targetsIndexed(TargetIndex(.sample)))
        return play
    }

    private func names(_ play: Play) -> [String] {
        play.model.layers.picker?.shown.map(\.name) ?? []
    }

    @Test("it finds actions, targets, environments, sources and themes by letters")
    func finds() {
        for (keys, name) in [
            ("w h y", "why"), ("s h o w", "Users/Show user"), ("s t a g", "staging"),
            ("p a p e r", "paper"), ("c a c h e + s e r v e r", "cache+server"),
            ("o r d", "Orders/Order"),
        ] {
            var play = play()
            play.type(keys)
            #expect(names(play).contains(name), "\(keys): \(names(play))")
        }
    }

    @Test("enter does it: a target is selected wherever it hides, an environment chosen")
    func chooses() {
        var play = play()
        play.type("esc")
        #expect(play.model.layers.picker == nil)
        play.model.targets.toggle(CatalogID("Orders/"), in: .sample)
        play.type(": o r d e r enter")
        #expect(play.model.targets.selected?.name == "Order")
        #expect(play.model.layers.picker == nil)
        play.type(": s t a g i n g enter")
        #expect(play.model.workspace.environment == 1)
        play.type(": w h y enter")
        #expect(play.model.layers.explanation != nil)
    }

    @Test("no letter is a command while it is open")
    func takesLetters() {
        var play = play()
        play.type("q x T")
        #expect(play.model.layers.picker?.field.text == "qxT")
        #expect(play.effects.isEmpty)
    }

    @Test("a theme is seen while the cursor moves, kept with enter, and gone with escape")
    func themes() {
        var play = Play()
        play.type("T down")
        guard case .theme(let name)? = play.model.layers.picker?.selected?.choice else {
            Issue.record("no theme")
            return
        }
        #expect(name == ThemeLoader.builtInNames[1])
        #expect(play.effects.contains { if case .loadTheme(name) = $0 { true } else { false } })
        let theme = Theme(name: name, definitions: [:])
        play.receive(.theme(.loaded(name, theme, warning: nil)))
        #expect(shown(play) == theme)
        #expect(play.model.appearance.theme == .standard)
        var kept = play
        play.type("esc")
        #expect(shown(play) == .standard)
        kept.type("enter")
        #expect(kept.effects.contains { if case .keepTheme(name) = $0 { true } else { false } })
        kept.receive(.theme(.loaded(name, theme, warning: nil)))
        #expect(kept.model.appearance.theme == theme)
    }

    private func shown(_ play: Play) -> Theme? {
        for case .session(.use(let theme)) in play.effects { return theme }
        return nil
    }

    @Test("a longer text is found in what a shorter one found, as if searched anew")
    func narrows() {
        var index = FuzzyIndex()
        for number in 0..<500 { index.append("Users/Show user \(number) GET /users/\(number)") }
        var former: FuzzyIndex.Result?
        var text = ""
        for letter in "shus 42" {
            text.append(letter)
            let narrowed = index.search(text, within: former)
            let anew = index.search(text)
            #expect(narrowed.best == anew.best && narrowed.count == anew.count)
            former = narrowed
        }
        #expect((former?.count ?? 0) > 0)
    }

    @Test("what begins with the text comes before what has it inside, and that before mere letters")
    func order() {
        var index = FuzzyIndex()
        for text in ["c-a-t", "concat", "the cat", "cat", "dog"] { index.append(text) }
        #expect(index.search("cat").best.map(\.index) == [3, 2, 1, 0])
        #expect(index.search("CAT").count == 4)
        #expect(index.search("tac").count == 0)
    }

    @Test("letters are found where they begin words or stand together, and not all over a text")
    func scattered() {
        for (word, name, more, isFound) in [
            ("ord", "diff", "compare the cache with the server d", false),
            ("ord", "Orders/Order", "GET /orders", true),
            ("ord", "session", "record a session by name, or end it", true),
            ("shus", "Users/Show user", "GET /users/7", true),
            ("su", "Users/Show user", "GET /users/7", true),
            ("cp", "Products/Change price", "PATCH", true),
            ("shw", "Show user", "", true),
            ("swr", "Show user", "", false),
            ("gur", "Get", "a unit, and then a row", true),
            (
                "aaaaaaaaaaaaaaaaaaaaaaab", "a a a a a a a a a a a a a a a a a a a a a a a", "",
                false
            ),
        ] {
            var index = FuzzyIndex()
            index.append(name, more)
            #expect((index.search(word).count == 1) == isFound, "\(word) in \(name)")
        }
    }

    @Test("what is in the name comes before what is in the rest, and whole words before letters")
    func ranks() {
        var index = FuzzyIndex()
        let texts = [
            ("server", "where responses come from"), ("why", "what the source did"),
            ("Show order / user", "GET"), ("Our own user returns", "GET"), ("source", "next"),
        ]
        for (name, more) in texts { index.append(name, more) }
        #expect(index.search("source").best.map { texts[$0.index].0 } == ["source", "why"])
        #expect(index.search("sou").best.map(\.index) == [4, 1, 2])
    }

    @Test("sessions are found by name, and show what was recorded in them")
    func sessions() {
        var play = Play(hasHistory: true)
        play.type(": b u g")
        let session = RecordedSession(
            id: .init(1),
            name: "checkout bug",
            started: .distantPast,
            ended: nil,
            note: nil,
            count: 14
        )
        play.receive(.history(.sessions([session, session])))
        #expect(play.model.layers.picker?.shown.filter { $0.note == "session" }.count == 1)
        #expect(play.model.layers.picker?.selected?.detail == "14 exchanges")
        play.type("enter")
        #expect(play.model.panes.focus == .progress)
        #expect(play.model.session.filter?.text == "session:\"checkout bug\"")
        #expect(play.model.session.filter.isTyping == false)
    }

    @Test("a key lists the sources, with the one in use under the cursor")
    func sources() {
        var play = Play()
        play.type("D")
        #expect(play.model.layers.picker?.shown.count == SourceChoice.allCases.count)
        #expect(play.model.layers.picker?.selected?.choice == .source(.perTarget))
        play.type("c a c h e , enter")
        #expect(play.model.sending.source == .cacheIfPossible)
        play.type("D")
        #expect(play.model.layers.picker?.selected?.choice == .source(.cacheIfPossible))
    }

    @Test("a click on a hint of the footer is its key")
    func footer() throws {
        var play = Play()
        let grid = Grid.rendering(play.model)
        let row = try #require(grid.textRows.last)
        let place = try #require(row.firstRange(of: "help"))
        let x = row.distance(from: row.startIndex, to: place.lowerBound)
        play.send(
            .mouse(MouseEvent(kind: .press, position: Point(x: x, y: grid.textRows.count - 1)))
        )
        #expect(play.model.layers.help != nil)
    }

    @Test("a key gives the mouse to the terminal, and takes it back")
    func mouse() {
        var play = Play()
        play.type("M")
        #expect(
            play.effects.contains {
                if case .session(.reportMouse(false)) = $0 { true } else { false }
            }
        )
        play.type("M")
        #expect(play.model.panes.hasMouse)
    }
}
