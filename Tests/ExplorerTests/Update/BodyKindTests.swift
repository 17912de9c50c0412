import Apus
import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("Kinds of bodies in hand")
struct BodyKindTests {
    private func play(_ body: TargetDraft.Body) -> Play {
        var draft = EditableCatalog.draft
        draft.body = body
        var play = Play(catalog: EditableCatalog().catalog(draft))
        play.type("j k")
        return play
    }

    private func body(of play: Play) -> TargetDraft.Body? {
        play.model.request.edited[EditableCatalog.item]?.edits.draft.body
    }

    @Test("rows of a form are edited, added and taken away in its tab")
    func form() {
        var play = play(.form([.init("a", "1"), .init("b", "2")]))
        play.type("B c")
        play.write("3")
        play.type("enter")
        #expect(body(of: play) == .form([.init("a", "3"), .init("b", "2")]))
        play.type("n")
        play.write("c=4")
        play.type("enter j x")
        #expect(body(of: play) == .form([.init("a", "3"), .init("c", "4")]))
    }

    @Test("parts are rows, and one with @ before a path says that it is a file")
    func parts() {
        var play = play(.multipart([.init("a", "1")]))
        play.type("B n")
        play.write("f=@pic.png")
        play.type("enter")
        #expect(body(of: play) == .multipart([.init("a", "1"), .init("f", "@pic.png")]))
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("a file") })
        play.type("ctrl+r ctrl+r")
        #expect(play.model.request.edited.isEdited(EditableCatalog.item) == false)
    }

    @Test("a query is edited by its lines, its variables as a tree")
    func query() {
        var play = play(.graphQL(query: "{\n  a\n}", variables: #"{"id": 1}"#, operation: ""))
        play.type("B j c")
        play.write("  b")
        play.type("enter")
        #expect(
            body(of: play) == .graphQL(query: "{\n  b\n}", variables: #"{"id": 1}"#, operation: "")
        )
        play.type("end c")
        play.write("2")
        play.type("enter")
        #expect(
            body(of: play) == .graphQL(query: "{\n  b\n}", variables: #"{"id": 2}"#, operation: "")
        )
        play.type("n")
        play.write("x")
        play.type("enter")
        play.write("y")
        play.type("enter")
        #expect(
            body(of: play)
                == .graphQL(query: "{\n  b\n}", variables: #"{"id": 2, "x": "y"}"#, operation: "")
        )
        play.type("x o")
        guard case .request(.beginScratch(_, let text, ".graphql"))? = play.effects.first else {
            Issue.record("no editor was opened")
            return
        }
        #expect(text == "{\n  b\n}")
    }

    @Test("t goes round all kinds, and back to none")
    func kinds() {
        var play = play(.none)
        play.type("B")
        var titles: [String] = []
        for _ in 0..<7 {
            play.type("t")
            titles.append(body(of: play)?.title ?? "")
        }
        #expect(titles == ["JSON", "form", "multipart", "GraphQL", "text", "file", "none"])
    }

    @Test("a batch says that it sends what is saved while a request is edited")
    func unsaved() {
        var play = Play(
            catalog: {
                var catalog = EditableCatalog().catalog()
                catalog.nodes += Catalog.sample.nodes.suffix(2)
                return catalog
            }()
        )
        play.type("j k H j c")
        play.write("blue")
        play.type("enter esc end")
        play.type("enter")
        #expect(
            play.model.notice?.text
                == "a request has unsaved edits: the chain sends what is in test.apus.yaml"
        )
        play.type("up enter")
        #expect(play.model.notice?.text.contains("the batch sends") == true)
    }
}
