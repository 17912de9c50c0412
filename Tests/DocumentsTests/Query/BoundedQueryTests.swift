import Testing

@testable import Documents

@Suite("Queries of what others made") struct BoundedQueryTests {
    private static let longText = String(repeating: "a", count: 100_000)
    private static let arrays = array(of: array(of: "1", 1000), 200)
    /// Few steps of the query itself, many for each.
    private static let costly = [
        (arrays, "$[?count(@..*) == 0]"),
        (arrays, "$[?@ == $[0]]"),
        (arrays, "$[?count(@[::500]) == 0]"),
        (arrays, "$[?count(@[::-1]) == 0]"),
        (array(of: "{" + String(repeating: #""y":1,"#, count: 999) + #""y":1}"#, 200), "$[?@.x]"),
        (#"{"a":"\#(longText)","b":\#(array(of: #""x""#, 50))}"#, "$.b[?@ == $.a]"),
        (#"{"a":"\#(longText)","b":\#(array(of: "1", 50))}"#, "$.b[?length($.a) == 1]"),
        (#"{"a":"\#(longText)","b":\#(array(of: "1", 50))}"#, "$.b[?match($.a, 'b')]"),
        (
            #"{"a":\#(longText.replacing("a", with: "1")),"b":\#(array(of: "1", 50))}"#,
            "$.b[?@ > $.a]"
        ),
        (array(of: #""x""#, 100), "$[?match(@, 'b')]"),
        // Each of the starts runs to the end: a minute in one call of PCRE2.
        (#"["\#(String(repeating: "ab", count: 100_000)) c"]"#, "$[?search(@, '(a|b)+c')]"),
    ]

    private static func array(of value: String, _ count: Int) -> String {
        "[" + String(repeating: value + ",", count: count - 1) + value + "]"
    }

    /// Each of the values is in all those around it.
    static func nested(_ depth: Int = 60_000) -> Document {
        .make(
            String(repeating: #"{"items":"#, count: depth) + "1"
                + String(repeating: "}", count: depth)
        )
    }

    @Test("whatever takes a query's time, it asks whether to go on", arguments: costly.indices)
    func asks(index: Int) throws {
        let (text, query) = Self.costly[index]
        var asked = 0
        var walk = QueryWalk(try JSONPath(query), in: .make(text)) {
            asked += 1
            return asked < 4
        }
        while walk.next() != nil {}
        #expect(walk.isStopped)
        #expect(asked == 4)
    }

    @Test("what a filter did not look through is no match, behind a `!` neither")
    func stopsInFilter() throws {
        let value = "[" + String(repeating: "1,", count: 1000) + #"{"x":1}]"#
        var asked = 0
        var walk = QueryWalk(
            try JSONPath("$[?!@..x]"),
            in: .make(Self.array(of: value, 200))
        ) {
            asked += 1
            return asked < 2
        }
        #expect(walk.next() == nil)
        #expect(walk.isStopped)
    }

    @Test(
        "a query that is made to be slow is given up",
        arguments: ["$..items..items", "$[?count($..items..items) > 0]", "$..*..*[?@.none]"]
    )
    func givesUp(query: String) throws {
        let budget = CPUTimeBudget(ofText: 0, limit: .milliseconds(50))
        var found = BoundedQuery(try JSONPath(query), in: Self.nested(), within: budget)
        #expect(throws: QueryInterruption.takesTooLong(limit: .milliseconds(50))) {
            while try found.next() != nil {}
        }
    }

    @Test("a cancelled task ends a query, and a path of a value or of a decoder")
    func cancels() async throws {
        let document = Self.nested()
        let query = try JSONPath("$..items..items")
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var found = BoundedQuery(query, in: document)
            #expect(throws: QueryInterruption.cancelled) { try found.next() }
            #expect(document.nodes(matching: query).isEmpty)
            #expect(document.first(matching: query) == nil)
            #expect(JSON(document: document).at(query).error?.reason == .queryGivenUp)
            let error = #expect(throws: DecodingError.self) {
                try DocumentDecoder().decode(Int.self, from: document, at: "$..items")
            }
            #expect(String(describing: error).contains("was stopped"))
        }.value
    }

    @Test("a pattern that is too costly is told, for nobody knows what would match")
    func tellsPatterns() throws {
        let text = #"[{"a":"\#(String(repeating: "a", count: 40))b"}]"#
        var found = BoundedQuery(try JSONPath("$[?!match(@.a, '(a+)+$')]"), in: .make(text))
        let error = #expect(throws: QueryInterruption.self) { try found.next() }
        #expect(error?.description.contains("too costly") == true)
    }
}
