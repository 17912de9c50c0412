import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import Testing
import TreeView

@testable import Explorer
@testable import Recordings

@Suite("The session pane")
struct SessionTests {
    private func play() -> Play {
        var play = Play(hasHistory: true)
        play.wall = .sampleNow
        play.type("4")
        play.receive(.history(.loaded(.sample, generation: 0)))
        return play
    }

    private func names(_ play: Play) -> [String] {
        play.model.session.lines.map { line in
            switch line {
            case .run(let id): "run \(id.number)"
            case .day(let name): name
            case .entry(.exchange(let exchange)): "\(exchange.id)"
            case .entry(.run(let run)): run.name
            case .part(let exchange): "part \(exchange.id)"
            }
        }
    }

    @Test("lines go back in time, with the days between them")
    func days() {
        #expect(
            names(play()) == [
                "12", "11", "10", "Load the catalogue", "yesterday", "9", "8", "4 Apr 2025", "7",
            ]
        )
    }

    @Test("the history is asked for when the catalog is there, and again near its end")
    func pages() {
        var play = Play(hasHistory: true)
        guard case .load(nil, .newest, 0)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        var page = HistoryPage()
        page.entries = (0..<200).map { .exchange(.make(1000 - $0)) }
        page.next = HistoryPosition(exchange: 801)
        play.receive(.history(.loaded(page, generation: 0)))
        play.type("4 down")
        #expect(play.historyEffects.isEmpty)
        play.type("end")
        guard case .load(nil, HistoryPosition(exchange: 801), 0)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        play.type("end")
        #expect(play.historyEffects.isEmpty, "it is asked for once")
    }

    @Test("a page that could not be read is asked for again")
    func failedPage() {
        var play = Play(hasHistory: true)
        play.receive(.history(.loadFailed(generation: 0)))
        play.type("4 down")
        guard case .load(nil, .newest, 0)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
    }

    @Test("the wheel asks for the next page, too")
    func wheel() {
        var play = Play(hasHistory: true)
        var page = HistoryPage((0..<200).map { .make(1000 - $0) })
        page.next = HistoryPosition(exchange: 801)
        play.receive(.history(.loaded(page, generation: 0)))
        let area = play.model.layout.progress
        let place = Point(x: area.x + 2, y: area.y + 2)
        var asked: [HistoryEffect] = []
        for _ in 0..<80 {
            play.send(.mouse(MouseEvent(kind: .scrollDown, position: place)))
            asked += play.historyEffects
        }
        guard case .load(nil, HistoryPosition(exchange: 801), 0)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        #expect(asked.count == 1)
    }

    @Test("without a history nothing is asked of one")
    func none() {
        var play = Play()
        #expect(play.historyEffects.isEmpty)
        play.type("4")
        for key in ["R", "v", "["] {
            play.type(key)
            #expect(play.historyEffects.isEmpty)
            #expect(play.model.notice?.text.contains("--no-history") == true, "\(key)")
        }
    }

    @Test("a run is a line until its exchange is in the history, and then that one's")
    func recorded() throws {
        var play = play()
        play.type("1 enter")
        let run = try #require(play.firedRun)
        #expect(names(play).first == "run \(run.number)")
        let started = Date.sampleNow
        play.receive(.history(.recorded(run, started: started)))
        play.receive(.exchange(run, .finished(.make())))
        #expect(names(play).first == "run \(run.number)")
        var page = HistoryPage.sample
        page.entries.insert(.exchange(.make(13, secondsAgo: 0)), at: 0)
        play.receive(.history(.refreshed(page, generation: 0)))
        #expect(names(play).prefix(2) == ["13", "12"])
    }

    /// One request of a program, and whether it was recorded at `sampleNow`.
    private func sendOne(_ play: inout Play, isRecorded: Bool = true) throws {
        play.type("1 enter")
        let run = try #require(play.firedRun)
        if isRecorded { play.receive(.history(.recorded(run, started: .sampleNow))) }
        play.receive(.exchange(run, .finished(.make())))
        play.type("4")
    }

    /// Full pages of what others sent since.
    private func page(secondsAgo: (Int) -> Double) -> HistoryPage {
        var page = HistoryPage((0..<200).map { .make(1000 - $0, secondsAgo: secondsAgo(Int($0))) })
        page.next = HistoryPosition(exchange: 801)
        return page
    }

    @Test("a run that was seen in the history does not come back when others have sent hundreds")
    func seenOnce() throws {
        var play = play()
        try sendOne(&play)
        #expect(names(play).first == "run 1")
        var sample = HistoryPage.sample
        sample.entries.insert(.exchange(.make(13, secondsAgo: 0)), at: 0)
        play.receive(.history(.refreshed(sample, generation: 0)))
        #expect(names(play).first == "13")
        play.receive(.history(.refreshed(page { _ in -60 }, generation: 0)))
        #expect(!names(play).contains("run 1"))
    }

    @Test("a run that is never recorded stands where its time is")
    func unrecorded() throws {
        var play = play()
        try sendOne(&play, isRecorded: false)
        #expect(names(play).prefix(2) == ["run 1", "12"])
        let later = page { $0 < 50 ? -60 : 60 }
        play.receive(.history(.refreshed(later, generation: 0)))
        #expect(names(play).firstIndex(of: "run 1") == 50)
    }

    @Test("a run that is older than all lines that are known is not shown above them")
    func olderThanKnown() throws {
        var play = Play(hasHistory: true)
        play.wall = .sampleNow
        try sendOne(&play, isRecorded: false)
        play.receive(.history(.loaded(page { _ in -60 }, generation: 0)))
        #expect(!names(play).contains("run 1"))
        play.receive(.history(.loaded(HistoryPage([.make(7)]), generation: 0)))
        #expect(names(play).suffix(2) == ["run 1", "7"])
    }

    @Test("what comes above moves no line that is looked at")
    func staysInPlace() {
        var play = play()
        play.type("down down")
        #expect(play.model.session.selectedExchange?.id == 10)
        var page = HistoryPage.sample
        page.entries.insert(.exchange(.make(13, secondsAgo: 0)), at: 0)
        play.receive(.history(.refreshed(page, generation: 0)))
        #expect(play.model.session.selectedExchange?.id == 10)
    }

    @Test("the cursor stands on no day")
    func skipsDays() {
        var play = play()
        play.type("down down down down")
        #expect(play.model.session.selectedExchange?.id == 9)
        play.type("up")
        guard case .entry(.run)? = play.model.session.selected else {
            Issue.record("\(String(describing: play.model.session.selected))")
            return
        }
    }

    @Test("where nothing was sent today the cursor stands on the first line, and stays at the top")
    func firstDay() {
        var play = Play(hasHistory: true)
        play.wall = .sampleNow
        play.type("4")
        let old = HistoryPage([.make(9, secondsAgo: 90_000), .make(8, secondsAgo: 180_000)])
        play.receive(.history(.loaded(old, generation: 0)))
        #expect(names(play).first == "yesterday")
        #expect(play.model.session.selectedExchange?.id == 9)
        play.type("end up home")
        #expect(play.model.session.selectedExchange?.id == 9)
        // A click on a day, and the wheel.
        let top = Point(x: 5, y: play.model.layout.sessionTop)
        play.send(.mouse(MouseEvent(kind: .press, position: top)))
        #expect(play.model.session.selectedExchange?.id == 9)
        play.send(.mouse(MouseEvent(kind: .scrollUp, position: top)))
        #expect(play.model.session.selectedExchange?.id == 9)
        let new = HistoryPage([.make(10, secondsAgo: 1), .make(9, secondsAgo: 90_000)])
        play.receive(.history(.refreshed(new, generation: 0)))
        #expect(play.model.session.selectedExchange?.id == 10)
    }

    @Test("enter opens a batch, and closes it")
    func runs() {
        var play = play()
        play.type("down down down enter")
        guard case .loadParts(let run)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        var page = HistoryPage([.make(5, status: nil, errorCode: 2101, run: run)])
        page.errors = [5: "cannot resolve h.example"]
        play.receive(.history(.parts(run, page)))
        #expect(names(play).contains("part 5"))
        #expect(
            Grid.rendering(play.model).textRows.contains { $0.contains("cannot resolve h.example") }
        )
        play.type("down")
        #expect(play.model.session.selectedExchange?.id == 5)
        play.type("left")
        #expect(!names(play).contains("part 5"))
        guard case .entry(.run)? = play.model.session.selected else {
            Issue.record("the cursor is on \(String(describing: play.model.session.selected))")
            return
        }
    }

    @Test("enter shows an exchange beside the latest, or the one that is marked; esc goes back")
    func opens() throws {
        var play = play()
        play.model.session.marks = [9]
        play.type("enter")
        guard case .open(let exchange, .exchange(let other), false)? = play.historyEffects.first
        else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(exchange.id == 12)
        #expect(other.id == 9, "the one that is marked")
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        #expect(play.model.panes.focus == .cache)
        #expect(play.openedBodies.map(\.side) == [.cache, .server])
        #expect(play.model.shownItem == CatalogID("exchange 8"))
        play.type("esc")
        #expect(play.model.responses.opened == nil)
        #expect(play.model.panes.focus == .progress)
    }

    @Test("two that are marked are compared once both bodies are there")
    func compares() throws {
        var play = play()
        play.type("=")
        #expect(play.model.notice?.text.contains("mark two") == true)
        play.type("space")
        guard case .mark(12, true)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(
            play.model.session.marked.map(\.id) == [12],
            "the mark of an earlier run does not count"
        )
        play.model.session.marks.insert(9)
        play.type("=")
        guard case .open(let then, .exchange(let now), true)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect([then.id, now.id] == [9, 12])
        play.receive(.history(.opened(.make(then: 9, now: 12), comparing: true)))
        for address in play.openedBodies {
            let body = BodyDocument(
                DocumentBytes(Array("{}".utf8)),
                contentType: "application/json"
            )
            play.receive(.bodyOpened(address, body))
        }
        #expect(play.model.comparison != nil)
    }

    @Test(
        "a body that is elsewhere says where, and shows itself when it comes, unless another is open"
    )
    func fetchedBody() {
        var play = play()
        var opened = OpenedExchange.make(then: 8, now: nil)
        (opened.thenUnkeptSize, opened.thenAbsence) = (70_000, "still in s3://acme/team")
        play.receive(.history(.opened(opened, comparing: false)))
        func text() -> String { Grid.rendering(play.model).textRows.joined(separator: "\n") }
        #expect(text().contains("The body, 70.0 kB, is still in"))
        let focus = play.model.panes.focus

        play.receive(.history(.fetched(.make(then: 9, now: nil), comparing: false)))
        #expect(play.model.responses.opened?.then.id == 8)
        #expect(text().contains("The body, 70.0 kB, is still in"))

        play.receive(.history(.fetched(.make(then: 8, now: nil), comparing: false)))
        #expect(play.model.responses.opened?.thenAbsence == nil)
        #expect(!text().contains("The body, 70.0 kB, is still in"))
        #expect(play.model.panes.focus == focus)
    }

    @Test("two that were chosen are called by their times and requests, and neither is now")
    func pair() {
        var play = play()
        var opened = OpenedExchange.make(then: 9, now: 12)
        opened.isPair = true
        play.receive(.history(.opened(opened, comparing: false)))
        let text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        #expect(!text.contains("Now") && !text.contains("Then"))
        for exchange in [opened.then, opened.now].compactMap(\.self) {
            #expect(text.contains("\(exchange.request.method) \(exchange.requestTarget)"))
        }
    }

    @Test("rows are ordered by when they began, whatever ended first")
    func order() {
        var play = Play(hasHistory: true)
        play.wall = .sampleNow
        play.type("4")
        let page = HistoryPage([
            .make(4, secondsAgo: 30), .make(3, secondsAgo: 10), .make(2, secondsAgo: 20),
        ])
        play.receive(.history(.loaded(page, generation: 0)))
        #expect(names(play) == ["3", "2", "4"])
        play.receive(.history(.refreshed(page, generation: 0)))
        #expect(names(play) == ["3", "2", "4"])
    }

    @Test("requests to more than one host, or of more than one workspace, say which")
    func distinction() {
        func rows(_ exchanges: [RecordedExchange]) -> String {
            var play = Play(hasHistory: true)
            play.wall = .sampleNow
            play.receive(.history(.loaded(HistoryPage(exchanges), generation: 0)))
            play.type("4 z")
            return Grid.rendering(play.model).textRows.joined(separator: "\n")
        }
        let one = RecordedExchange.make(1, "A", "GET", "/get", workspace: "one")
        #expect(!rows([one, .make(2, "A", "GET", "/get", workspace: "one")]).contains("8080/get"))
        let two = rows([one, .make(2, "A", "GET", "/get", workspace: "two")])
        #expect(two.contains("one  /get") && two.contains("two  /get"))
        let hosts = rows([one, .make(2, "A", "GET", "/get", host: "other.test", workspace: "two")])
        #expect(hosts.contains("127.0.0.1:8080/get") && hosts.contains("other.test/get"))
    }

    @Test("a longer time has no shorter bar, whatever part of it was the transfer")
    func bars() throws {
        var play = Play(hasHistory: true)
        play.wall = .sampleNow
        let page = HistoryPage([
            .make(1, "A", "GET", "/waited", milliseconds: 2, lasting: .milliseconds(14)),
            .make(2, "A", "GET", "/quick", milliseconds: 9),
        ])
        play.receive(.history(.loaded(page, generation: 0)))
        play.type("4 z")
        let rows = Grid.rendering(play.model).textRows
        func bar(_ name: String) throws -> Int {
            let row = try #require(rows.first { $0.contains(name) })
            return row.unicodeScalars.count { (0x2580...0x259F).contains($0.value) }
        }
        #expect(try bar("/waited") > bar("/quick"))
    }

    @Test("a note is typed, and an empty one takes it back")
    func notes() {
        var play = play()
        play.type("N")
        play.type("f i n e enter")
        guard case .note(12, "fine")? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        play.type("N enter")
        guard case .note(12, nil)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
    }

    @Test(
        "a filter is asked for as it is typed; what is no filter is said, and asked for not at all"
    )
    func filters() {
        var play = play()
        play.type("/ s t a t u s : 5 x x")
        guard case .load(let filter?, .newest, _)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(filter.statuses == [500...599])
        play.type("y")
        #expect(play.historyEffects.isEmpty)
        #expect(play.model.session.filterProblem?.contains("status:5xxy") == true)
        play.type("esc")
        guard case .load(nil, .newest, _)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
    }

    @Test("esc in the session clears its filter before it closes what is open")
    func clearsFilterFirst() {
        var play = play()
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        play.type("4 / x enter esc")
        #expect(play.model.session.filter == nil)
        #expect(play.model.responses.opened != nil)
        play.type("esc")
        #expect(play.model.responses.opened == nil)
    }

    @Test("a response to another filter is not shown")
    func lateResponse() {
        var play = play()
        play.type("/ x")
        play.receive(.history(.loaded(.sample, generation: 0)))
        #expect(play.model.session.lines.isEmpty)
    }

    @Test("R names a session, and R again ends it")
    func sessions() {
        var play = play()
        play.type("R b u g enter")
        guard case .beginSession("bug", sharing: nil)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(play.model.session.status == SessionStatus(name: "bug", count: 0))
        play.receive(.history(.session(SessionStatus(name: "bug", count: 3))))
        #expect(play.model.session.status?.count == 3)
        play.type("R")
        guard case .endSession? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(play.model.session.status == nil)
        // A look at what is new that began before.
        play.receive(.history(.session(SessionStatus(name: "bug", count: 4))))
        #expect(play.model.session.status == nil)
        play.type("R n e x t enter")
        play.receive(.history(.sessionFailed("bug")))
        #expect(play.model.session.status?.name == "next")
        play.receive(.history(.sessionFailed("next")))
        #expect(play.model.session.status == nil)
    }

    @Test("R names a session in the pane of a response, too")
    func sessionsInResponse() {
        var play = play()
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        #expect(play.model.panes.focus == .cache)
        play.type("R")
        #expect(play.model.layers.prompt?.label == "Session:")
    }

    @Test(
        "r sends an exchange again, with the secrets of its target in its environment, and of no other",
        arguments: [
            ("Sample", "staging", "http://api.test/1"), ("Sample", "local", "http://api.test/0"),
            ("Sample", "production", nil), ("Sample", nil, nil), ("other", "staging", nil),
        ] as [(String, String?, String?)]
    )
    func again(workspace: String, environment: String?, url: String?) {
        var play = Play(hasHistory: true)
        play.type("4")
        let exchange = RecordedExchange.make(12, workspace: workspace, environment: environment)
        play.receive(.history(.loaded(HistoryPage([exchange]), generation: 0)))
        play.type("e r")
        guard case .sendAgain(let run, let exchange, let own)? = play.effects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(exchange.id == 12)
        #expect(own?.url == url)
        let isTold = play.model.notice?.text.contains("no environment production here") == true
        #expect(isTold == (environment == "production"))
        #expect(play.model.runs[run]?.item == CatalogID("exchange 12"))
    }

    @Test(
        "while a request is sent again its pane waits, and does not say that there is nothing newer"
    )
    func waits() throws {
        var play = play()
        play.type("r")
        guard case .sendAgain(let run, _, _)? = play.effects.first else {
            Issue.record("\(play.effects)")
            return
        }
        play.receive(.history(.opened(.make(then: 12, now: nil), comparing: false)))
        play.wait(.seconds(2))
        let texts = Grid.rendering(play.model).textRows
        #expect(texts.contains { $0.contains("waiting  2.0 s") })
        #expect(!texts.contains { $0.contains("This is the latest response") })
        play.receive(.exchange(run, .finished(.make())))
        #expect(
            Grid.rendering(play.model).textRows.contains {
                $0.contains("This is the latest response")
            }
        )
    }

    @Test("recording that has ended is shown until the end")
    func stopped() {
        var play = play()
        play.receive(.history(.stopped("Recording has stopped: the disk is full.")))
        #expect(play.model.notice?.kind == .failure)
        play.type("down")
        #expect(play.model.session.recordingProblem != nil)
        #expect(Grid.rendering(play.model).textRows[0].contains("not recorded"))
    }

    @Test("v asks for the value under the cursor, and shows what comes of that look only")
    func pastValues() throws {
        var play = play()
        play.receive(.history(.opened(.make(then: 8, now: nil), comparing: false)))
        let address = try #require(play.openedBodies.first)
        let body = BodyDocument(
            DocumentBytes(Array(#"{"a":{"b":1}}"#.utf8)),
            contentType: "application/json"
        )
        play.receive(.bodyOpened(address, body))
        play.type("down down v")
        guard case .values(let series, "$['a']['b']", let generation)? = play.historyEffects.first
        else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(series == ExchangeSeries(.make(8)))
        let value = PastValue(exchange: .make(3), text: "2", number: 2)
        play.receive(.history(.values([value], isWhole: true, generation: generation + 1)))
        #expect(play.model.layers.pastValues?.values.isEmpty == true)
        play.receive(.history(.values([value], isWhole: true, generation: generation)))
        #expect(play.model.layers.pastValues?.values.count == 1)
        play.type("enter")
        let opened = play.historyEffects.contains { effect in
            if case .open(let exchange, .latest, true) = effect { exchange.id == 3 } else { false }
        }
        #expect(opened)
    }

    @Test("i tells what is known of a response beside its body, and says when there is none")
    func details() {
        var play = play()
        play.type("1 i")
        #expect(play.model.shownPage == nil)
        #expect(play.model.notice?.text == "there is no response yet")
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        play.type("i r z")
        let texts = Grid.rendering(play.model).textRows
        #expect(texts.contains { $0.contains("Exchange 8") })
        #expect(texts.contains { $0.contains("GET http://h/") })
        play.type("z 3 i r z")
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("Exchange 12") })
        play.type("esc")
        #expect(play.model.shownPage == nil)
    }

    @Test("numbers over time have a least, a middle and a most")
    func range() throws {
        var past = PastValues(shownPath: "a", path: "$.a", series: .like(1), generation: 1)
        past.show(
            [3, nil, 1, 10, 1].enumerated().map { index, number in
                PastValue(
                    exchange: .make(Int64(index)),
                    text: number.map { "\($0)" },
                    number: number
                )
            },
            isWhole: true
        )
        let range = try #require(past.range)
        #expect([range.least, range.median, range.most] == [1, 2, 10])
        #expect(past.changeCount == 4)
        #expect(past.numbers == [1, 10, 1, 3])
    }
}

extension OpenedExchange {
    fileprivate static func make(then: Int64, now: Int64?) -> OpenedExchange {
        let answer = Result<Response, ApusError>.success(.make(#"{"a":{"b":1}}"#, source: .replay))
        return OpenedExchange(
            then: .make(then),
            thenResult: answer,
            request: PreparedRequest(
                head: HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")
            ),
            now: now.map { .make($0) },
            nowResult: now.map { _ in answer }
        )
    }
}

extension ExchangeSummary {
    fileprivate static func make() -> ExchangeSummary {
        ExchangeSummary(
            result: .success(.make("{}")),
            responseCount: 1,
            attempts: 1,
            duration: .milliseconds(3)
        )
    }
}
