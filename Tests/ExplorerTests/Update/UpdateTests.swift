import Apus
import Documents
import FoundationEssentials
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("Keys and messages change the model, and nothing else does")
struct UpdateTests {
    private let users = CatalogID("Users/List users")

    /// The names that the list shows.
    private func names(_ play: Play) -> [String] { play.model.targets.rows.map(\.name) }

    @Test("the workspace is read after the first frame, once")
    func loads() {
        var model = Model(sourceName: "x")
        let now = Moment(wall: .distantPast, uptime: .zero)
        let first = update(&model, .resize(Size(columns: 80, rows: 24)), at: now)
        let second = update(&model, .resize(Size(columns: 90, rows: 24)), at: now)
        #expect(first.contains { if case .loadCatalog = $0 { true } else { false } })
        #expect(second.isEmpty)
    }

    @Test("the cursor begins on the first target, whose cached response is looked up")
    func start() {
        let play = Play()
        #expect(play.model.targets.selected?.name == "List users")
        #expect(play.effects.contains { if case .peek = $0 { true } else { false } })
    }

    @Test(
        "a target that sends a file is not looked up in the cache, which would read the file",
        arguments: [
            .uploadFile(path: "/big"),
            .download(to: DownloadDestination(path: "/x"), sending: .uploadFile(path: "/big")),
            .composite(body: .multipart(MultipartForm([.file("f", path: "/big")])), query: []),
        ] as [RequestTask]
    )
    func doesNotReadUploads(task: RequestTask) {
        let upload = CatalogTarget(id: CatalogID("a"), name: "a", method: "POST")
        let catalog = Catalog(
            name: "Uploads",
            environments: [],
            nodes: [.target(upload), .target(.sample("b", "b"))],
            source: SampleSource { target, environment in
                guard target.name == "a" else { return .sample(environment) }
                let sent = PlayTarget(task: task)
                return ResolvedTarget(
                    target: sent,
                    source: nil,
                    url: "http://api.test/",
                    details: []
                )
            }
        )
        var play = Play(catalog: catalog)
        #expect(play.model.targets.selected?.name == "a")
        #expect(play.effects.isEmpty)
        play.type("j")
        #expect(play.effects.contains { if case .peek = $0 { true } else { false } })
        play.type("k")
        #expect(play.effects.isEmpty)
    }

    @Test(
        "arrows and letters move the cursor",
        arguments: [
            ("j", "Show user"), ("down down", "Orders"), ("j j k", "Show user"),
            ("G", "Sign up"), ("G g", "Users"), ("end home", "Users"), ("h", "Users"),
        ]
    )
    func move(keys: String, name: String) {
        var play = Play()
        play.type(keys)
        #expect(play.model.targets.selected?.name == name)
    }

    @Test("enter on a group folds it, and right unfolds it")
    func fold() {
        var play = Play()
        play.type("k enter")
        #expect(names(play) == ["Users", "Orders", "Order", "Warm", "Sign up"])
        play.type("l")
        #expect(names(play).contains("Show user"))
    }

    @Test("while the filter is typed no letter is a command; escape clears it")
    func filter() {
        var play = Play()
        play.type("/ q s x")
        #expect(play.model.targets.filter?.text == "qsx")
        #expect(names(play).isEmpty)
        play.type("escape / s h o w enter")
        #expect(names(play) == ["Users", "Show user"])
        #expect(play.model.targets.selected?.name == "Show user")
        play.type("escape")
        #expect(names(play).count == 7)
    }

    @Test("of a long paste the filter takes as much as anybody looks for")
    func longFilter() {
        var play = Play()
        play.type("/")
        play.send(.paste(String(repeating: "show user ", count: 10_000)))
        #expect(play.model.targets.filter?.text.utf8.count == 256)
        play.type("ctrl+w ctrl+w")
        #expect(names(play) == ["Users", "Show user"])
    }

    @Test("s goes round the sources, e round the environments")
    func cycles() {
        var play = Play()
        var seen: [SourceChoice] = []
        for _ in SourceChoice.allCases {
            seen.append(play.model.sending.source)
            play.type("s")
        }
        #expect(seen == SourceChoice.allCases)
        #expect(play.model.sending.source == .perTarget)
        play.type("e")
        #expect(play.model.workspace.environment == 1)
        let resolved = try? play.model.selectedView?.request?.get()
        #expect(resolved?.url == "http://api.test/1")
        play.type("e")
        #expect(play.model.workspace.environment == 0)
    }

