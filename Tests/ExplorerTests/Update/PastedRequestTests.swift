import Terminal
import Testing
import TreeView
import Workspaces

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
        #expect(play.model.targets.rows.contains { $0.name == "New" })
        #expect(play.model.request.edited.pasted.count == 1)
        #expect(play.model.targets.selected.map { play.model.request.edited.isNew($0.id) } == true)
    }

    @Test("what is no request is said")
    func refuses() {
        var play = Play.editing()
        play.send(.paste("curl --no-such-option"))
        play.answerRequests()
        #expect(play.model.notice?.kind == .failure)
        #expect(play.model.request.edited.pasting == nil)
    }

    @Test("it goes without the workspace's defaults, until a key adds them")
    func defaults() {
        var play = Play.editing()
        play.send(.paste(Self.curl))
        play.answerRequests()
        #expect(play.model.request.edited.pasted.map(\.draft.takesDefaults) == [false])
        play.type("I")
        #expect(play.model.notice?.text.contains("with the workspace's") == true)
        play.answerRequests()
        #expect(play.model.request.edited.pasted.map(\.draft.takesDefaults) == [true])
        #expect(
            play.model.request.edited.pasted.first?.target.id.description.hasPrefix("New/")
                == true
        )
        play.type("5 I")
        play.answerRequests()
        #expect(play.model.request.edited.pasted.map(\.draft.takesDefaults) == [false])
        #expect(play.model.request.shownEdits?.edits.draft.takesDefaults == false)
    }

    @Test("braces that no variable has are text, and the request can be sent")
    func braces() {
        var play = Play.editing()
        play.send(.paste("curl 'http://127.0.0.1:1/{{ nobody }}' -d '{{ nobody }}'"))
        play.answerRequests()
        let draft = play.model.request.edited.pasted.first?.draft
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
        #expect(play.model.request.edited.pasted.count == 1)
        play.type("u")
        #expect(play.model.request.field == nil)
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
        #expect(play.model.request.edited.pasted.isEmpty)
        #expect(!play.model.targets.rows.contains { $0.name == "New" })
    }

    @Test("its name is offered with its group, and tab chooses another group")
    func offersName() {
        let catalog = EditableCatalog()
        var play = Play.editing(catalog)
        play.send(.paste(Self.curl))
        play.answerRequests()
        play.type("S")
        #expect(play.model.layers.prompt?.field.text == "New/echo")
        #expect(play.model.layers.prompt?.accepting == "save it in New")
        play.type("tab")
        #expect(play.model.layers.prompt?.field.text == "Users/echo")
        play.type("enter")
        play.answerRequests()
        #expect(catalog.saves.last?.destination == .beside(name: "Users/echo"))
        #expect(play.model.request.edited.awaited == CatalogID("Users/echo"))
    }

    @Test("without a file, the first save asks for its name, and only the first")
    func namesFile() {
        func catalog(isNamed: Bool) -> Catalog {
            var catalog = EditableCatalog().catalog()
            catalog.newFile = CatalogNewFile(name: "mine.apus.yaml", isNamed: isNamed)
            return catalog
        }
        var play = Play(catalog: catalog(isNamed: false))
        play.send(.paste(Self.curl))
        play.answerRequests()
        play.type("S enter")
        #expect(play.model.layers.prompt?.field.text == "mine.apus.yaml")
        play.type("ctrl+u")
        play.write("other")
        play.type("enter")
        let isAsked = play.effects.contains { effect in
            if case .request(.makeFile(_, name: "other.apus.yaml", .save)) = effect {
                true
            } else {
                false
            }
        }
        #expect(isAsked)
        play.type("o enter")
        let isMade = play.effects.contains { effect in
            if case .request(.makeFile(_, name: "mine.apus.yaml", .edit)) = effect {
                true
            } else {
                false
            }
        }
        #expect(isMade)
        var known = Play(catalog: catalog(isNamed: true))
        known.send(.paste(Self.curl))
        known.answerRequests()
        known.type("S enter")
        #expect(known.model.layers.prompt == nil && !known.effects.isEmpty)
    }

    @Test(
        "a request that the program was started with is like a pasted one, and is lost without a question"
    )
    func given() throws {
        let editable = EditableCatalog()
        var catalog = editable.catalog()
        let draft = TargetDraft(method: "GET", url: "http://h/get")
        let target = try catalog.source.adding(draft, named: "get")
        catalog.given = GivenRequest(name: "get", draft: draft, target: target)
        var play = Play(catalog: catalog)
        #expect(play.model.targets.selected?.id == CatalogID("New/get"))
        play.receive(.catalogLoaded(catalog))
        play.answerRequests()
        #expect(play.model.targets.rows.count { $0.name == "get" } == 1)
        play.type("S")
        #expect(play.model.layers.prompt?.field.text == "New/get")
        play.type("esc q")
        #expect(play.effects.contains { if case .session(.quit) = $0 { true } else { false } })
    }

    @Test("a new request is typed as a method and a URL")
    func new() {
        var play = Play(catalog: EditableCatalog().catalog())
        play.type("n")
        #expect(play.model.layers.prompt?.field.text == "GET https://")
        play.type("enter")
        #expect(play.model.notice?.kind == .failure)
        play.type("n ctrl+u")
        play.write("put example.com/users?a=1")
        play.type("enter")
        guard case .request(.begin(let draft, _))? = play.effects.first else {
            Issue.record("nothing was begun")
            return
        }
        #expect(draft.method == "PUT" && draft.url == "http://example.com/users")
        #expect(draft.query == [TargetDraft.Row("a", "1")])
    }

    @Test(
        "what is typed after the offered start of a new request may have a start of its own",
        arguments: [
            ("GET http://h/x", "GET", "http://h/x"), ("https://h/x", "GET", "https://h/x"),
            ("POST h.test/x", "POST", "http://h.test/x"), ("GET htps://h/x", "GET", nil),
            ("h.test/x", "GET", "https://h.test/x"), ("", "GET", nil),
        ] as [(String, String, String?)]
    )
    func offeredStart(typed: String, method: String, url: String?) {
        var play = Play(catalog: EditableCatalog().catalog())
        play.type("n")
        play.write(typed)
        play.type("enter")
        guard case .request(.begin(let draft, _))? = play.effects.first else {
            // It is asked for again, with its text and with what is wrong.
            #expect(url == nil && play.model.notice?.kind == .failure)
            #expect(play.model.layers.prompt?.field.text.hasSuffix(typed) == true)
            return
        }
        #expect(draft.method == method && draft.url == url)
    }

    @Test("a value that is missing is asked for, and the request is sent with it")
    func asks() {
        var catalog = Catalog.sample
        let supplied = SuppliedValue()
        catalog.nodes = [.target(CatalogTarget(id: CatalogID("Me"), name: "Me", method: "GET"))]
        catalog.source = SampleSource(supplied: supplied) { _, _ throws(CatalogError) in
            guard supplied.value != nil else {
                throw CatalogError(
                    "TOKEN is not set",
                    missing: MissingValue(name: "TOKEN", isSecret: true)
                )
            }
            return .make()
        }
        var play = Play(catalog: catalog)
        play.type("enter")
        #expect(play.model.layers.prompt?.label == "TOKEN:")
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
        for (keys, name, isOpen) in [("5 y s", "swift", false), ("y P", "python", true)] {
            play.type(keys)
            let isCopied = play.effects.contains { effect in
                if case .copyRequest(_, name, keepsSecrets: isOpen) = effect { true } else { false }
            }
            #expect(isCopied, "\(keys)")
        }
        play.type("y esc j")
        #expect(play.effects.isEmpty)
    }
}
