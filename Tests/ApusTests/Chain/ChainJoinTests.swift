import Apus
import Documents
import HTTPTypes
import Testing

@Suite("Steps that join others")
struct ChainJoinTests {
    /// How a step ends that another needs.
    enum End: String, CaseIterable {
        case done, failed, skipped, behindFailure, behindSkip
    }

    private static func never() throws -> ChainCondition { try ChainCondition("1 == 2") }

    /// Steps of which the one called `name` ends so.
    private static func steps(_ name: String, _ end: End) throws -> [ChainPlan.Step] {
        switch end {
        case .done: [.make(name)]
        case .failed: [.make(name) { _ in "/broken" }]
        case .skipped: [.make(name, when: try never())]
        case .behindFailure: try steps("\(name)0", .failed) + [.make(name, needs: ["\(name)0"])]
        case .behindSkip: try steps("\(name)0", .skipped) + [.make(name, needs: ["\(name)0"])]
        }
    }

    private static func runs(_ join: ChainPlan.Join, _ ends: [End]) -> Bool {
        let done = ends.filter { $0 == .done }.count
        let failed = ends.contains { $0 == .failed || $0 == .behindFailure }
        return switch join {
        case .all: done == ends.count
        case .noneFailed: !failed
        case .any: done > 0
        case .ended: true
        }
    }

    private static let server = ScriptedTransport { request in
        .make(request, "{}", status: request.head.path == "/broken" ? 500 : 200)
    }

    @Test(
        "a step runs, or is skipped, as its join says of how two others ended",
        arguments: ChainPlan.Join.allCases,
        End.allCases
    )
    func table(join: ChainPlan.Join, first: End) async throws {
        for second in End.allCases {
            let plan = ChainPlan(
                try Self.steps("a", first) + Self.steps("b", second) + [
                    .make("c", needs: ["a", "b"], join: join), .make("d", needs: ["c"]),
                ]
            )
            let summary = await Provider.sending(over: Self.server)
                .summary(of: try ChainGraph(plan))
            let runs = Self.runs(join, [first, second])
            #expect(summary["c"]?.outcome.isDone == runs, "\(first), \(second)")
            #expect(summary["d"]?.outcome.isDone == runs, "\(first), \(second)")
            #expect(summary.steps.count == plan.steps.count)
        }
    }

    @Test("a step that uses what a skipped one would have captured fails, and says what")
    func missingValue() async throws {
        let plan = ChainPlan([
            .make("a", captures: ["id": "$.id"], when: try Self.never()),
            .make("b", needs: ["a"], join: .noneFailed, uses: ["id"]) { try $0.text("id") },
        ])
        let summary = await Provider.sending(over: Self.server).summary(of: try ChainGraph(plan))
        #expect(summary["b"]?.outcome == .failed(.noValue(name: "id")))
    }

    @Test("a step that tidies up can look at the status of the one that failed")
    func tidying() async throws {
        let isBroken = try ChainCondition("$.steps.a.status == 500")
        let plan = ChainPlan([
            .make("a") { _ in "/broken" },
            .make("b", needs: ["a"], join: .ended, when: isBroken),
        ])
        let summary = await Provider.sending(over: Self.server).summary(of: try ChainGraph(plan))
        #expect(summary["b"]?.outcome == .done)
        #expect(summary.ending == .failed(step: "a"))
    }

    @Test("resuming runs a step again that did not need all to be done")
    func resuming() async throws {
        let plan = ChainPlan([
            .make("a"), .make("b", needs: ["a"], when: try Self.never()),
            .make("c", needs: ["b"], join: .noneFailed),
        ])
        let graph = try ChainGraph(plan)
        let provider = Provider.sending(over: Self.server)
        let first = await provider.summary(of: graph)
        let second = await provider.summary(of: graph, resuming: first.state)
        #expect(second["a"]?.outcome == .restored)
        #expect(second["c"]?.outcome == .done)
    }
}
