import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import Testing

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

    @Test("without a history nothing is asked of one")
    func none() {
        var play = Play()
        #expect(play.historyEffects.isEmpty)
        play.type("4 R")
        #expect(play.historyEffects.isEmpty)
        #expect(play.model.notice?.kind == .warning)
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

    @Test("enter opens a batch, and closes it")
    func runs() {
        var play = play()
        play.type("down down down enter")
        guard case .loadParts(let run)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        play.receive(.history(.parts(run, [.make(5, run: run)])))
        #expect(names(play).contains("part 5"))
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
        play.type("enter")
        guard case .open(let exchange, .exchange(let other), false)? = play.historyEffects.first
        else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(exchange.id == 12)
        #expect(other.id == 9, "the one that is marked")
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        #expect(play.model.focus == .cache)
        #expect(play.openedBodies.map(\.side) == [.cache, .server])
        #expect(play.model.shownItem == CatalogID("exchange 8"))
        play.type("esc")
        #expect(play.model.opened == nil)
        #expect(play.model.focus == .progress)
    }

    @Test("two that are marked are compared once both bodies are there")
    func compares() throws {
        var play = play()
        play.type("=")
        #expect(play.model.notice?.text.contains("mark two") == true)
        var page = HistoryPage.sample
        page.entries[0] = .exchange(.make(12, isMarked: true))
        play.receive(.history(.refreshed(page, generation: 0)))
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

    @Test("an answer to another filter is not shown")
    func lateAnswer() {
        var play = play()
        play.type("/ x")
        play.receive(.history(.loaded(.sample, generation: 0)))
        #expect(play.model.session.lines.isEmpty)
    }

    @Test("R names a session, and R again ends it")
    func sessions() {
        var play = play()
        play.type("R b u g enter")
        guard case .beginSession("bug")? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(play.model.lamp == SessionLamp(name: "bug", count: 0))
        play.receive(.history(.session(SessionLamp(name: "bug", count: 3))))
        #expect(play.model.lamp?.count == 3)
        play.type("R")
        guard case .endSession? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(play.model.lamp == nil)
    }

    @Test("r sends an exchange again, with the secrets of its target in its environment")
    func again() {
        var play = play()
        play.type("r")
        guard case .sendAgain(let run, let exchange, _)? = play.effects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(exchange.id == 12)
        #expect(play.model.runs[run]?.item == CatalogID("exchange 12"))
    }

    @Test("recording that has ended is shown until the end")
    func stopped() {
        var play = play()
        play.receive(.history(.stopped("Nothing is recorded any more: the disk is full.")))
        #expect(play.model.notice?.kind == .failure)
        play.type("down")
        #expect(play.model.recordingProblem != nil)
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
        #expect(play.model.pastValues?.values.isEmpty == true)
        play.receive(.history(.values([value], isWhole: true, generation: generation)))
        #expect(play.model.pastValues?.values.count == 1)
        play.type("enter")
        let opened = play.historyEffects.contains { effect in
            if case .open(let exchange, .latest, true) = effect { exchange.id == 3 } else { false }
        }
        #expect(opened)
    }

    @Test("i tells what is known of an answer beside its body, and says when there is none")
    func details() {
        var play = play()
        play.type("1 i")
        #expect(play.model.details == nil)
        #expect(play.model.notice?.text == "there is no answer yet")
        play.receive(.history(.opened(.make(then: 8, now: 12), comparing: false)))
        play.type("i")
        let texts = Grid.rendering(play.model).textRows
        #expect(texts.contains { $0.contains("Exchange 8") })
        #expect(texts.contains { $0.contains("GET") && $0.contains("http://h/") })
        play.type("esc 3 i")
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("Exchange 12") })
        play.type("i")
        #expect(play.model.details == nil)
    }

    @Test("numbers over time have a least, a middle and a most")
    func range() throws {
        var past = PastValues(shownPath: "a", path: "$.a", series: .like(1), generation: 1)
        past.take(
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
