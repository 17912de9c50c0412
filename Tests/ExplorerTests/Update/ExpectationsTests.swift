import Apus
import Documents
import FoundationEssentials
import Terminal
import TestSupport
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("What is expected of responses, on the screen")
struct ExpectationsTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/shop.apus.yaml" }
    private var fileText: String {
        get throws { try String(contentsOfFile: path, encoding: .utf8) }
    }

    private func play(
        _ text: String = Model.expectingWorkspace,
        size: Size = Size(columns: 120, rows: 40)
    ) throws -> Play {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return Play(size: size, catalog: Catalog(try Workspace.load(path: path)))
    }

    private func screen(_ play: Play) -> String {
        Grid.rendering(play.model).textRows.joined(separator: "\n")
    }

    /// Writes the answer to a question, and checks anew.
    private func accept(_ play: inout Play) {
        play.type("enter")
        play.answerRequests()
        play.performChecks()
    }

    @Test(
        "the responses of a watched target and of an opened exchange are checked as they are shown"
    )
    func elsewhere() throws {
        try Model.expectingWorkspace.write(toFile: path, atomically: false, encoding: .utf8)
        let catalog = Catalog(try Workspace.load(path: path))
        var play = Play(catalog: catalog, hasHistory: true)
        play.type("w enter")
        guard case .watch(let id, _, _, _, _)? = play.effects.first else {
            Issue.record("it is not watched")
            return
        }
        let response = Response.make(Scene.freshBody)
        play.receive(.watched(id, .success(response), after: .seconds(3), isChange: false))
        play.performChecks()
        // The time is not as expected either.
        #expect(play.model.selectedView?.server.checked?.unmetCount == 4)
        #expect(screen(play).contains("3/7 ✗"), "\(screen(play))")
        play.receive(.watched(id, .success(.make("{}")), after: .zero, isChange: true))
        play.performChecks()
        #expect(play.model.selectedView?.cache.checked?.unmetCount == 4)
        #expect(play.model.selectedView?.server.checked?.isMet == false)

        let opened = OpenedExchange(
            then: .make(8, workspace: catalog.name),
            thenResult: .success(response),
            request: response.request,
            now: .make(9, workspace: catalog.name),
            nowResult: .success(response),
            nowUnkeptSize: 12
        )
        play.receive(.history(.opened(opened, comparing: false)))
        play.performChecks()
        #expect(play.model.selectedView?.cache.checked?.unmetCount == 3)
        // What is not kept cannot be checked.
        #expect(play.model.selectedView?.server.checked == nil)
        #expect(screen(play).contains("4/7 ✗"), "\(screen(play))")
        var foreign = opened
        foreign.then = .make(10, workspace: "another")
        play.receive(.history(.opened(foreign, comparing: false)))
        play.performChecks()
        #expect(play.model.selectedView?.cache.checked == nil)
    }

    @Test("a response is checked when it has ended; the marks go with the next one")
    func checked() throws {
        var play = try play()
        play.sendSelected(gettingBody: Scene.freshBody)
        #expect(screen(play).contains("4/7 ✗  200 OK"), "\(screen(play))")
        #expect(screen(play).contains("200 ✗"))
        let server = try #require(play.model.selectedView?.server)
        let document = try #require(server.document.body?.document)
        #expect(
            Set(server.document.unexpected.map { document.dottedPath(of: $0) }) == [
                "balance", "roles",
            ]
        )
        play.type("enter")
        let run = try #require(play.firedRun)
        let response = Response.make(Scene.expectedBody)
        play.receive(.exchange(run, .response(response)))
        #expect(play.model.selectedView?.server.checked == nil)
        #expect(play.model.selectedView?.server.document.unexpected.isEmpty == true)
        play.performChecks()
        play.receive(.exchange(run, .finished(.sample(.success(response)))))
        // An outcome of the response before it comes too late.
        play.receive(
            .checked(
                PaneAddress(
                    item: CatalogID("Users/Show user"),
                    environment: 0,
                    side: .server,
                    generation: 1
                ),
                server.checked
            )
        )
        #expect(play.model.selectedView?.server.checked == nil)
    }

    @Test("a target of which nothing is expected is not checked, and has no tab")
    func nothingExpected() throws {
        var play = try play()
        play.move(to: "List users")
        play.type("enter")
        let run = try #require(play.firedRun)
        let response = Response.make("{}")
        play.receive(.exchange(run, .response(response)))
        play.performChecks()
        play.receive(.exchange(run, .finished(.sample(.success(response)))))
        #expect(!play.effects.contains { if case .check = $0 { true } else { false } })
        play.type("3 i i")
        #expect(play.model.selectedView?.server.tab == .cookies)
        play.type("i e")
        #expect(
            screen(play).contains("Nothing is expected of this target's responses. A on a value")
        )
    }

    @Test("enter and a second click go to what an expectation is about")
    func jumping() throws {
        var play = try play()
        play.sendSelected(gettingBody: Scene.freshBody)
        play.type("3 i e j")
        let line = try #require(play.model.selectedCheck)
        #expect(line.item.subject == "$.balance")
        #expect(screen(play).contains("\(path):12"), "\(screen(play))")
        play.type("enter")
        #expect(play.model.selectedView?.server.tab == .body)
        let pane = try #require(play.model.selectedView?.server.document)
        #expect(pane.currentPath == "balance")
        // The value that is not there says so, a field is in its tab.
        play.type("i e end")
        #expect(play.model.selectedCheck?.item.isMet == true)
        play.type("i e")
        while play.model.selectedCheck?.item.subject != "$.manager.id" { play.type("down") }
        play.type("enter")
        #expect(play.model.notice?.text == "there is no such value in the response")
        while play.model.selectedCheck?.item.subject != "Content-Type" { play.type("down") }
        play.type("enter")
        #expect(play.model.selectedView?.server.tab == .headers)
        #expect(
            play.model.selectedView?.server.page?.selectedLine?.name.lowercased() == "content-type"
        )
    }

    @Test(
        "a key expects the value under the cursor; what is written is checked at once, and undone"
    )
    func expecting() throws {
        var play = try play()
        play.sendSelected(gettingBody: Scene.freshBody)
        play.type("3 j j j A")
        let prompt = try #require(play.model.layers.prompt)
        #expect(prompt.label == "Expect $.balance:")
        #expect(prompt.field.text == "== 98.00")
        #expect(prompt.choices.contains("type number") && prompt.choices.contains("< 98.00"))
        accept(&play)
        #expect(try fileText.contains("          $.balance: 98.00\n"))
        #expect(
            try fileText
                == Model.expectingWorkspace.replacing(
                    #"$.balance: { ">": 100 }"#,
                    with: "$.balance: 98.00"
                )
        )
        #expect(play.model.notice?.text.hasSuffix("u undoes it") == true)
        #expect(play.model.selectedView?.server.checked?.unmetCount == 2)
        play.type("u")
        play.answerRequests()
        play.performChecks()
        #expect(try fileText == Model.expectingWorkspace)
        #expect(play.model.selectedView?.server.checked?.unmetCount == 3)
    }

    @Test(
        "a wrong comparison is asked for again; a header field, the status and the time have their own"
    )
    func others() throws {
        var play = try play()
        play.sendSelected(gettingBody: Scene.freshBody)
        play.type("3 j j A ctrl+u")
        play.write("matches (")
        accept(&play)
        #expect(play.model.layers.prompt?.field.text == "matches (")
        #expect(play.model.notice?.kind == .failure)
        play.type("esc i h j A")
        #expect(play.model.layers.prompt?.label.lowercased() == "expect content-type:")
        #expect(play.model.layers.prompt?.field.text == #"== "application/json""#)
        play.type("esc home A")
        #expect(play.model.layers.prompt?.label == "Expect status:")
        #expect(play.model.layers.prompt?.field.text == "200")
        play.type("esc i t A")
        #expect(play.model.layers.prompt?.field.text == "< 50 ms")
        accept(&play)
        #expect(try fileText.contains("< 50 ms"))
    }

    @Test("a key in the tab removes an expectation; an inherited one stays, and says so")
    func removing() throws {
        let text = Model.expectingWorkspace.replacing(
            "\ntargets:",
            with: "\ndefaults: { expect: { size: < 1 kB } }\ntargets:"
        )
        var play = try play(text)
        play.sendSelected(gettingBody: Scene.freshBody)
        play.type("3 i e j -")
        play.answerRequests()
        play.performChecks()
        #expect(try fileText == text.replacing("          $.balance: { \">\": 100 }\n", with: ""))
        #expect(play.model.selectedView?.server.checked?.items.count == 7)
        while play.model.selectedCheck?.item.subject != "size" { play.type("down") }
        play.type("-")
        play.answerRequests()
        #expect(play.model.notice?.text.contains("does not say this itself") == true)
    }

    @Test("ten thousand expectations, and hostile ones, are a page like any other")
    func hostile() throws {
        let many = (0..<10_000).map { "        $.a[\($0)]: \($0)" }.joined(separator: "\n")
        let text = """
            environments: { e: { baseURL: "http://h" } }
            targets:
              Show user:
                request: GET /
                expect:
                  json:
                    "$['\\\\u202e\\\\u001b[31m漢字\(String(repeating: "長", count: 500))']": "\\x1b]0;x\\a"
            \(many)
            """
        var play = try play(text, size: Size(columns: 80, rows: 24))
        play.sendSelected(gettingBody: #"{"a": [1, 2], "\u202e": "x"}"#)
        #expect(play.model.selectedView?.server.checked?.items.count == 10_001)
        let clock = ContinuousClock()
        let time = clock.measure {
            play.type("3 i e end pgup home j enter i e j A esc")
            _ = screen(play)
        }
        #expect(time < .seconds(20))
        let drawn = screen(play)
        #expect(
            !drawn.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E }
        )
        #expect(play.model.layers.prompt == nil)
    }

    @Test(
        "an unmet expectation makes a request of a batch a failure, and the batch is judged at its end"
    )
    func batch() throws {
        var play = try play()
        play.move(to: "Load the catalogue")
        play.type("enter")
        let run = try #require(play.firedRun)
        let summary = ExchangeSummary.sample(.success(.make("{}")), after: .milliseconds(40))
        play.receive(.batchChecked(run, index: 0, isMet: false))
        play.receive(
            .batch(run, .ended(index: 0, summary, BatchProgress(total: 1, succeeded: 1, failed: 0)))
        )
        guard case .batch(let state)? = play.model.runs[run]?.state else {
            Issue.record("there is no batch")
            return
        }
        #expect(state.failedCount == 1)
        #expect(state.endings.groups.map(\.cause.name) == ["200 not as expected"])
        play.receive(.batchJudged(run, Model.batchJudgement))
        #expect(
            screen(play).contains("✗ failed is 0: 4   ✗ p95 < 30 ms: 38 ms   ✓ max < 2.0 s"),
            "\(screen(play))"
        )
    }

    @Test("what a run is recorded with: what is expected, or else the statuses, or nothing at all")
    func outcomes() {
        var outcome = RunOutcome()
        outcome.count(.sample(.success(.make("{}", status: 500)), after: .zero), isMet: nil)
        #expect(outcome.failedCount == nil)
        outcome.count(.sample(.success(.make("{}", status: 404)), after: .zero), isMet: true)
        #expect(outcome.failedCount == 1)
        outcome.count(.sample(.success(.make("{}")), after: .zero), isMet: false)
        #expect(outcome.failedCount == 2)
        var whole = RunOutcome()
        whole.count(.sample(.success(.make("{}")), after: .zero), isMet: nil)
        whole.count(Model.batchJudgement)
        #expect(whole.failedCount == 1)
    }

    @Test("a target goes up and down in its group, and the cursor goes along")
    func shifting() throws {
        var play = try play()
        play.move(to: "List users")
        play.type("<")
        play.answerRequests()
        #expect(
            play.model.targets.rows.map(\.name).prefix(3) == ["Users", "List users", "Show user"]
        )
        #expect(play.model.targets.selected?.name == "List users")
        play.type("<")
        play.answerRequests()
        #expect(play.model.notice?.text.contains("is the first of its group") == true)
        play.type(">")
        play.answerRequests()
        #expect(try fileText == Model.expectingWorkspace)
    }
}
