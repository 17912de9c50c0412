import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Explorer

@Suite("Chains whose steps need one another, on the screen")
struct GraphRunTests {
    /// Answers with a list, and one path with 500.
    private struct ListTransport: Transport {
        var body = "{\"id\": 7, \"ids\": [1, 2, 3]}"

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            Response(
                request: request,
                head: HTTPResponse(status: request.head.path == "/bad" ? 500 : 201),
                body: .bytes(Array(body.utf8)),
                source: .server,
                received: .distantPast
            )
        }
    }

    private func graph() throws -> ChainGraph {
        try ChainGraph(
            ChainPlan([
                .init("first", captures: [try .init("ids", "$.ids"), try .init("id", "$.id")]) {
                    _ in PlayTarget(path: "/first")
                },
                .init("each", needs: ["first"], forEach: .init("ids")) { _ in
                    PlayTarget(path: "/each")
                },
                .init("bad", needs: ["first"]) { _ in PlayTarget(path: "/bad") },
                .init("behind", needs: ["bad"]) { _ in PlayTarget(path: "/behind") },
            ])
        )
    }

    private func catalog(_ graph: ChainGraph) -> Catalog {
        let chain = CatalogChain(id: CatalogID("chain/Graph"), name: "Graph") { _ in
            ResolvedChain(
                graph: graph,
                steps: graph.plan.steps.map { .init(name: $0.name, title: "GET /\($0.name)") }
            )
        }
        return Catalog(name: "Sample", environments: ["local"], nodes: [.chain(chain)])
    }

    @Test("the responses of a chain are let go of when their values are taken")
    func answers() async throws {
        let chain = ResolvedChain(graph: try graph(), steps: [])
        guard case .graph(let graph) = chain.content else {
            Issue.record("no graph")
            return
        }
        let provider = Provider<MultiTarget>(
            transport: ListTransport(),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        let summary = await provider.summary(of: graph)
        #expect(summary.values["id"]?.int == 7)
        #expect(summary.steps.allSatisfy { $0.results.isEmpty })
    }

    @Test("each step is a row that says how it ended, also the one that never ran")
    func rows() async throws {
        let graph = try graph()
        var play = Play(catalog: catalog(graph))
        play.type("G enter")
        let run = try #require(play.firedRun)
        let provider = Provider<MultiTarget>(
            transport: ListTransport(),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        for await event in provider.events(for: graph) { play.receive(.chain(run, event)) }
        guard case .chain(let chain)? = play.model.runs[run]?.state else {
            Issue.record("no run")
            return
        }
        let words = chain.steps.map { step in
            switch step.state {
            case .waiting: "waiting"
            case .running: "running"
            case .done(let status, _): "done \(status.map(String.init) ?? "")"
            case .failed(let text, _): "failed \(text)"
            case .skipped: "skipped"
            }
        }
        #expect(words == ["done 201", "done ", "failed 500", "skipped"])
        #expect(chain.doneCount == 2)
        #expect(play.model.runs[run]?.isRunning == false)
    }

    @Test("a rule's steps become rows as they begin, and a failed one says its status")
    func ruleRows() async throws {
        var play = Play()
        play.type("G enter")
        let run = try #require(play.firedRun)
        let provider = Provider<MultiTarget>(
            transport: ListTransport(),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        let chain = Chain(startingWith: PlayTarget(path: "/first")) { step in
            step.index == 0 ? PlayTarget(path: "/bad") : nil
        }
        for await event in provider.events(for: chain) { play.receive(.chain(run, event)) }
        guard case .chain(let state)? = play.model.runs[run]?.state else {
            Issue.record("no run")
            return
        }
        #expect(state.steps.map(\.name) == ["register", "step 2"])
        #expect(state.steps.map(\.title) == ["POST /users", "GET /bad"])
        guard case .done(201, _) = state.steps[0].state,
            case .failed("500", _) = state.steps[1].state
        else {
            Issue.record("\(state.steps)")
            return
        }
        #expect(state.problem == nil)
        #expect(play.model.runs[run]?.isRunning == false)
    }

    @Test(
        "of a long text that a step gave as much is kept as a screen shows",
        arguments: ["x", "\u{301}"]
    )
    func longCapture(unit: String) async throws {
        let text = "a" + String(repeating: unit, count: 100_000)
        let graph = try ChainGraph(
            ChainPlan([.init("first", captures: [.init("s", "$.s")]) { _ in PlayTarget() }])
        )
        let provider = Provider<MultiTarget>(
            transport: ListTransport(body: "{\"s\": \"\(text)\"}"),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        let summary = await provider.summary(of: graph)
        #expect(summary.values["s"]?.string == text)
        let shown = try #require(graph.captures(of: summary.steps[0]).first?.value)
        #expect(shown.utf8.first == UInt8(ascii: "a"))
        #expect(shown.utf8.count <= 1024 * 20)
    }

    @Test("what a step gave is shown in the plan's order")
    func captures() async throws {
        let graph = try graph()
        let provider = Provider<MultiTarget>(
            transport: ListTransport(),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        let summary = await provider.summary(of: graph)
        let shown = graph.captures(of: summary.steps[0])
        #expect(shown == [.init(name: "ids", value: "[3]"), .init(name: "id", value: "7")])
    }

    @Test("the screen's source is the graph's")
    func source() throws {
        var play = Play(catalog: catalog(try graph()))
        play.type("s s G enter")
        for case .runChain(_, let resolved, _, _, _) in play.effects {
            guard case .cache = resolved.source else {
                Issue.record("\(resolved.source)")
                return
            }
            return
        }
        Issue.record("nothing was run")
    }
}