    @Test("enter sends; both responses come into their panes")
    func sendAndShow() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        #expect(play.model.runs.runningCount == 1)
        let hit = CacheHit(
            key: CacheKey(digest: "d", recipe: ""),
            stored: .distantPast,
            expires: nil,
            read: .distantPast,
            hits: 1
        )
        play.receive(.exchange(run, .response(.sample(#"{"a":1}"#, hit: hit))))
        #expect(play.openedBodies.map(\.side) == [.cache])
        let fresh = Response.sample(#"{"a":2}"#)
        play.receive(.exchange(run, .response(fresh)))
        let address = try #require(play.openedBodies.first)
        #expect(address.side == .server)
        let body = BodyDocument(
            DocumentBytes(Array(#"{"a":2}"#.utf8)),
            contentType: "application/json"
        )
        play.receive(.bodyOpened(address, body))
        #expect(play.model.view(of: users)?.server.document.scroll.count == 2)
        play.receive(
            .exchange(
                run,
                .finished(
                    ExchangeSummary(
                        result: .success(fresh),
                        responseCount: 2,
                        attempts: 1,
                        duration: .milliseconds(3)
                    )
                )
            )
        )
        #expect(play.model.runs.runningCount == 0)
        #expect(play.model.view(of: users)?.outcome == .status(200, isFromCache: false))
        #expect(play.model.tick == nil)
    }

    @Test("what did not follow a redirect to another origin is told, wherever there is room")
    func withheld() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        var answer = Response.sample("{}")
        answer.metrics = TransferMetrics(redirects: [
            .init(
                status: 302,
                location: "https://other.example/",
                url: "http://127.0.0.1:8080/users",
                withheldFields: ["X-Api-Key"]
            )
        ])
        play.receive(.exchange(run, .response(answer)))
        #expect(play.model.notice?.text == "X-Api-Key not sent on to other.example")
    }

    @Test("a body that comes after a newer response is not shown under it")
    func lateBody() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        play.receive(.exchange(run, .response(.sample("old"))))
        let old = try #require(play.openedBodies.first)
        play.receive(.exchange(run, .response(.sample("new"))))
        play.receive(
            .bodyOpened(old, BodyDocument(DocumentBytes(Array("old".utf8)), contentType: nil))
        )
        #expect(play.model.view(of: users)?.server.document.body == nil)
    }

    @Test("a late response of an earlier run is not shown, nor in another environment than its own")
    func lateResponse() throws {
        var play = Play()
        play.type("enter")
        let first = try #require(play.firedRun)
        play.type("enter")
        let second = try #require(play.firedRun)
        play.receive(.exchange(second, .response(.sample("second"))))
        play.receive(.exchange(first, .response(.sample("first"))))
        #expect(play.openedBodies.isEmpty)
        #expect(play.model.view(of: users)?.server.generation == 1)

        play.type("e")
        play.receive(.exchange(second, .response(.sample("of the other environment"))))
        #expect(play.model.view(of: users)?.environment == 1)
        #expect(play.model.view(of: users)?.server.response == nil)
    }

    @Test("a failure is shown with what was received of the response")
    func failure() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        let error = ApusError(
            .connectionLost(received: 3, expected: 9, detail: ""),
            response: .sample("par")
        )
        play.receive(
            .exchange(
                run,
                .finished(
                    ExchangeSummary(
                        result: .failure(error),
                        responseCount: 0,
                        attempts: 1,
                        duration: .zero
                    )
                )
            )
        )
        #expect(play.openedBodies.map(\.side) == [.server])
        #expect(play.model.view(of: users)?.outcome == .failed)
        guard case .failed(error)? = play.model.view(of: users)?.server.content else {
            Issue.record("the pane does not show the failure")
            return
        }
    }

    @Test("an old response gives way when the new one takes its time, not before")
    func patience() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        play.receive(.exchange(run, .response(.sample("old"))))
        play.type("enter")
        play.wait(.milliseconds(100))
        #expect(play.model.view(of: users)?.server.response != nil)
        play.wait(.milliseconds(300))
        #expect(play.model.view(of: users)?.server.response == nil)
    }

    @Test("x cancels the selected target's run, else the newest")
    func cancel() throws {
        var play = Play()
        play.type("enter")
        let first = try #require(play.firedRun)
        play.type("j enter")
        let second = try #require(play.firedRun)
        play.type("k x")
        #expect(cancelled(play) == [first])
        play.type("G x")
        #expect(cancelled(play) == [second])
        play.type("X")
        #expect(cancelled(play) == [first, second])
    }

    private func cancelled(_ play: Play) -> [RunID] {
        play.effects.compactMap { if case .cancel(let id) = $0 { id } else { nil } }
    }

    @Test("a batch fills slots, counts endings and ends")
    func batch() throws {
        var play = Play()
        play.type("G k enter")
        let run = try #require(play.firedRun)
        play.receive(.batch(run, .started(index: 0)))
        play.receive(.batch(run, .started(index: 1)))
        let response = Response.sample("x", status: 404)
        let summary = ExchangeSummary(
            result: .success(response),
            responseCount: 1,
            attempts: 1,
            duration: .milliseconds(4)
        )
        play.receive(
            .batch(run, .ended(index: 0, summary, BatchProgress(total: 2, succeeded: 1)))
        )
        guard case .batch(let state)? = play.model.runs[run]?.state else {
            Issue.record("no batch")
            return
        }
        #expect(state.slots.map { $0?.title } == [nil, "GET /b"])
        #expect(state.endings.groups.map(\.cause.name) == ["404 Not Found"])
        #expect(state.latency.count == 1)
    }

    @Test("coming back to a target asks the cache again where it had nothing")
    func comeBack() {
        var play = Play()
        play.type("j k")
        #expect(play.effects.contains { if case .peek = $0 { true } else { false } })
        let hit = CacheHit(
            key: CacheKey(digest: "d", recipe: ""),
            stored: .distantPast,
            expires: nil,
            read: .distantPast,
            hits: 0
        )
        play.receive(.peeked(users, environment: 0, .sample("held", hit: hit)))
        play.type("j k")
        #expect(play.effects.isEmpty)
    }

    @Test("s decides for batches and chains too, and leaves them their own wish otherwise")
    func batchSource() {
        func source(of keys: String) -> String? {
            var play = Play()
            play.type(keys)
            for case .runBatch(_, let resolved, _, _) in play.effects {
                return resolved.batch.source.title
            }
            for case .runChain(_, let resolved, _, _, _) in play.effects {
                return resolved.source.title
            }
            return nil
        }
        #expect(source(of: "G k enter") == "server")
        #expect(source(of: "s s G k enter") == "cache")
        #expect(source(of: "s s G enter") == "cache")
    }

    @Test("every key of the table is a key, and none stands twice in a place")
    func keyTable() {
        var seen: Set<String> = []
        for binding in KeyTable.explorer.bindings {
            for name in binding.keys {
                #expect(Key(name) != nil, "\(name)")
                #expect(seen.insert("\(binding.place) \(name)").inserted, "\(name) twice")
            }
        }
    }

    @Test(
        "what a key does everywhere in the explorer it does in each of its panes",
        arguments: [KeyBinding.Place.targets, .session, .document]
    )
    func hidesNone(place: KeyBinding.Place) {
        for binding in KeyTable.explorer.bindings where binding.place == .explorer {
            for key in binding.keys.compactMap({ Key($0) }) {
                let action = KeyTable.explorer.action(for: key, in: [place, .explorer])
                #expect(action == binding.action, "\(binding.keys)")
            }
        }
    }

    @Test("no binding needs a key that classic terminals cannot tell from another")
    func classicKeys() {
        for name in KeyTable.explorer.bindings.flatMap(\.keys) {
            #expect(!["ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m"].contains(name))
            #expect(!name.contains("alt"))
        }
    }

    @Test("bodies of targets that are not looked at are let go of when they are large")
    func letsBodiesGo() {
        let large = Response.make("[" + String(repeating: "1,", count: 4 << 20) + "1]")
        var views = RecentTargets()
        for number in 0..<10 {
            views.update(CatalogID("\(number)"), environment: 0) { $0.server = .make(large) }
        }
        #expect(views[CatalogID("9"), 0] != nil)
        #expect(views[CatalogID("0"), 0] == nil)
        let held = (0..<10).reduce(0) { $0 + (views[CatalogID("\($1)"), 0]?.heldMemory ?? 0) }
        #expect(held <= RecentTargets.memoryLimit)
    }

    @Test("a body that alone is over the limit stays while it is looked at")
    func keepsTheShownBody() {
        let huge = Response.make(String(repeating: "x", count: 70 << 20), type: "text/plain")
        var views = RecentTargets()
        views.update(CatalogID("a"), environment: 0) { $0.server = .make(huge) }
        #expect(views[CatalogID("a"), 0] != nil)
        views.update(CatalogID("b"), environment: 0) { $0.outcome = .failed }
        #expect(views[CatalogID("a"), 0] == nil)
    }

    @Test("an ended run keeps no response")
    func letsResponsesOfRunsGo() {
        let error = ApusError(.cancelled, response: .make("part", isComplete: false))
        guard case .failed(let kept) = SingleRun.Ending(.failure(error)) else {
            Issue.record("another ending")
            return
        }
        #expect(kept.response == nil)
    }
}
