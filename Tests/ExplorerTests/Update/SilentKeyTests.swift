import Apus
import Documents
import Recordings
import Terminal
import Testing
import TreeView

@testable import Explorer

/// No key does nothing without a word.
@Suite("Keys that have nothing to do")
struct SilentKeyTests {
    /// What takes the keys in these is tested elsewhere, or changes nothing by intent.
    private static let others: Set<Scene> = [
        .loading, .help, .why, .danger, .jump, .requestTyping, .sharedHit, .sharedRefusal,
        .sharedVariants,
    ]

    /// A situation: a scene, the pane that has the keys, and keys that were pressed before.
    struct Situation: CustomTestStringConvertible {
        let scene: Scene
        let focus: Focus
        var keys = ""

        var testDescription: String { "\(scene) \(focus) \(keys)" }

        var model: Model? {
            var play = Play()
            play.model = scene.model(120, 40)
            if focus == .request { play.type("5") } else { play.model.panes.focus = focus }
            guard play.model.panes.focus == focus else { return nil }
            play.model.fitPanes()
            play.type(keys)
            let model = play.model
            let isTyping =
                model.targets.filter.isTyping || model.session.filter.isTyping
                || model.layers.prompt != nil
                || model.layers.picker != nil || model.request.field != nil
                || model.layers.isOpen(.tabLetter)
            return isTyping ? nil : model
        }
    }

    private static let situations: [Situation] =
        Scene.allCases.filter { !others.contains($0) }.flatMap { scene in
            Focus.allCases.map { Situation(scene: scene, focus: $0) }
        }
        + ["t", "t t", "a", "y", "-", "$ . n enter", "i", "d", "d -", "enter"].flatMap { keys in
            [Focus.cache, .server].flatMap { focus in
                [Scene.responses, .failure, .text, .then].map {
                    Situation(scene: $0, focus: focus, keys: keys)
                }
            }
        }

    @Test(
        "every key of the table changes the screen, has an effect, or says why not",
        arguments: situations
    )
    func speaks(_ situation: Situation) {
        guard let model = situation.model else { return }
        let places = model.keyPlaces
        let before = Self.screen(of: model)
        var silent: [String] = []
        for binding in model.keys.bindings where places.contains(binding.place) {
            // Moving says nothing at an end.
            guard binding.place != .moving, binding.place != .typing else { continue }
            for name in binding.keys.prefix(1) {
                guard let key = Key(name),
                    model.keys.action(for: key, in: places) == binding.action,
                    ![.up, .down, .left, .right].contains(binding.action)
                else { continue }
                var changed = model
                let effects = update(&changed, .key(key), at: changed.clock.now)
                let isHeard =
                    !effects.isEmpty || changed.notice != nil || changed.layers.prompt != nil
                if !isHeard, Self.screen(of: changed) == before {
                    silent.append("\(name) (\(binding.action))")
                }
            }
        }
        #expect(silent == [], "\(situation.testDescription)")
    }

    private static func screen(of model: Model) -> Grid {
        var grid = Grid(size: model.size)
        _ = Screen.render(model, into: &grid, look: Look(theme: model.appearance.theme))
        return grid
    }

    @Test("what is typed after a refused input line is no command")
    func refused() {
        var play = Play(hasHistory: true)
        play.model = Scene.session.model(120, 40)
        play.model.panes.focus = .progress
        let isRun = { (model: Model) in
            if case .entry(.run)? = model.session.selected { true } else { false }
        }
        for _ in 0..<20 where !isRun(play.model) { play.type("j") }
        #expect(isRun(play.model))
        play.type("N")
        #expect(play.model.notice?.text.hasPrefix("a note is for one request") == true)
        let before = Self.screen(of: play.model)
        for key in "p q x r space s e X W".split(separator: " ") {
            play.type(String(key))
            #expect(play.effects.isEmpty && Self.screen(of: play.model) == before, "\(key)")
        }
        play.send(.paste("curl http://api.test/"))
        #expect(play.effects.isEmpty)
        play.type("esc")
        #expect(play.model.notice == nil)
        play.type("/")
        #expect(play.model.session.filter.isTyping)
    }

    @Test("a refused text stays in its line, with what is wrong below it")
    func staysOpen() {
        for (keys, text, problem) in [
            ("w", "soon", "is not a time"), ("R", "", "a session needs a name"),
        ] {
            var play = Play(hasHistory: true)
            play.type("j \(keys)")
            play.model.layers.prompt?.field.text = ""
            for letter in text { play.type(String(letter)) }
            play.type("enter")
            #expect(play.model.layers.prompt?.field.text == text)
            #expect(
                Self.screen(of: play.model).textRows.contains { $0.contains(problem) },
                "\(keys)"
            )
            #expect(play.effects.isEmpty)
            play.type("x")
            #expect(play.model.layers.prompt?.field.text == text + "x" && play.model.notice == nil)
        }
    }

    @Test("a filter that nothing matches, or with a word that is none, keeps the keys")
    func filters() {
        var play = Play(hasHistory: true)
        play.type("/ z z z enter q")
        #expect(play.model.targets.filter?.text == "zzzq" && play.model.targets.filter.isTyping)
        play.type("esc 4 /")
        for letter in "stauts:5xx" { play.type(String(letter)) }
        play.type("enter q")
        #expect(play.model.session.filter?.text == "stauts:5xxq")
        play.type("backspace enter")
        #expect(play.model.notice?.text.contains("did you mean status:5xx?") == true)
        #expect(play.effects.isEmpty)
    }
}
