import Terminal
import Testing

@testable import Explorer

@Suite("A request that is pasted")
struct PastedRequestTests {
    private static let curl = "curl -X POST http://127.0.0.1:8080/echo \\\n  -H 'X-A: 1' -d 'a=b'"

    @Test(
        "a curl command is pasted and sent in three keys, by itself in one",
        arguments: ["p", ""]
    )
    func curl(key: String) {
        var play = Play.editing()
        play.type(key)
        play.send(.paste(Self.curl))
        let paste = play.effects
        // Pressed before it is read: it waits for it.
        play.type("enter")
        #expect(play.firedRun == nil)
        play.receiveAnswers(to: paste)
        #expect(play.firedRun != nil)
        #expect(play.model.list.rows.contains { $0.name == "New" })
        #expect(play.model.editedRequests.pasted.count == 1)
        #expect(play.model.list.selected.map { play.model.editedRequests.isNew($0.id) } == true)
    }

    @Test("what is no request is said")
    func refuses() {
        var play = Play.editing()
        play.send(.paste("curl --no-such-option"))
        play.answerRequests()
        #expect(play.model.notice?.kind == .failure)
        #expect(play.model.editedRequests.pasting == nil)
    }

    @Test("it goes without the workspace's defaults, until a key adds them")
    func defaults() {
        var play = Play.editing()
        play.send(.paste(Self.curl))
        play.answerRequests()
        #expect(play.model.editedRequests.pasted.map(\.draft.takesDefaults) == [false])
        play.type("I")
        #expect(play.model.notice?.text.contains("with the workspace's") == true)
        play.answerRequests()
        #expect(play.model.editedRequests.pasted.map(\.draft.takesDefaults) == [true])
        #expect(
            play.model.editedRequests.pasted.first?.edit.target.id.description.hasPrefix("New/")
                == true
        )
        play.type("5 I")
        play.answerRequests()
        #expect(play.model.editedRequests.pasted.map(\.draft.takesDefaults) == [false])
        #expect(play.model.shownEdits?.edits.draft.takesDefaults == false)
    }

    @Test("braces that no variable has are text, and the request can be sent")
    func braces() {
        var play = Play.editing()
        play.send(.paste("curl http://127.0.0.1:1/{{ nobody }} -d '{{ nobody }}'"))
        play.answerRequests()
        let draft = play.model.editedRequests.pasted.first?.draft
        #expect(draft?.url == "http://127.0.0.1:1/\\{{ nobody }}")
        #expect(draft?.body == .text("\\{{ nobody }}"))
        #expect(play.model.notice?.text.contains("is kept as text") == true)
    }

    @Test("it stays over a reload, can be edited, and is saved under a name")
    func saves() {
        let catalog = EditableCatalog()
        var play = Play.editing(catalog)
        play.send(.paste(Self.curl))
        play.answerRequests()
        play.receive(.catalogLoaded(catalog.catalog()))
        play.answerRequests()
        #expect(play.model.editedRequests.pasted.count == 1)
        play.type("u")
        #expect(play.model.requestPane.field == nil)
        play.type("5 u ctrl+u")
        play.write("PUT http://127.0.0.1:8080/echo")
        play.type("enter")
        play.answerRequests()
        play.type("S")
        play.type("ctrl+u")
        play.write("Echo")
        play.type("enter")
        play.answerRequests()
        #expect(catalog.saves.last?.destination == .beside(name: "Echo"))
        #expect(catalog.saves.last?.draft.method == "PUT")
        #expect(play.model.editedRequests.pasted.isEmpty)
        #expect(!play.model.list.rows.contains { $0.name == "New" })
    }

    @Test("a value that is missing is asked for, and the request is sent with it")
    func asks() {
        var catalog = Catalog.sample
        let supplied = SuppliedValue()
        catalog.supply = { supplied.note($0, $1) }
        catalog.nodes = [
            .target(
                CatalogTarget(id: CatalogID("Me"), name: "Me", method: "GET") {
                    _ throws(CatalogProblem) in
                    guard supplied.value != nil else {
                        throw CatalogProblem(
                            "TOKEN is not set",
                            missing: MissingValue(name: "TOKEN", isSecret: true)
                        )
                    }
                    return .make()
                }
            )
        ]
        var play = Play(catalog: catalog)
        play.type("enter")
        #expect(play.model.prompt?.label == "TOKEN:")
        play.write("s3cr3t")
        #expect(!Grid.rendering(play.model).textRows.joined().contains("s3cr3t"))
        play.type("enter")
        play.answerRequests()
        #expect(supplied.value == "s3cr3t")
        #expect(play.model.runs.running.count == 1)
    }

    @Test("the request is copied in the language of the second key")
    func copies() {
        var play = Play.editing()
        play.type("5 y s")
        let isSwift = play.effects.contains { effect in
            if case .request(.copy(_, .swift, showsSecrets: false)) = effect { true } else { false }
        }
        #expect(isSwift)
        play.type("y esc j")
        #expect(play.effects.isEmpty)
    }
}
