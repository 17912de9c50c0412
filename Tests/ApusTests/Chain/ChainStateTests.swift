import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite("Resuming a graph")
struct ChainStateTests {
    private let steps: [ChainPlan.Step] = [
        .make("a", captures: ["id": "$.id"]), .make("b", needs: ["a"], captures: ["n": "$.n"]),
        .make("c", needs: ["b"], uses: ["id", "n"]) {
            "/c/\(try $0.text("id"))/\(try $0.text("n"))"
        },
        .make("d"),
    ]

    private func server(failing: Set<String> = []) -> ScriptedTransport {
        ScriptedTransport { request in
            let path = request.head.path ?? ""
            return .make(
                request,
                "{\"id\": \"x\", \"n\": 1.50}",
                status: failing.contains(path) ? 503 : 201
            )
        }
    }

    @Test("finished steps are not sent again, and what they captured stands")
    func resuming() async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        let first = await Provider.sending(over: server(failing: ["/c/x/1.50"])).summary(of: graph)
        #expect(first.ending == .failed(step: "c"))
        #expect(first.state.done == ["a", "b", "d"])
        let transport = server()
        let second = await Provider.sending(over: transport).summary(
            of: graph,
            resuming: first.state
        )
        #expect(transport.received.map(\.head.path) == ["/c/x/1.50"])
        #expect(second.steps.map(\.outcome) == [.restored, .restored, .done, .restored])
        #expect(second.ending == .done)
        #expect(second["a"]?.status == 201)
        #expect(second.values["n"]?.numberText == "1.50")
    }

    @Test("a state can be kept as JSON and read by another process")
    func coding() async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        let first = await Provider.sending(over: server(failing: ["/b"])).summary(of: graph)
        let bytes = try JSONEncoder().encode(first.state)
        let state = try JSONDecoder().decode(ChainState.self, from: bytes)
        let transport = server()
        let second = await Provider.sending(over: transport).summary(of: graph, resuming: state)
        #expect(transport.received.map(\.head.path) == ["/b", "/c/x/1.50"])
        #expect(second.ending == .done)
    }

    @Test("printing a state shows nothing that was captured")
    func printing() async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        let state = await Provider.sending(over: server()).summary(of: graph).state
        #expect("\(state)" == "ChainState(done: [\"a\", \"b\", \"c\", \"d\"])")
        var dumped = ""
        dump(state, to: &dumped)
        #expect(!dumped.contains("1.50"))
    }

    @Test("a step that now captures more is sent again, and so is what needs it")
    func changedPlan() async throws {
        let first = await Provider.sending(over: server()).summary(
            of: try ChainGraph(ChainPlan(steps))
        )
        var changed = steps
        changed[1].captures.append(try .init("more", "$.id"))
        let transport = server()
        let graph = try ChainGraph(ChainPlan(changed))
        let second = await Provider.sending(over: transport).summary(
            of: graph,
            resuming: first.state
        )
        #expect(transport.received.map(\.head.path) == ["/b", "/c/x/1.50"])
        #expect(second.steps.map(\.outcome) == [.restored, .done, .done, .restored])
    }

    @Test("a forgotten step is sent again, and so is what needs it")
    func forgetting() async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        var state = await Provider.sending(over: server()).summary(of: graph).state
        state.forget("b")
        let transport = server()
        _ = await Provider.sending(over: transport).summary(of: graph, resuming: state)
        #expect(transport.received.map(\.head.path) == ["/b", "/c/x/1.50"])
    }

    @Test(
        "a state that nobody of ours wrote is refused, or only sends what it says is not done",
        arguments: [
            "{}", "[]", "{\"steps\": 1}", "{\"steps\": {\"a\": {}}}",
            "{\"steps\": {\"a\": {\"isDone\": 1, \"captures\": {}, \"elements\": []}}}",
            "{\"steps\": {\"a\": {\"isDone\": true, \"status\": 1e99, \"captures\": {}, \"elements\": []}}}",
            "{\"steps\": {\"zzz\": {\"isDone\": true, \"captures\": {}, \"elements\": []}}}",
            "{\"steps\": {\"a\": {\"isDone\": true, \"captures\": {\"id\": \"no json\"}, \"elements\": []}}}",
            #"{"steps": {"b": {"isDone": true, "captures": {"n": "1"}, "elements": []}}}"#,
            #"{"steps": {"a": {"isDone": false, "captures": {}, "elements": [null, {"captures": {}}]}}}"#,
        ]
    )
    func hostile(text: String) async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        // What is refused has no state.
        guard let state = try? DocumentDecoder().decode(ChainState.self, from: Array(text.utf8))
        else { return }
        let transport = server()
        let summary = await Provider.sending(over: transport).summary(of: graph, resuming: state)
        #expect(summary.ending == .done)
        #expect(Set(transport.received.map(\.head.path)) == ["/a", "/b", "/c/x/1.50", "/d"])
    }

    @Test("a state with very many elements, or values as deep as they come, is taken as it is")
    func largeState() async throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let elements = Array(repeating: "null", count: 200_000).joined(separator: ",")
        let text = """
            {"steps": {"a": {"isDone": true, "captures": {"id": "\(deep)"}, "elements": []},
            "d": {"isDone": false, "captures": {}, "elements": [\(elements)]}}}
            """
        let state = try DocumentDecoder().decode(ChainState.self, from: Array(text.utf8))
        let transport = server()
        let plan = ChainPlan(
            steps + [.make("e", needs: ["a"], when: try ChainCondition("$.id == 'x'"))]
        )
        let summary = await Provider.sending(over: transport).summary(
            of: try ChainGraph(plan),
            resuming: state
        )
        #expect(summary["a"]?.outcome == .restored)
        #expect(summary["e"]?.outcome == .skipped(because: .condition("$.id == 'x'")))
        #expect(summary["d"]?.outcome == .done)
    }

    @Test("a run that is resumed when all is done sends nothing")
    func nothingLeft() async throws {
        let graph = try ChainGraph(ChainPlan(steps))
        let state = await Provider.sending(over: server()).summary(of: graph).state
        let transport = server()
        let summary = await Provider.sending(over: transport).summary(of: graph, resuming: state)
        #expect(transport.received.isEmpty)
        #expect(summary.ending == .done)
    }
}
