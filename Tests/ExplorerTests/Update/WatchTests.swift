import Apus
import Documents
import FoundationEssentials
import Terminal
import TestSupport
import Testing
import TreeView

@testable import Explorer

@Suite("Watching a target")
struct WatchTests {
    @Test(
        "how often and until when is read as people write it",
        arguments: [
            ("5s", Duration.seconds(5), nil), ("1 min", .seconds(60), nil),
            ("2s until status:5xx", .seconds(2), "status:5xx"),
            (#"1 h until $.state == "done""#, .seconds(3600), #"$.state == "done""#),
            (#"$.state == "done""#, .seconds(5), #"$.state == "done""#),
            (#"until $.state == "until ""#, .seconds(5), #"$.state == "until ""#),
            ("status:200", .seconds(5), "status:200"),
            ("until status: 200", .seconds(5), "status: 200"),
            ("10s status:4xx", .seconds(10), "status:4xx"), ("every 2s", .seconds(2), nil),
            ("1.5 min $.a[0].b", .seconds(90), "$.a[0].b"),
            ("status == 200", .seconds(5), "status == 200"),
            ("  5s  until   $.a ", .seconds(5), "$.a"),
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
            ("stauts:200", "did you mean status:200?"), ("5s until", "until what?"),
            (#"state == "done""#, #"did you mean $.state == "done"?"#),
            (#"5s until .state == "x""#, #"did you mean $.state == "x"?"#),
            ("until colour:red", "colour: is no condition"),
        ]
    )
    func faults(text: String, told: String) {
        let fault = #expect(throws: WatchPlanError.self) { try WatchPlan(text) }
        #expect(fault?.text.contains(told) == true, "\(fault?.text ?? "")")
    }

    @Test(
        "a condition is about a status, or about a value",
        arguments: [
            ("status:200", true), ("status:4xx", false), ("status: 200", true),
            ("status=200", true),
            ("status == 404", false), ("$.visits > 3", true),
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

    private func watching() throws -> (Play, RunID) {
        var play = Play(hasHistory: true)
        play.type("w enter")
        guard case .watch(let id, _, _, _, let plan)? = play.effects.first else {
            throw Missing()
        }
        #expect(plan.interval == .seconds(5))
        return (play, id)
    }

    private struct Missing: Error {}

    @Test("a change puts the two last responses beside each other; an equal one changes nothing")
    func changes() throws {
        var (play, id) = try watching()
        #expect(play.model.responses.watched == id)
        play.receive(.watched(id, .success(.make(#"{"a": 1}"#)), after: .zero, isChange: false))
        #expect(play.openedBodies.map(\.side) == [.server])
        play.receive(.watched(id, .success(.make(#"{"a": 1}"#)), after: .zero, isChange: false))
        #expect(play.effects.isEmpty)
        play.receive(.watched(id, .success(.make(#"{"a": 2}"#)), after: .zero, isChange: true))
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
        #expect((state.responseCount, state.changeCount) == (3, 1))
    }

    @Test("it goes on when something else is shown, and is opened again from its row")
    func goesOn() throws {
        var (play, id) = try watching()
        play.type("1 down")
        #expect(play.model.responses.watched == nil)
        play.receive(.watched(id, .success(.make("{}")), after: .zero, isChange: false))
        #expect(play.effects.isEmpty)
        play.type("4 home enter")
        #expect(play.model.responses.watched == id)
        #expect(play.openedBodies.map(\.side) == [.server])
    }

    @Test("what was waited for is said, and the row ends")
    func reached() throws {
        var (play, id) = try watching()
        play.receive(.watchEnded(id, isReached: true))
        #expect(play.model.runs[id]?.isRunning == false)
        #expect(play.model.notice?.text.contains("the watch has ended") == true)
    }

    @Test("large bodies, which are in files, are a change only where their bytes differ")
    func files() throws {
        let folder = TemporaryFolder()
        func answer(_ bytes: [UInt8], _ name: String) throws -> Result<Response, ApusError> {
            var response = Response.make("")
            let path = try folder.write(bytes, to: name)
            response.body = .file(BodyFile(path: path, count: bytes.count, ownership: .borrowed))
            return .success(response)
        }
        var bytes = [UInt8](repeating: 7, count: 3 << 20)
        let first = try answer(bytes, "1")
        #expect(WatchPlan.isSame(first, try answer(bytes, "2")))
        bytes[bytes.count - 1] = 8
        #expect(!WatchPlan.isSame(first, try answer(bytes, "3")))
        #expect(!WatchPlan.isSame(first, try answer(bytes.dropLast(), "4")))
    }

    @Test("while it waits for the next time the screen changes once a second")
    func ticks() throws {
        var (play, id) = try watching()
        #expect(play.model.tick == .milliseconds(100))
        play.receive(.watched(id, .success(.make("")), after: .zero, isChange: false))
        #expect(play.model.tick == .seconds(1))
        play.type("1 enter")
        #expect(play.model.tick == .milliseconds(100))
    }

    @Test("x ends the watch that is looked at, or under the cursor, and no newer one")
    func cancels() throws {
        var (play, first) = try watching()
        play.type("1 w enter")
        let second = try #require(play.model.responses.watched)
        #expect(second != first)
        func cancelled() -> RunID? {
            if case .cancel(let id)? = play.effects.first { id } else { nil }
        }
        // What runs stands on top, the first to begin first.
        play.type("4 home x")
        #expect(cancelled() == first)
        play.type("enter x")
        #expect(play.model.responses.watched == first)
        #expect(cancelled() == first)
    }

    @Test("a mistake is said, and what was typed stays to be mended")
    func mistake() {
        var play = Play()
        play.type("w x enter")
        #expect(play.model.notice?.kind == .failure)
        #expect(play.model.layers.prompt?.field.text == "5sx")
        #expect(play.effects.isEmpty)
    }
}
