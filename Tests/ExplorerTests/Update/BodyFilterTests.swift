import Apus
import Documents
import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("A response through a command")
struct BodyFilterTests {
    private static let item = CatalogID("Users/List users")

    /// The first target has answered, its body is open and has the keys.
    static func answered(_ size: Size = Size(columns: 120, rows: 40)) -> Play {
        var play = Play(size: size)
        play.type("j k enter")
        if let id = play.firedRun {
            play.receive(.exchange(id, .response(.sample(#"{"a": [1, 2], "b": "x"}"#))))
        }
        open(&play, #"{"a": [1, 2], "b": "x"}"#)
        play.type("3")
        return play
    }

    private static func open(_ play: inout Play, _ text: String) {
        for address in play.openedBodies {
            let body = BodyDocument(DocumentBytes(Array(text.utf8)), contentType: nil)
            play.receive(.bodyOpened(address, body))
        }
    }

    static func asked(_ play: Play) -> (PaneAddress, String, FilterInput)? {
        for case .filter(let address, let command, let input) in play.effects {
            return (address, command, input)
        }
        return nil
    }

    static func outcome(
        _ command: String,
        _ output: String,
        _ ending: ShellProcess.Ending = .exited(0),
        errors: String = ""
    ) -> BodyFilter.Outcome {
        var outcome = BodyFilter.Outcome(
            command: command,
            ending: ending,
            output: Array(output.utf8),
            errors: errors
        )
        let bytes = DocumentBytes(Array((output.isEmpty ? errors : output).utf8))
        outcome.document = BodyDocument(bytes, contentType: nil)
        return outcome
    }

    private static func answer(_ play: Play) -> ResponseState? { play.model.selectedView?.server }

    @Test("the body goes in; what was written stands in its place, and esc brings it back")
    func body() throws {
        var play = Self.answered()
        play.type("|")
        play.write("jq .a")
        play.type("enter")
        let (address, command, input) = try #require(Self.asked(play))
        #expect(command == "jq .a")
        guard case .body(.bytes(let bytes)) = input else {
            Issue.record("the body did not go in")
            return
        }
        #expect(bytes == Array(#"{"a": [1, 2], "b": "x"}"#.utf8))
        #expect(Self.answer(play)?.isFiltering == true)
        #expect(play.model.tick != nil, "the wheel turns")
        play.receive(.filtered(address, Self.outcome(command, "[1, 2]")))
        #expect(Self.answer(play)?.document.body?.document?.childCount(of: .root) == 2)
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("| jq .a") })
        play.type("esc")
        #expect(Self.answer(play)?.filter == nil)
        #expect(play.openedBodies.count == 1)
        Self.open(&play, #"{"a": [1, 2], "b": "x"}"#)
        #expect(Self.answer(play)?.document.body?.document?.kind(of: .root) == .object)
        #expect(play.model.panes.focus == .server)
    }

    @Test("tab lets the value under the cursor go in")
    func value() throws {
        var play = Self.answered()
        play.type("j |")
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("the body | ") })
        play.type("tab")
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("a | ") })
        play.write("wc")
        play.type("enter")
        guard case .value(let document, let node)? = Self.asked(play)?.2 else {
            Issue.record("the value did not go in")
            return
        }
        #expect(document.sourceText(of: node) == "[1, 2]")
    }

    @Test("up and down go through the commands of before")
    func history() {
        var play = Self.answered()
        for command in ["one", "two"] {
            play.type("|")
            play.write(command)
            play.type("enter esc")
        }
        play.type("|")
        play.write("three")
        play.type("up up")
        #expect(play.model.layers.prompt?.field.text == "one")
        play.type("down down")
        #expect(play.model.layers.prompt?.field.text == "three")
        play.type("up enter")
        #expect(Self.asked(play)?.1 == "two")
    }

    @Test("esc ends what runs; what it wrote then is not shown")
    func cancelled() throws {
        var play = Self.answered()
        play.type("|")
        play.write("slow")
        play.type("enter")
        let (address, command, _) = try #require(Self.asked(play))
        play.type("esc")
        #expect(
            play.effects.contains { if case .endFilter(address) = $0 { true } else { false } }
        )
        play.receive(.filtered(address, Self.outcome(command, "late")))
        #expect(Self.answer(play)?.document.body?.document?.kind(of: .root) == .object)
    }

    @Test("a failure says its status and the first line of its error, which stands in the pane")
    func failed() throws {
        var play = Self.answered()
        play.type("|")
        play.write("jq .[")
        play.type("enter")
        let (address, command, _) = try #require(Self.asked(play))
        play.receive(
            .filtered(address, Self.outcome(command, "", .exited(3), errors: "jq: no\nmore\n"))
        )
        #expect(play.model.notice?.text == "exit status 3: jq: no")
        let rows = Grid.rendering(play.model).textRows
        #expect(rows.contains { $0.contains("exit status 3") })
        #expect(rows.contains { $0.contains("more") })
    }

    @Test("another response takes the place of the output")
    func newResponse() throws {
        var play = Self.answered()
        play.type("|")
        play.write("cat")
        play.type("enter")
        let (address, command, _) = try #require(Self.asked(play))
        play.type("r")
        let id = try #require(play.firedRun)
        play.receive(.exchange(id, .response(.sample("[]"))))
        #expect(Self.answer(play)?.filter == nil)
        play.receive(.filtered(address, Self.outcome(command, "late")))
        #expect(Self.answer(play)?.filter == nil)
    }

    @Test("without a response there is nothing to run")
    func nothing() {
        var play = Play()
        play.type("j k |")
        #expect(play.model.layers.prompt == nil)
        #expect(play.model.notice?.text == "there is no body to run through a command")
    }
}
