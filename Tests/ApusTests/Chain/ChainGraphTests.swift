import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite("Chains as graphs")
struct ChainGraphTests {
    /// A server that gives a number to each thing that is made.
    private func server(
        failing paths: Set<String> = [],
        body: @escaping @Sendable (String) -> String = { "{\"id\": \"\($0.dropFirst())\"}" }
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            let path = request.head.path ?? ""
            return .make(request, body(path), status: paths.contains(path) ? 500 : 200)
        }
    }

    @Test("a step gets what those before it captured, from body, header and status")
    func captures() async throws {
        let plan = ChainPlan([
            .make("a", captures: ["id": "$.id", "code": "status"]),
            .make("b", needs: ["a"], uses: ["id", "code"]) {
                "/b/\(try $0.text("id"))/\(try $0.text("code"))"
            },
        ])
        let transport = server()
        let summary = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(transport.received.map(\.head.path) == ["/a", "/b/a/200"])
        #expect(summary.ending == .done)
        #expect(summary.values["id"] == "a")
        #expect(summary["a"]?.captures == ["id": "a", "code": 200])
        #expect(summary.steps.map { $0.results.count } == [1, 1])
    }

    @Test("steps that do not need each other run side by side")
    func sideBySide() async throws {
        let arrived = Mutex(0)
        let transport = ScriptedTransport { request in
            // Nobody gets a response before all three are there.
            arrived.withLock { $0 += 1 }
            while arrived.withLock({ $0 < 3 }) { await Task.yield() }
            return .make(request, "{}")
        }
        let plan = ChainPlan([
            .make("a"), .make("b"), .make("c"), .make("d", needs: ["a", "b", "c"]),
        ])
        let summary = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(summary.ending == .done)
        #expect(transport.received.last?.head.path == "/d")
    }

    @Test("no more requests are under way than the plan allows", arguments: [1, 2])
    func concurrency(limit: Int) async throws {
        let counts = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<20 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .make(request, "[1,2,3,4,5,6,7,8,9]")
        }
        let plan = ChainPlan(
            [
                .make("a", captures: ["list": "$"]), .make("b"), .make("c"),
                .make("d", needs: ["a"], forEach: .init("list", concurrency: 8)),
            ],
            concurrency: limit
        )
        _ = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(transport.received.count == 12)
        #expect(counts.withLock { $0.most } <= limit)
    }

    @Test("a failed step skips what needs it, and says so; the rest is still run")
    func failing() async throws {
        let plan = ChainPlan([
            .make("a"), .make("b", needs: ["a"]), .make("c", needs: ["b"]), .make("d"),
            .make("e", needs: ["d", "c"]),
        ])
        let transport = server(failing: ["/a"])
        let summary = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(
            summary.steps.map(\.outcome) == [
                .failed(.status(500)), .skipped(because: .failed(step: "a")),
                .skipped(because: .skipped(step: "b")), .done,
                .skipped(because: .skipped(step: "c")),
            ]
        )
        #expect(summary.ending == .failed(step: "a"))
        #expect(Set(transport.received.map(\.head.path)) == ["/a", "/d"])
    }

    @Test("a step fails when its target cannot be made, nothing answers, or a value is missing")
    func failures() async throws {
        struct Broken: Error {}
        let plan = ChainPlan([
            .make("throws") { _ in throw Broken() },
            .make("down"),
            .make("lacks", captures: ["x": "$.nothing"]),
            .make("unknown") { "/\(try $0.text("nobody"))" },
        ])
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/down" else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "{}")
        }
        let summary = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(
            summary.steps.map(\.outcome) == [
                .failed(.target(detail: "Broken()")),
                .failed(.exchange(ApusError(.transport(code: 7, detail: "")))),
                .failed(.capture(name: "x", path: "$['nothing']")),
                .failed(.noValue(name: "nobody")),
            ]
        )
    }

    @Test("of a body over the limit nothing is captured, of its fields all the same")
    func captureLimit() async throws {
        let fields = ["s": "status"]
        var plan = ChainPlan([
            .make("body", captures: ["x": "$.a"]), .make("fields", captures: fields),
        ])
        plan.captureLimit = 7
        let transport = ScriptedTransport { .make($0, #"{"a": 1}"#) }
        let provider = Provider<MultiTarget>.sending(over: transport)
        let summary = await provider.summary(of: try ChainGraph(plan))
        let failure = ChainFailure.captureTooLarge(name: "x", size: 8, limit: 7)
        #expect(summary.steps.map(\.outcome) == [.failed(failure), .done])
        #expect("\(failure)" == "the body has 8 bytes, too many to look for `x` in it (limit 7)")
        plan.captureLimit = 8
        #expect(await provider.summary(of: try ChainGraph(plan)).values["x"] == 1)
    }

    @Test("of a body whose tree would be too large nothing is captured")
    func captureTree() async throws {
        // Each bracket costs 40 bytes, and 8 are allowed beside 64 MiB.
        let body = #"{"a": 1, "b": "# + String(repeating: "[", count: 4 << 20)
        let plan = ChainPlan([.make("body", captures: ["x": "$.a"])])
        let transport = ScriptedTransport { .make($0, body) }
        let provider = Provider<MultiTarget>.sending(over: transport)
        let summary = await provider.summary(of: try ChainGraph(plan))
        #expect(summary.steps.map(\.outcome) == [.failed(.captureTooManyValues(name: "x"))])
    }

    @Test(
        "a path finds values up to a number and a size, however small the response",
        arguments: [
            // Each of the objects has all the others in it: 3 GB in all.
            (
                String(repeating: #"{"id":"#, count: 30_000) + "1"
                    + String(repeating: "}", count: 30_000), "$..id"
            ),
            ("[1" + String(repeating: ",1", count: 100_000) + "]", "$[*]"),
        ]
    )
    func captureMatches(body: String, path: String) async throws {
        let plan = ChainPlan([.make("body", captures: ["x": path])])
        let transport = ScriptedTransport { .make($0, body) }
        let provider = Provider<MultiTarget>.sending(over: transport)
        let summary = await provider.summary(of: try ChainGraph(plan))
        let failure = ChainFailure.captureTooManyMatches(name: "x")
        #expect(summary.steps.map(\.outcome) == [.failed(failure)])
        #expect("\(failure)".contains("at most 100,000 values, 64 MiB of values"))
    }

    @Test(
        "a chain ends when it is cancelled, however long a condition or a capture would take",
        arguments: [
            ("$.items", "count($.x..items..items) > 0", "b"),
            ("$..items..items[?@.none]", "$.x", "a"),
        ]
    )
    func cancelledQueries(path: String, condition: String, step: String) async throws {
        let plan = ChainPlan([
            .make("a", captures: ["x": path]),
            .make("b", needs: ["a"], when: try ChainCondition(condition)),
        ])
        let (received, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request in
            continuation.finish()
            return .make(request, ChainPlan.nestedBody)
        }
        let graph = try ChainGraph(plan)
        let task = Task { await Provider.sending(over: transport).summary(of: graph) }
        for await _ in received {}
        task.cancel()
        let summary = await task.value
        #expect(summary.ending == .cancelled)
        #expect(summary[step]?.outcome == .cancelled)
    }

    @Test("a list of as many values as are allowed is one document")
    func capturedList() async throws {
        let body = "[1" + String(repeating: ",1", count: 99_999) + "]"
        let plan = ChainPlan([.make("body", captures: ["x": "$[*]"])])
        let transport = ScriptedTransport { .make($0, body) }
        let provider = Provider<MultiTarget>.sending(over: transport)
        let value = try #require(
            await provider.summary(of: try ChainGraph(plan)).values["x"]
        )
        #expect(value.array?.count == 100_000)
        #expect(value.source?.document.nodeCount == 100_001)
    }

    @Test("a fallback stands for what the response does not have")
    func fallback() async throws {
        let plan = ChainPlan([
            ChainPlan.Step("a", captures: [try .init("x", "$.nothing", fallback: 7)]) { _ in
                TestTarget()
            }
        ])
        let summary = await Provider.sending(over: server()).summary(of: try ChainGraph(plan))
        #expect(summary.values["x"] == 7)
    }

    @Test("a step whose condition is not true is skipped, and so is what needs it")
    func conditions() async throws {
        let plan = ChainPlan([
            .make("a", captures: ["id": "$.id"]),
            .make("yes", needs: ["a"], when: try ChainCondition("$.id == 'a'")),
            .make("no", needs: ["a"], when: try ChainCondition("$.steps.a.status == 404")),
            .make("behind", needs: ["no"]),
        ])
        let summary = await Provider.sending(over: server()).summary(of: try ChainGraph(plan))
        #expect(
            summary.steps.map(\.outcome) == [
                .done, .done,
                .skipped(because: .condition("$.steps.a.status == 404")),
                .skipped(because: .skipped(step: "no")),
            ]
        )
        #expect(summary.ending == .done)
    }

    @Test("a status that a step accepts is no failure, and a condition can look at it")
    func accepted() async throws {
        let plan = ChainPlan([
            .make("look", accepts: .none),
            .make("make", needs: ["look"], when: try ChainCondition("$.steps.look.status == 500")),
        ])
        let summary = await Provider.sending(over: server(failing: ["/look"]))
            .summary(of: try ChainGraph(plan))
        #expect(summary.steps.map(\.outcome) == [.done, .done])
    }

    @Test("values are captured as they were written, and without the response that had them")
    func exactNumbers() async throws {
        let plan = ChainPlan([.make("a", captures: ["n": "$.n"])])
        let transport = server { _ in "{\"n\": 12345678901234567890.10}" }
        let summary = await Provider.sending(over: transport).summary(of: try ChainGraph(plan))
        #expect(summary.values["n"]?.numberText == "12345678901234567890.10")
    }

    @Test("a response need not be kept; what it gave is")
    func withoutResponses() async throws {
        let plan = ChainPlan([.make("a", captures: ["id": "$.id"])], keepsResponses: false)
        let summary = await Provider.sending(over: server()).summary(of: try ChainGraph(plan))
        #expect(summary.steps.first?.results.isEmpty == true)
        #expect(summary.values["id"] == "a")
    }

    @Test("every step has one end among the events, and the last event is the run's")
    func events() async throws {
        let plan = ChainPlan([
            .make("a", captures: ["list": "$"]), .make("b", needs: ["a"], forEach: .init("list")),
            .make("c", needs: ["b"]), .make("d", needs: ["a"]), .make("e", needs: ["d"]),
        ])
        let transport = server(failing: ["/d"]) { _ in "[1, 2, 3]" }
        var begun: [Int] = []
        var ended: [String] = []
        var sent = 0
        var answered = 0
        var counts: [Int] = []
        var last: ChainEvent?
        for await event in Provider.sending(over: transport).events(for: try ChainGraph(plan)) {
            switch event {
            case .began(let step, let elements):
                begun.append(step)
                if step == 1 { #expect(elements == 3) }
            case .sending: sent += 1
            case .requestEnded: answered += 1
            case .ended(let result, let progress):
                ended.append(result.name)
                counts.append(progress.ended)
                #expect(progress.total == 5)
            case .exchange, .finished: break
            }
            last = event
        }
        #expect(begun.sorted() == [0, 1, 2, 3])
        #expect(ended.sorted() == ["a", "b", "c", "d", "e"])
        #expect(sent == 6)
        #expect(answered == 6)
        #expect(counts == [1, 2, 3, 4, 5])
        guard case .finished(let summary)? = last else {
            Issue.record("no terminal event")
            return
        }
        #expect(summary.ending == .failed(step: "d"))
    }

    @Test("a failure skips a very long row of steps without a deep stack")
    func longRow() async throws {
        var steps: [ChainPlan.Step] = [.make("s0")]
        for index in 1..<3000 { steps.append(.make("s\(index)", needs: ["s\(index - 1)"])) }
        let graph = try ChainGraph(ChainPlan(steps))
        let summary = await Provider.sending(over: server(failing: ["/s0"])).summary(of: graph)
        #expect(summary.steps.last?.outcome == .skipped(because: .skipped(step: "s2998")))
    }

    @Test("a plan of many steps in a row and in a fan is run to its end")
    func large() async throws {
        var steps: [ChainPlan.Step] = [.make("s0")]
        for index in 1..<300 { steps.append(.make("s\(index)", needs: ["s\(index - 1)"])) }
        for index in 0..<300 { steps.append(.make("f\(index)", needs: ["s299"])) }
        let transport = server()
        let summary = await Provider.sending(over: transport).summary(
            of: try ChainGraph(ChainPlan(steps))
        )
        #expect(summary.ending == .done)
        #expect(transport.received.count == 600)
    }
}
