import Apus
import Documents
import Terminal
import Testing

@testable import Explorer
@testable import TreeView

@Suite("What a new user stumbled over")
struct StumblingTests {
    private let users = CatalogID("Users/List users")

    /// A row of the screen with this text in it.
    private func row(_ model: Model, with text: String) -> String? {
        var grid = Grid(size: model.size)
        _ = Screen.render(model, into: &grid, look: Look(theme: .standard))
        return grid.textRows.first { $0.contains(text) }
    }

    @Test(
        "an environment's badges and responses are its own, and are there again when one comes back"
    )
    func environments() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        play.receive(.exchange(run, .response(.sample("of local"))))
        play.receive(.exchange(run, .finished(.sample(.success(.sample("of local"))))))
        #expect(row(play.model, with: "GET  List users")?.contains("200") == true)
        play.type("e")
        #expect(play.model.view(of: users)?.outcome == nil)
        #expect(row(play.model, with: "GET  List users")?.contains("200") == false)
        play.type("e")
        #expect(play.model.view(of: users)?.outcome == .status(200, isFromCache: false))
        #expect(play.model.view(of: users)?.server.response != nil)
    }

    @Test("a response that comes for another environment is there when one comes back")
    func lateResponse() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        play.type("e")
        play.receive(.exchange(run, .response(.sample("of local"))))
        #expect(play.model.view(of: users)?.server.response == nil)
        play.type("e")
        #expect(play.model.view(of: users)?.server.response != nil)
    }

    @Test("that only the cache was asked and has nothing is said")
    func cacheOnly() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        let error = ApusError(.cacheMiss(CacheKey(digest: "d", recipe: "r"), .notFound))
        play.receive(.exchange(run, .finished(.sample(.failure(error)))))
        #expect(
            play.model.notice?.text.hasPrefix("nothing sent: the cache has no response") == true
        )
    }

    @Test("escape in a response goes to the targets and leaves their filter; there it clears it")
    func escape() {
        var play = Play()
        play.type("/ s h o w enter 3 escape")
        #expect(play.model.panes.focus == .targets)
        #expect(play.model.targets.filter?.text == "show")
        play.type("escape")
        #expect(play.model.targets.filter == nil)
    }

    @Test(
        "what is typed into a kept filter takes its place, unless it is edited first",
        arguments: [
            ("o r d e r", "order"), ("backspace", "sho"), ("left x", "shoxw"), ("end s", "shows"),
        ]
    )
    func keptFilter(keys: String, text: String) {
        var play = Play()
        play.type("/ s h o w enter / \(keys)")
        #expect(play.model.targets.filter?.text == text)
    }

    @Test(
        "the sign of a query is there once, whoever types it",
        arguments: [("$ . a", "$.a"), (". a", "$.a"), ("$ $", "$$")]
    )
    func query(keys: String, text: String) {
        var prompt = DocumentPrompt(.query, text: "$", placeholder: "", entries: [])
        for key in keys.split(separator: " ") {
            if let key = Key(String(key)) { _ = prompt.handle(key) }
        }
        #expect(prompt.text == text)
    }

    @Test("a kept search gives way to another; a kept query is gone on with")
    func keptPrompts() throws {
        var search = DocumentPrompt(.search, text: "ada", placeholder: "", entries: [])
        _ = search.handle(try #require(Key("x")))
        #expect(search.text == "x")
        var query = DocumentPrompt(.query, text: "$.a", placeholder: "", entries: [])
        _ = query.handle(try #require(Key("x")))
        #expect(query.text == "$.ax")
        query = DocumentPrompt(.query, text: "$.a", placeholder: "", entries: [])
        query.paste("$.b")
        #expect(query.text == "$.b")
    }

    @Test("the list's place counts what its title counts")
    func counts() {
        var model = Model.make(size: Size(columns: 120, rows: 20), selecting: "Sign up")
        #expect(model.targets.targetCount == 15)
        #expect(model.targets.selected?.ordinal == 15)
        model.targets.scroll.moveToFirst()
        #expect(model.targets.selected?.ordinal == nil)
        #expect(row(model, with: "Targets")?.contains(" 15 ") == true)
    }

    @Test("in flight are requests, not batches")
    func inFlight() throws {
        var play = Play()
        play.type("G k enter")
        let run = try #require(play.firedRun)
        #expect(row(play.model, with: "in flight") == nil)
        play.receive(.batch(run, .started(index: 0)))
        play.receive(.batch(run, .started(index: 1)))
        #expect(row(play.model, with: "in flight")?.contains("2 in flight") == true)
    }

    @Test("long keys are cut where the values begin", arguments: [40, 60, 80])
    func longKeys(columns: Int) throws {
        let text = #"{"id": 1, "a_key_that_is_longer_than_any_pane_has_room_for_it": 2, "name": 3}"#
        var grid = Grid(size: Size(columns: columns, rows: 4))
        let body = BodyDocument(DocumentBytes(Array(text.utf8)), contentType: "application/json")
        let rows = (0..<4).compactMap { index -> TreeRow? in
            if case .tree(let row)? = body.row(at: index) { row } else { nil }
        }
        let view = TreeRowView(rows: rows, columns: columns, look: Look(theme: .standard))
        let places = rows.enumerated().map { view.draw($1, in: grid.bounds.row($0), into: &grid) }
        #expect(Set(places.dropFirst().map(\.value.x)).count == 1)
    }
}

extension ExchangeSummary {
    /// How an exchange ended that was sent once.
    static func sample(_ result: Result<Response, ApusError>, after duration: Duration = .zero)
        -> ExchangeSummary
    {
        ExchangeSummary(result: result, responseCount: 1, attempts: 1, duration: duration)
    }
}
