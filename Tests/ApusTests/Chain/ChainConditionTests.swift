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
