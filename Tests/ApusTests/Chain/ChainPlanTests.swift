import Apus
import Documents
import Testing

@Suite("Plans that cannot run")
struct ChainPlanTests {
    @Test("thousands of steps that capture one name and look at it are checked one by one")
    func long() throws {
        let condition = try ChainCondition("$.id")
        let steps = (0..<8000).map { index in
            ChainPlan.Step.make(
                "s\(index)",
                needs: index > 0 ? ["s\(index - 1)"] : [],
                captures: ["id": "$.id"],
                when: index > 0 ? condition : nil
            )
        }
        #expect(try ChainGraph(ChainPlan(steps)).order.count == 8000)
        let error = #expect(throws: ChainPlanError.self) {
            try ChainGraph(ChainPlan(steps + [.make("x", captures: ["id": "$.id"])]))
        }
        #expect(error?.faults == [.capturedTwice("id", by: ["s0", "x"])])
    }

    private func faults(_ steps: ChainPlan.Step...) -> [String] {
        do {
            _ = try ChainGraph(ChainPlan(steps))
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test("names that no step has, and names that two have, are refused")
    func names() {
        #expect(
            faults(.make("a", needs: ["x"]), .make("b"), .make("b"))
                == ["two steps are named `b`", "the step `a` needs an unknown step `x`"]
        )
    }

    @Test("a circle is refused with its path")
    func cycles() {
        #expect(
            faults(
                .make("a", needs: ["c"]),
                .make("b", needs: ["a"]),
                .make("c", needs: ["b"]),
                .make("behind", needs: ["a"])
            ) == ["steps form a cycle: a → c → b → a"]
        )
        #expect(faults(.make("a", needs: ["a"])) == ["steps form a cycle: a → a"])
    }

    @Test("each of several circles is told once")
    func severalCycles() {
        #expect(
            faults(
                .make("a", needs: ["b"]),
                .make("b", needs: ["a"]),
                .make("c", needs: ["d", "a"]),
                .make("d", needs: ["c"])
            ).count == 2
        )
    }

    @Test("a very long circle is found without a deep stack")
    func longCycle() {
        let steps = (0..<20_000).map {
            ChainPlan.Step.make("s\($0)", needs: ["s\(($0 + 1) % 20_000)"])
        }
        let error = #expect(throws: ChainPlanError.self) { try ChainGraph(ChainPlan(steps)) }
        guard case .cycle(let path)? = error?.faults.first else {
            Issue.record("\(String(describing: error?.faults.first))")
            return
        }
        #expect(path.count == 20_001)
    }

    @Test("a value that no needed step captures is refused, with the step that would")
    func values() throws {
        let condition = try ChainCondition("$.id == 1 && $.steps.b.status == 200")
        #expect(
            faults(
                .make("a", captures: ["id": "$.id"]),
                .make("b", needs: ["a"], uses: ["id"]),
                .make("c", uses: ["id", "token"]),
                .make("d", when: condition),
                .make("e", forEach: .init("ids"))
            ) == [
                "the step `c` uses `id`, which `a` captures, but does not need `a`",
                "the step `c` uses `token`, which no step captures",
                "the step `d` uses `id`, which `a` captures, but does not need `a`",
                "the step `d` looks at the status of `b`, which it does not need",
                "the step `e` uses `ids`, which no step captures",
            ]
        )
    }

    @Test("values come from all that is needed, also through others, and from the element")
    func known() throws {
        #expect(
            faults(
                .make("a", captures: ["id": "$.id", "ids": "$.ids"]),
                .make("b", needs: ["a"]),
                .make("c", needs: ["b"], uses: ["id"]),
                .make("d", needs: ["b"], uses: ["one", "index"], forEach: .init("ids", as: "one"))
            ).isEmpty
        )
    }

    @Test("a value that two steps side by side capture is refused; a later one may replace it")
    func twice() {
        #expect(
            faults(.make("a", captures: ["id": "$.id"]), .make("b", captures: ["id": "$.id"]))
                == ["`id` is captured by `a` and `b`, which may run side by side"]
        )
        #expect(
            faults(
                .make("a", captures: ["id": "$.id"]),
                .make("b", needs: ["a"], captures: ["id": "$.id"])
            ).isEmpty
        )
    }

    @Test("a capture cannot be called as the steps are in conditions")
    func reserved() {
        #expect(faults(.make("a", captures: ["steps": "$.s"])).count == 1)
    }

    @Test("nothing is sent of a plan that is refused, because there is no graph of it")
    func empty() throws {
        let graph = try ChainGraph(ChainPlan([]))
        #expect(graph.order.isEmpty)
    }
}
