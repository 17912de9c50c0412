import Apus
import Documents
import FoundationEssentials
import Terminal
import Testing

@testable import Explorer

@Suite("Watching a target")
struct WatchTests {
    @Test(
        "how often and until when is read as people write it",
        arguments: [
            ("5s", Duration.seconds(5), nil), ("1 min", .seconds(60), nil),
            ("2s until status:5xx", .seconds(2), "status:5xx"),
            (#"1 h until $.state == "done""#, .seconds(3600), #"$.state == "done""#),
        ] as [(String, Duration, String?)]
    )
    func reads(text: String, interval: Duration, condition: String?) throws {
        let plan = try WatchPlan(text)
        #expect(plan.interval == interval)
        #expect(plan.conditionText == condition)
    }

    @Test(
        "what is no plan says what one is",
        arguments: [
            ("", "5s"), ("0.5s", "1 s and 1 h"), ("2h", "1 s and 1 h"), ("soon", "soon"),
            ("5s until done", "status:200"), ("5s until status:9999", "status:9999"),
            ("5s until $.a == ", "$.a =="), ("5s until $.a + 1", "$.a + 1"),
        ]
    )
    func faults(text: String, told: String) {
        let fault = #expect(throws: WatchPlan.Fault.self) { try WatchPlan(text) }
        #expect(fault?.text.contains(told) == true, "\(fault?.text ?? "")")
    }

    @Test(
        "a condition is about a status, or about a value",
        arguments: [
            ("status:200", true), ("status:4xx", false), ("$.visits > 3", true),
            ("$.visits > 5", false), (#"$.name == "$Ada""#, true),
            (#"$.visits > 3 && $.name == "Bob""#, false), ("$.missing", false), ("$.tags[0]", true),
        ]
    )
    func conditions(text: String, isReached: Bool) throws {
        let plan = try WatchPlan("1s until \(text)")
        let response = Response.make(#"{"visits": 4, "name": "$Ada", "tags": [1]}"#)
        #expect(plan.isReached(by: response) == isReached)
    }

    @Test("a body that is no JSON is not what a value is waited for in")
    func noJSON() throws {
        let plan = try WatchPlan("1s until $.a")
        #expect(!plan.isReached(by: .make("<p>] , [</p>")))
        #expect(!plan.isReached(by: .make(#"{}], [{"a": 1}"#)))
    }

    private func watching(_ keys: String = "") throws -> (Play, RunID) {
        var play = Play(hasHistory: true)
        play.type("w enter")
        guard case .watch(let id, _, _, _, let plan)? = play.effects.first else {
            throw Missing()
        }
        #expect(plan.interval == .seconds(5))
        return (play, id)
    }

    private struct Missing: Error {}

    @Test("a change puts the two last answers beside each other; an equal one changes nothing")
    func changes() throws {
        var (play, id) = try watching()
        #expect(play.model.watched == id)
        play.receive(.watched(id, .success(.make(#"{"a": 1}"#))))
        #expect(play.openedBodies.map(\.side) == [.server])
        play.receive(.watched(id, .success(.make(#"{"a": 1}"#))))
        #expect(play.effects.isEmpty)
        play.receive(.watched(id, .success(.make(#"{"a": 2}"#))))
        #expect(play.openedBodies.map(\.side) == [.cache, .server])
        for address in play.openedBodies {
            let body = BodyDocument(
                DocumentBytes(Array("{}".utf8)),
                contentType: "application/json"
            )
            play.receive(.bodyOpened(address, body))
        }
        #expect(play.model.comparison != nil)
        guard case .watch(let state)? = play.model.runs[id]?.state else { throw Missing() }
        #expect((state.answerCount, state.changeCount) == (3, 1))
    }

    @Test("it goes on when something else is shown, and is opened again from its row")
    func goesOn() throws {
        var (play, id) = try watching()
        play.type("1 down")
        #expect(play.model.watched == nil)
        play.receive(.watched(id, .success(.make("{}"))))
        #expect(play.effects.isEmpty)
        play.type("4 home enter")
        #expect(play.model.watched == id)
        #expect(play.openedBodies.map(\.side) == [.server])
    }

    @Test("what was waited for is said, and the row ends")
    func reached() throws {
        var (play, id) = try watching()
        play.receive(.watchEnded(id, isReached: true))
        #expect(play.model.runs[id]?.isRunning == false)
        #expect(play.model.notice?.text.contains("what was waited for") == true)
    }

    @Test("a mistake is said, and what was typed stays to be mended")
    func mistake() {
        var play = Play()
        play.type("w x enter")
        #expect(play.model.notice?.kind == .failure)
        #expect(play.model.prompt?.field.text == "5sx")
        #expect(play.effects.isEmpty)
    }
}
