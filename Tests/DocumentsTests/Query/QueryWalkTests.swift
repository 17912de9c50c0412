import TestSupport
import Testing

@testable import Documents

@Suite struct QueryWalkTests {
    @Test("random queries find what a naive evaluation of the RFC finds", arguments: 0..<60)
    func agreesWithNaiveEvaluation(seed: Int) throws {
        let document = Document.make(RandomJSON(seed: UInt64(seed), depth: 6).spaced)
        var generator = SeededGenerator(seed: UInt64(seed) + 1000)
        for _ in 0..<40 {
            let query = try JSONPath(Self.randomQuery(&generator))
            let found = document.nodes(matching: query)
            #expect(found == NaiveQuery(document).nodes(query.segments), "\(query)")
            #expect(document.first(matching: query) == found.first)
        }
    }

    private static func randomQuery(_ generator: inout SeededGenerator) -> String {
        let selectors = [
            "*", "'a'", "'b'", "''", "'日本'", #"'q\"uote'"#, "0", "1", "-1", "-2", "1:", ":2", "::2",
            "::-1", "-2:", "3:0:-2", "1:9:3",
        ].map { $0.replacing(#"\""#, with: "\"") }
        var text = "$"
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
            text += Bool.random(using: &generator) ? "[" : "..["
            let count = Int.random(in: 1..<3, using: &generator)
            let chosen = (0..<count).map { _ in selectors.randomElement(using: &generator) ?? "*" }
            text += chosen.joined(separator: ",") + "]"
        }
        return text
    }

    @Test("the normalised path of every value finds that value alone", arguments: 0..<20)
    func findsByNormalisedPath(seed: Int) throws {
        let document = Document.make(RandomJSON(seed: UInt64(seed)).spaced)
        for node in document.allNodes {
            let query = try JSONPath(document.path(of: node))
            let found = document.nodes(matching: query)
            // Of repeated names every member is found.
            #expect(found.contains(node))
            #expect(found.allSatisfy { document.path(of: $0) == document.path(of: node) })
            #expect(query.isSingular)
            #expect(query.description == document.path(of: node))
        }
    }

    @Test("a million levels are walked, compared and found without recursion")
    func survivesDepth() throws {
        let depth = 1_000_000
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let document = Document.make(nested)
        #expect(document.nodes(matching: try JSONPath("$..x")).isEmpty)
        #expect(document.nodes(matching: try JSONPath("$..*")).count == depth - 1)
        let objects = String(repeating: #"{"x":"#, count: depth) + "1"
        let members = Document.make(objects + String(repeating: "}", count: depth))
        #expect(members.nodes(matching: try JSONPath("$..x")).count == depth)
        let pair = Document.make("[{\"a\":\(nested),\"b\":\(nested)},{\"a\":[],\"b\":\(nested)}]")
        #expect(pair.nodes(matching: try JSONPath("$[?@.a==@.b]")) == [NodeIndex(1)])
        let levels = 100_000
        let path = "$" + String(repeating: "[0]", count: levels)
        #expect(document.nodes(matching: try JSONPath(path)) == [NodeIndex(levels)])
    }

    @Test("an empty, cut or growing document gives what is there")
    func readsUnfinished() throws {
        #expect(Document.make("").nodes(matching: try JSONPath("$..*")).isEmpty)
        let cut = Document.make(#"{"a":[1,{"b":2},{"b":"#)
        #expect(cut.nodes(matching: try JSONPath("$..b")).count == 1)
        #expect(cut.nodes(matching: try JSONPath("$.a[?@.b==2]")).count == 1)
        #expect(cut.nodes(matching: try JSONPath("$.a[-1]")) == [NodeIndex(5)])
        let growing = Document(.make("[" + String(repeating: "{\"b\":2},", count: 100) + "1]"))
        growing.parseStart(with: FastestScanner.self, window: 100)
        let before = growing.nodes(matching: try JSONPath("$[*].b")).count
        #expect(before > 0 && before < 100)
        while growing.parseSlice(with: FastestScanner.self, length: 100) {}
        #expect(growing.nodes(matching: try JSONPath("$[*].b")).count == 100)
    }

    @Test("the first match is found without a look at the rest, and lazily the next ones")
    func stopsEarly() throws {
        let document = Document.make("[" + String(repeating: "[1],", count: 100_000) + "[1]]")
        let query = try JSONPath("$..[*]..[*]..[*]..*")
        #expect(document.first(matching: query) == nil)
        var walk = QueryWalk(try JSONPath("$[*][0]"), in: document) { true }
        #expect(walk.next() == NodeIndex(2))
        #expect(walk.next() == NodeIndex(4))
    }

    @Test("matches off the actor are the same, and a cancelled search says so")
    func runsConcurrently() async throws {
        let document = Document.make("[" + String(repeating: "{\"id\":1},", count: 50_000) + "1]")
        let query = try JSONPath("$..id")
        let matches = await document.matches(of: query)
        #expect(matches == QueryMatches(nodes: document.nodes(matching: query), isComplete: true))
        let task = Task { () -> QueryMatches in
            withUnsafeCurrentTask { $0?.cancel() }
            return await document.matches(of: query)
        }
        #expect(await task.value == QueryMatches(nodes: [], isComplete: false))
    }

    @Test("a value found on many ways is one match, so that there are no more than values")
    func matchesOnce() async throws {
        let depth = 1000
        let document = Document.make(
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        )
        let query = try JSONPath("$..a..a")
        #expect(document.nodes(matching: query).count == depth * (depth - 1) / 2)
        #expect(await document.matches(of: query).nodes == (2...depth).map { NodeIndex($0) })
    }

    @Test("a search cancelled on its way keeps what it has found")
    func keepsPartialResults() async throws {
        let document = Document.make("[" + String(repeating: "{\"id\":1},", count: 100_000) + "1]")
        let query = try JSONPath("$..id")
        let matches = await Task {
            await document.matches(of: query) { count in
                if count > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }.value
        #expect(!matches.isComplete)
        #expect(matches.nodes.count > 0 && matches.nodes.count < 100_000)
    }

    @Test("queries that find one value at most know it")
    func knowsSingular() throws {
        for query in ["$", "$.a", "$['a'][0].b", "$[-1]"] {
            #expect(try JSONPath(query).isSingular, "\(query)")
        }
        for query in ["$.*", "$..a", "$[0,1]", "$[:1]", "$[?@.a]", "$['a','b']"] {
            #expect(try !JSONPath(query).isSingular, "\(query)")
        }
    }

    @Test(
        "the canonical form is the same for every spelling",
        arguments: [
            ("$.a", "$['a']"), (#"$["a"]"#, "$['a']"), (#"$ [ "\u0061" ]"#, "$['a']"),
            ("$.a[ 0,1 : ]", "$['a'][0,1:]"), ("$..*", "$..[*]"), ("$[::1]", "$[:]"),
            ("$[?(@.a==1.0)]", "$[?@['a'] == 1]"),
            ("$[?((@.a||@.b))&&@.c]", "$[?(@['a'] || @['b']) && @['c']]"),
            ("$[?!(@.a>\"x\")]", "$[?!(@['a'] > 'x')]"),
            ("$[?count( $..a )==-0]", "$[?count($..['a']) == 0]"),
            ("$[?match(@,'a')]", "$[?match(@, 'a')]"), ("$['\\u000B']", "$['\\u000b']"),
        ]
    )
    func describes(query: String, canonical: String) throws {
        #expect(try JSONPath(query).description == canonical)
        #expect(try JSONPath(canonical) == JSONPath(query))
    }

    @Test("a repeated group matches 50 KB, or says that it is too costly; it is never silent")
    func tellsCostlyPatterns() async throws {
        let long = String(repeating: "ab", count: 25_000)
        let document = Document.make(#"[{"a":"\#(long)!"},{"a":"b!"},{"a":"c"}]"#)
        let query = try JSONPath("$[?match(@.a, '(a|b)*!')]")
        let matches = await document.matches(of: query)
        #expect(matches.nodes.count == 2)
        #expect(matches.problem == nil)

        let costly = Document.make(#"[{"a":"\#(String(repeating: "a", count: 40))b"},{"a":"aa"}]"#)
        let found = await costly.matches(of: try JSONPath("$[?match(@.a, '(a+)+$')]"))
        #expect(found.nodes.count == 1)
        #expect(found.problem?.contains("too costly") == true)
    }

    @Test(
        "a pattern that PCRE2 does not take is told with its words and the place in the pattern",
        arguments: [
            ("x.é{1,99999}", "'x.é{1,99999}' is not valid: number too big", 12),
            ("((a{0,65000}){0,65000}){0,65000}", "regular expression is too large", nil),
            (
                String(repeating: "(", count: 300) + String(repeating: ")", count: 300),
                "too deeply nested",
                252
            ),
        ]
    )
    func tellsRefusedPatterns(pattern: String, words: String, column: Int?) async throws {
        let document = Document.make(#"["a", "b", {"pattern": "\#(pattern)"}]"#)
        for pattern in ["'\(pattern)'", "$[2].pattern"] {
            let found = await document.matches(of: try JSONPath("$[?search(@, \(pattern))]"))
            #expect(found.nodes.isEmpty)
            let problem = try #require(found.problem)
            #expect(problem.contains(words))
            #expect(problem.utf8.count < 250)
            if let column { #expect(problem.hasSuffix("(before character \(column))")) }
        }
    }

    @Test("a text that is no I-Regexp at all matches nothing, as RFC 9535 asks")
    func invalidPatternsAreFalse() async throws {
        let document = Document.make(#"["a", "b"]"#)
        let found = await document.matches(of: try JSONPath("$[?match(@, 'a**')]"))
        #expect(found == QueryMatches(nodes: [], isComplete: true))
    }

    @Test("a pattern that is too costly for every value is given up, not tried a million times")
    func givesUpCostlyPatterns() async throws {
        let value = #"{"a":"\#(String(repeating: "a", count: 40))b"}"#
        let text = "[" + String(repeating: value + ",", count: 20_000) + value + "]"
        let found = await Document.make(text).matches(of: try JSONPath("$[?match(@.a, '(a+)+$')]"))
        #expect(found.problem != nil)
        #expect(found.nodes.isEmpty)
    }
}
