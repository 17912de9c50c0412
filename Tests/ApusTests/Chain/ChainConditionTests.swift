import Documents
import Testing

@testable import Apus

@Suite("Conditions of steps")
struct ChainConditionTests {
    private let values = ChainValues(
        ["role": "admin", "count": 3, "none": nil, "ids": [1, 2], "a b": "x"],
        statuses: ["create": 201]
    )

    @Test(
        "a condition looks at values and statuses",
        arguments: [
            ("$.role == 'admin'", true), ("$.role != 'admin'", false), ("$.count > 2", true),
            ("$.steps.create.status == 201", true), ("$.steps.create.status >= 300", false),
            ("$.steps.other.status == 201", false), ("$.none", true), ("$.nothing", false),
            ("!$.nothing", true), ("$.none == null", true), ("length($.ids) == 2", true),
            ("$['a b'] == 'x' && ($.count == 1 || $.count == 3)", true),
            ("match($.role, 'ad.*')", true), ("count($.ids[?@ < $.count]) == 2", true),
            ("count($..*) == 10", true),
        ]
    )
    func conditions(text: String, isTrue: Bool) async throws {
        let condition = try ChainCondition(text)
        #expect(try await condition.isTrue(of: values) == isTrue)
    }

    @Test("a condition reads the values that it names, and no others")
    func condition() throws {
        let values = ChainValues(["a": 1, "b": JSON([1, 2])], statuses: ["s": 200])
        let text = try #require(values.document(of: ["a"]).text())
        #expect(text == #"{"a":1,"steps":{"s":{"status":200}}}"#)
        #expect(values.document(of: nil)["b"].count == 2)
    }

    /// Takes a billion steps for 600 KB.
    private static let slow = "count($.x..items..items) > 0"

    private static func nested() throws -> ChainValues {
        ChainValues(["x": try JSON(parsing: ChainPlan.nestedBody)])
    }

    @Test("a condition that is made to be slow is given up, and says that it takes too long")
    func givesUp() async throws {
        let condition = try ChainCondition(Self.slow, timeLimit: .milliseconds(50))
        let values = try Self.nested()
        let limit = Duration.milliseconds(50)
        await #expect(throws: QueryInterruption.takesTooLong(limit: limit)) {
            try await condition.isTrue(of: values)
        }
        #expect(
            "\(ChainFailure.condition(detail: "\(QueryInterruption.takesTooLong(limit: limit))"))"
                == "its condition cannot be evaluated: it takes more than 0.05 seconds of "
                + "CPU time"
        )
    }

    @Test("a pattern that is too costly for a value fails a condition, behind a `!` too")
    func tellsPatterns() async throws {
        let condition = try ChainCondition("!match($.x, '(a+)+$')")
        let values = ChainValues(["x": JSON(String(repeating: "a", count: 40) + "b")])
        await #expect(throws: QueryInterruption.self) { try await condition.isTrue(of: values) }
    }

    @Test("conditions that are tested for long leave the pool to others, and end with their tasks")
    func leavesPool() async throws {
        let condition = try ChainCondition(Self.slow, timeLimit: .seconds(600))
        let values = try Self.nested()
        // More than the machine has processors.
        let tasks = (0..<64).map { _ in Task { try await condition.isTrue(of: values) } }
        await Task.detached {}.value
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: QueryInterruption.cancelled) { try await task.value }
        }
    }

    @Test("a condition knows what it looks at")
    func uses() throws {
        let condition = try ChainCondition(
            "$.a.b == $.c && !$.steps.one.status && count($.d[?@.x]) > 1"
        )
        #expect(condition.uses == ["a", "c", "d"])
        #expect(condition.steps == ["one"])
    }

    @Test(
        "a text that is no condition says where",
        arguments: [("$.a =", 5), ("$.a = 1", 5), ("@.a == 1", 1), ("", 1), ("$.a ==", 7)]
    )
    func faults(text: String, column: Int) {
        let error = #expect(throws: JSONPathError.self) { try ChainCondition(text) }
        #expect(error?.column == column, "\(text): \(String(describing: error))")
    }
}
