import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Recordings

/// A target with a name, of a shop in one of its environments.
private struct ShopTarget: TargetType {
    var baseURL: URL
    var path: String
    var method = HTTPRequest.Method.get
    var headerFields: HTTPFields = [:]

    init(_ base: String, _ path: String, fields: HTTPFields = [:]) {
        baseURL = URL(string: base) ?? URL(filePath: "/")
        (self.path, headerFields) = (path, fields)
    }
}

/// A shop's targets: `Me` needs a secret, and each environment has a server of its own.
private struct Shop: ReplayTargets {
    let name = "Shop"
    var environment = "local"
    var bases: [String: String]
    let knownSecrets: Set<String> = ["s3cret"]

    var completeTargets: [any TargetType] { [me] }
    var me: ShopTarget {
        ShopTarget(bases[environment] ?? "", "/me", fields: [.authorization: "Bearer s3cret"])
    }

    func inEnvironment(named name: String) -> Shop? {
        bases[name].map { _ in Shop(environment: name, bases: bases) }
    }

    func target(withID id: String, filling values: [String: String]) -> (any TargetType)? {
        switch id {
        case "Me": me
        case "User": values["user"].map { ShopTarget(bases[environment] ?? "", "/users/\($0)") }
        default: nil
        }
    }

    func replayedChain(
        named name: String
    ) throws -> (graph: ChainGraph, requests: [ApusError.RequestLine])? {
        guard name == "Sign up" else { return nil }
        let target = ShopTarget(bases[environment] ?? "", "/chain")
        let graph = try ChainGraph(ChainPlan([ChainPlan.Step("one", needs: []) { _ in target }]))
        return (graph, [ApusError.RequestLine(method: "POST", url: bases[environment] ?? "")])
    }
}

private struct QuietHost: RecorderHost {
    func report(_ notice: HistoryRecorder.Notice) {}
    func waiting<Result>(for history: History, _ work: () async -> Result) async -> Result {
        await work()
    }
}

/// Notes what a replay reports; ends it with an error after so many results.
private struct Notes: ReplayObserver {
    struct Enough: Error {}

    var began: [String] = []
    var outcomes: [ReplayResult.Outcome] = []
    var hasEnded = false
    var limit = Int.max

    mutating func willSend(_ part: ReplayPlan.Part, after done: Int, of count: Int) {
        began.append("\(done) of \(count)")
    }
    mutating func didCompare(_ results: [ReplayResult]) throws {
        outcomes += results.map(\.outcome)
        if outcomes.count >= limit { throw Enough() }
    }
    mutating func didEnd() { hasEnded = true }
}

@Suite("replaying a session")
struct ReplayTests {
    private let bench = HistoryBench()
    private let server: RawServer
    private let other: RawServer

