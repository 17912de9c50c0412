import Apus
import Testing

@Suite("Graphs as drawings")
struct ChainDrawingTests {
    private func graph(_ steps: (String, [String])...) throws -> ChainGraph {
        try ChainGraph(ChainPlan(steps.map { .make($0.0, needs: $0.1) }))
    }

    private func expectDrawing(
        _ graph: ChainGraph,
        _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let drawing = graph.drawing
        #expect(
            drawing == expected,
            "\n\(drawing)\n--- expected\n\(expected)",
            sourceLocation: sourceLocation
        )
    }

    @Test("a graph that is too large for a drawing is a list")
    func tooLarge() throws {
        // 2,000 side by side, and as many one after the other, before one that needs all of them.
        let count = 2000
        var steps = (0..<count).map { ChainPlan.Step.make("w\($0)") }
        steps += (0..<count).map { .make("r\($0)", needs: $0 > 0 ? ["r\($0 - 1)"] : []) }
        let wide = (0..<count).map { "w\($0)" }
        steps.append(.make("end", needs: wide + ["r\(count - 1)"]))
        let graph = try ChainGraph(ChainPlan(steps))
        #expect(graph.layout.edges.count == count)
        let rows = graph.drawing.split(separator: "\n")
        #expect(rows.count == 2 * count + 1)
        #expect(rows.contains("r1 ◀ r0"))
    }

    @Test("steps one after the other stand in a row")
    func row() throws {
        expectDrawing(
            try graph(("create", []), ("verify", ["create"]), ("use", ["verify"])),
            """
            ╭────────╮   ╭────────╮   ╭─────╮
            │ create │──▶│ verify │──▶│ use │
            ╰────────╯   ╰────────╯   ╰─────╯
            """
        )
    }

    @Test("steps side by side stand below each other, between what they need and what needs them")
    func diamond() throws {
        expectDrawing(
            try graph(("a", []), ("b", ["a"]), ("c", ["a"]), ("d", ["b", "c"])),
            """
            ╭───╮   ╭───╮   ╭───╮
            │ a │─┬▶│ b │─┬▶│ d │
            ╰───╯ │ ╰───╯ │ ╰───╯
                  │ ╭───╮ │
                  └▶│ c │─┘
                    ╰───╯
            """
        )
    }

    @Test("a line passes the columns between, and one that follows from others is not drawn")
    func passing() throws {
        expectDrawing(
            try graph(("a", []), ("b", ["a"]), ("c", ["b"]), ("x", []), ("d", ["a", "c", "x"])),
            """
            ╭───╮   ╭───╮   ╭───╮   ╭───╮
            │ a │──▶│ b │──▶│ c │─┬▶│ d │
            ╰───╯   ╰───╯   ╰───╯ │ ╰───╯
            ╭───╮                 │
            │ x │─────────────────┘
            ╰───╯
            """
        )
    }

    @Test("steps that need nothing stand in the first column")
    func apart() throws {
        expectDrawing(
            try graph(("a", []), ("b", []), ("c", ["b"])),
            """
            ╭───╮
            │ a │
            ╰───╯
            ╭───╮   ╭───╮
            │ b │──▶│ c │
            ╰───╯   ╰───╯
            """
        )
    }

    @Test("lines that fork, pass and meet keep apart")
    func larger() throws {
        expectDrawing(
            try graph(
                ("login", []),
                ("user", ["login"]),
                ("cart", ["login"]),
                ("items", ["cart"]),
                ("price", ["items"]),
                ("mail", ["user", "price"]),
                ("log", ["login"]),
                ("end", ["mail", "log"])
            ),
            """
            ╭───────╮   ╭──────╮                           ╭──────╮
            │ login │─┬▶│ user │─────────────────────────┬▶│ mail │─┐
            ╰───────╯ │ ╰──────╯                         │ ╰──────╯ │
                      │ ╭──────╮   ╭───────╮   ╭───────╮ │          │  ╭─────╮
                      ├▶│ cart │──▶│ items │──▶│ price │─┘          └┬▶│ end │
                      │ ╰──────╯   ╰───────╯   ╰───────╯             │ ╰─────╯
                      │ ╭──────╮                                     │
                      └▶│ log  │─────────────────────────────────────┘
                        ╰──────╯
            """
        )
    }

    @Test("nothing is drawn of nothing")
    func empty() throws {
        #expect(try ChainGraph(ChainPlan([])).drawing == "")
        #expect(try ChainGraph(ChainPlan([])).layout.columns == 0)
    }

    @Test("a box has the lines it is given, and long ones are cut")
    func labels() throws {
        let graph = try graph(("a", []), ("b", ["a"]))
        let drawing = graph.drawing { step in
            [graph.plan.steps[step].name, step == 0 ? "201" : String(repeating: "x", count: 40)]
        }
        #expect(
            drawing == """
                ╭─────╮   ╭──────────────────────────────────╮
                │ a   │──▶│ b                                │
                │ 201 │   │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… │
                ╰─────╯   ╰──────────────────────────────────╯
                """,
            "\n\(drawing)"
        )
    }

    @Test("a box is as wide as its lines are on a terminal")
    func wideLabels() throws {
        let graph = try graph(("取得", []), ("b", ["取得"]))
        let drawing = graph.drawing(
            { [graph.plan.steps[$0].name] },
            width: { $0.utf8.count == $0.count ? $0.count : 2 * $0.count }
        )
        #expect(
            drawing == """
                ╭──────╮   ╭───╮
                │ 取得 │──▶│ b │
                ╰──────╯   ╰───╯
                """,
            "\n\(drawing)"
        )
    }

    @Test("every step stands to the right of all that it needs, and no two in one place")
    func places() throws {
        // A graph with long lines and crossings, made by a rule.
        let steps = (0..<60).map { index in
            ChainPlan.Step.make(
                "s\(index)",
                needs: [index / 2, index / 3, index - 7].filter { $0 >= 0 && $0 < index }
                    .map { "s\($0)" }
            )
        }
        let layout = try ChainGraph(ChainPlan(steps)).layout
        for edge in layout.edges {
            #expect(layout.nodes[edge.from].column < layout.nodes[edge.to].column)
            #expect(
                edge.rows.count
                    == layout.nodes[edge.to].column - layout.nodes[edge.from].column + 1
            )
            #expect(edge.rows.first == layout.nodes[edge.from].row)
            #expect(edge.rows.last == layout.nodes[edge.to].row)
        }
        #expect(Set(layout.nodes.map { [$0.column, $0.row] }).count == 60)
        #expect(layout.nodes.allSatisfy { $0.column < layout.columns && $0.row < layout.rows })
    }
}