    init() throws {
        server = try RawServer { request in [RawServer.ok(#"{"path": "\#(request.path)"}"#)] }
        other = try RawServer { _ in [RawServer.ok(#"{"path": "elsewhere"}"#)] }
    }

    private var local: String { "http://\(server.authority)" }
    private var shop: Shop {
        Shop(bases: ["local": local, "other": "http://\(other.authority)/v2"])
    }

    /// Sends targets, recorded into the session "day" under these names; nil for a URL.
    private func record(_ targets: [(name: String?, target: ShopTarget)]) async throws -> History {
        let history = bench.history(secrets: ["s3cret"])
        let session = try await history.session(named: "day")
        let provider = Provider<MultiTarget>(plugins: [.recording(to: history, session: session)])
        for (name, target) in targets {
            var origin = ExchangeOrigin()
            if let name {
                origin = ExchangeOrigin(
                    target: name,
                    workspace: "Shop",
                    environment: "local",
                    variables: ["user": "7"]
                )
            }
            let recorded = RecordingTarget(target, origin: origin)
            _ = try? await provider.response(for: MultiTarget(recorded), from: .server)
        }
        await provider.cache.close()
        try await history.flush()
        return history
    }

    private func plan(
        of history: History,
        environment: String? = nil,
        server: ReplayServer? = nil,
        fields: FieldOverrides = FieldOverrides(),
        filter: String = "",
        targets: Shop? = nil
    ) async throws -> ReplayPlan {
        try await ReplayPlanner(
            targets: targets ?? shop,
            environment: environment,
            server: server,
            fields: fields,
            warn: { Issue.record("\($0)") }
        ).plan(of: "day", HistoryFilter(filter), isFiltered: !filter.isEmpty, in: history)
    }

    private func run(_ plan: ReplayPlan, in history: History) -> ReplayRun {
        ReplayRun(
            plan,
            in: history,
            recorder: { HistoryRecorder(nil, session: nil, host: QuietHost()) },
            provider: { Provider<MultiTarget>(headerFields: [:], plugins: $0) }
        )
    }

    private func requests(_ plan: ReplayPlan) -> [PreparedRequest] {
        plan.parts.compactMap { if case .request(_, let request, _) = $0 { request } else { nil } }
    }

    @Test("requests are planned in their recorded order, with the secrets of their targets")
    func order() async throws {
        let history = try await record([
            ("User", ShopTarget(local, "/users/7")), ("Me", shop.me),
        ])
        let plan = try await plan(of: history)
        #expect(requests(plan).map(\.head.path) == ["/users/7", "/me"])
        #expect(requests(plan).last?.head.headerFields[.authorization] == "Bearer s3cret")
        #expect(plan.count == 2 && plan.secrets.contains("s3cret"))
        await history.close()
    }

    @Test("an environment or a server moves requests; header fields are replaced")
    func moved() async throws {
        let history = try await record([("Me", shop.me)])
        let there = try await plan(of: history, environment: "other")
        #expect(requests(there).map(\.url) == ["http://\(other.authority)/v2/me"])
        let named = try await plan(
            of: history,
            server: ReplayServer("https://example.com/api/"),
            fields: FieldOverrides([(.accept, HTTPField(name: .accept, value: "a/b"))])
        )
        #expect(requests(named).map(\.url) == ["https://example.com/api/me"])
        #expect(requests(named).map(\.head.headerFields[.accept]) == ["a/b"])
        await history.close()
    }

    @Test("what cannot be sent is listed with its place, and nothing is planned")
    func unsendable() async throws {
        let elsewhere = "http://\(other.authority)"
        let history = try await record([
            (nil, ShopTarget(elsewhere, "/me", fields: [.authorization: "Bearer x"])),
            ("Gone", ShopTarget(elsewhere, "/me", fields: [.authorization: "Bearer y"])),
        ])
        await #expect(throws: ReplayError.self) { try await plan(of: history) }
        do {
            _ = try await plan(of: history)
        } catch ReplayError.unsendable(let requests) {
            let places = ["the field Authorization"]
            #expect(
                requests.map(\.reason) == [
                    ReplayError.noSecret(places: places, .noMatch).description,
                    ReplayError.noSecret(places: places, .noTarget("Gone")).description,
                ]
            )
        }
        await #expect(throws: ReplayError.nothingToSend) {
            try await plan(of: history, filter: "method:put")
        }
        await #expect(throws: ReplayError.self) {
            try await plan(of: history, environment: "other", filter: "url:/me")
        }
        await history.close()
    }

    @Test("a secret does not go to a server that its target does not go to")
    func otherServer() async throws {
        let history = try await record([("Me", shop.me)])
        var moved = shop
        moved.bases["local"] = "http://127.0.0.1:1"
        do {
            _ = try await plan(of: history, targets: moved)
            Issue.record("it is planned")
        } catch ReplayError.unsendable(let requests) {
            let words = "the target “Me” goes to another server"
            #expect(requests.count == 1 && requests[0].reason.contains(words))
        }
        await history.close()
    }

    @Test("requests that change something go to other machines only if those are named")
    func unsafe() throws {
        var plan = ReplayPlan()
        plan.sent = [
            ApusError.RequestLine(method: "GET", url: "http://shop.example/"),
            ApusError.RequestLine(method: "POST", url: "http://localhost:1/"),
            ApusError.RequestLine(method: "PUT", url: "http://127.0.0.1/"),
            ApusError.RequestLine(method: "DELETE", url: "http://[::1]:8080/"),
        ]
        try plan.checkServers(isNamed: false)
        plan.sent += [
            ApusError.RequestLine(method: "POST", url: "http://127.example/"),
            ApusError.RequestLine(method: "POST", url: ""),
        ]
        let error = ReplayError.unsafe(
            methods: ["POST": 2],
            hosts: ["127.example", "an unknown server"]
        )
        #expect(throws: error) { try plan.checkServers(isNamed: false) }
        try plan.checkServers(isNamed: true)
    }

    @Test(
        "a server is a URL with a host, and without a user, a query and a fragment",
        arguments: ["shop", "http://", "http://a@b", "http://a?b", "http://a/#b", "/api", ""]
    )
    func noServer(_ text: String) {
        #expect(throws: ReplayError.notServer) { try ReplayServer(text) }
    }

    @Test("each result is reported, and the same, the different and the failed are told apart")
    func outcomes() async throws {
        let history = try await record([
            ("User", ShopTarget(local, "/users/7")), (nil, ShopTarget(local, "/b")),
        ])
        var notes = Notes()
        let same = try await run(plan(of: history), in: history).run(reportingTo: &notes)
        #expect(notes.outcomes == [.same, .same] && notes.hasEnded)
        #expect(notes.began == ["0 of 2", "1 of 2"])
        #expect(same.map(\.status) == [200, 200] && same.allSatisfy { $0.duration != nil })
        let elsewhere = try ReplayServer("http://\(other.authority)")
        let different = try await run(plan(of: history, server: elsewhere), in: history)
            .run(reportingTo: &notes)
        #expect(different.map(\.outcome) == [.different, .different])
        #expect(
            different[0].differences.map(\.description)
                == [#"~ $.path  "/users/7" → "elsewhere""#]
        )
        let closed = try ReplayServer("http://127.0.0.1:1")
        let trouble = try await run(plan(of: history, server: closed), in: history)
            .run(reportingTo: &notes)
        #expect(trouble.map(\.outcome) == [.trouble, .trouble])
        #expect(trouble.allSatisfy { $0.message != nil && $0.status == nil })
        await history.close()
    }

    @Test("an observer's error ends the run, after what was reported")
    func ended() async throws {
        let history = try await record([
            (nil, ShopTarget(local, "/a")), (nil, ShopTarget(local, "/b")),
        ])
        let count = server.received.count
        var notes = Notes(limit: 1)
        await #expect(throws: Notes.Enough.self) {
            try await run(plan(of: history), in: history).run(reportingTo: &notes)
        }
        #expect(notes.outcomes == [.same] && notes.hasEnded)
        #expect(server.received.count == count + 1)
        await history.close()
    }

    @Test("a chain is run as it is defined now, once for all its exchanges")
    func chain() async throws {
        let history = bench.history()
        let session = try await history.session(named: "day")
        let id = try await history.beginRun(
            .chain,
            named: "Sign up",
            environment: "local",
            total: 2,
            in: session
        )
        var origin = ExchangeOrigin(workspace: "Shop", environment: "local", run: id)
        origin.step = "one"
        var gone = origin
        gone.step = "two"
        let body = Array(#"{"path": "/chain"}"#.utf8)
        try await history.keep(
            [.make(.make("/chain"), body: body, origin: origin), .make(origin: gone)],
            in: session
        )
        let plan = try await plan(of: history)
        #expect(plan.parts.count == 1 && plan.count == 2)
        #expect(plan.sent.map(\.method) == ["POST"])
        var notes = Notes()
        let results = try await run(plan, in: history).run(reportingTo: &notes)
        #expect(server.received.map(\.path) == ["/chain"])
        #expect(results.map(\.outcome) == [.same, .different])
        #expect(results.map(\.step) == ["one", "two"])
        #expect(
            results[1].differences.map(\.now) == ["not sent: the chain no longer has this step"]
        )
        await history.close()
    }

    @Test("the member that differs most often is found from three times on")
    func frequent() async throws {
        let history = try await record(
            Array(repeating: (nil, ShopTarget(local, "/a")), count: 3)
        )
        let elsewhere = try ReplayServer("http://\(other.authority)")
        var notes = Notes()
        let results = try await run(plan(of: history, server: elsewhere), in: history)
            .run(reportingTo: &notes)
        let found = try #require(FrequentDifference(in: results))
        #expect(found.name == "path" && found.count == 3 && found.total == 3)
        #expect(FrequentDifference(in: Array(results.prefix(2))) == nil)
        let report = JUnitDocument(
            session: "a<b",
            results,
            after: .milliseconds(1234),
            now: Date(timeIntervalSinceReferenceDate: 0)
        ).text
        let counts = #"tests="3" failures="3" errors="0" skipped="0" time="1.234""#
        #expect(
            report.contains(
                #"<testsuite name="a&lt;b" \#(counts) timestamp="2001-01-01T00:00:00">"#
            )
        )
        let difference = "~ $.path  &quot;/a&quot; → &quot;elsewhere&quot;"
        #expect(report.contains(#"<failure message="\#(difference)" type="difference">"#))
        await history.close()
    }
}
