import TestSupport
import Testing

@testable import Documents

@Suite struct JSONPathErrorTests {
    @Test(
        "an error names its column and says what to do",
        arguments: [
            ("$.a[?@.b = 1]", "column 10: '=' is not an operator; == compares"),
            ("$.a[?@.b === 1]", "column 10: '===' is not an operator; == compares"),
            ("$[?@.b <> 1]", "column 8: '<>' is not an operator; != compares"),
            ("$[?@.b and @.c]", "column 8: 'and' is not an operator; && joins conditions"),
            ("$[?@.b & @.c]", "column 8: '&' is not an operator; && joins conditions"),
            ("$[?@.b =~ 'x']", "column 8: '=~' is not an operator; use match() or search()"),
            ("", "column 1: a query begins with $, not with the end of the text"),
            ("é", "column 1: a query begins with $, not with 'é'"),
            (" $", "column 1: no white space is allowed before $"),
            ("$.a ", "column 4: no white space is allowed after the query"),
            ("$. a", "column 3: no white space is allowed between . and the name"),
            ("$.", "column 3: the end of the text where a name or * after . was expected"),
            ("$.é😀-", "column 5: '-' where a step such as .name or [0] was expected"),
            ("$[a]", "column 3: 'a' where quotes around a name in brackets was expected"),
            ("$[]", "column 3: ']' where a name in quotes, an index, a slice, * or ? was expected"),
            ("$[0 1]", "column 5: '1' where ',' or ] was expected"),
            (
                "$[01]",
                "column 3: '01' is not a valid index: use digits without leading zeros, and - only before 1 to 9"
            ),
            (
                "$[9007199254740992]",
                "column 3: 9007199254740992 is out of range; integers go from -9007199254740991 to 9007199254740991"
            ),
            ("$[?@==1.]", "column 7: '1.' is not a valid JSON number"),
            ("$['é", "column 3: this string has no closing quote"),
            ("$['\t']", "column 4: a control character in quotes must be escaped, here as \\u0009"),
            (#"$['é\x']"#, #"column 5: '\x' is not a valid escape here"#),
            (
                #"$['\ud800']"#,
                #"column 4: half a surrogate pair; write both halves in order, as in \ud83d\ude00"#
            ),
            ("$[?@.*==1]", "column 4: only a query that finds at most one value can be compared"),
            ("$[?1]", "column 4: 1 alone is not a condition; compare it with something"),
            (
                "$[?size(@)>1]",
                "column 4: unknown function size(); the functions are length, count, value, match and search"
            ),
            ("$[?match(@)]", "column 4: match() takes two arguments, not 1"),
            ("$[?count(1)==1]", "column 10: count() takes a query here"),
            (
                "$[?length(@)]",
                "column 4: length() returns a value, which is not a condition; compare it with something"
            ),
            (
                "$[?1==match(@,'a')]",
                "column 7: match() returns true or false and cannot be compared; use it alone or after !"
            ),
            ("$[?!@.a==1]", "column 4: ! before a comparison needs parentheses: !(a == b)"),
            (
                "$[?count (@)==1]",
                "column 9: no white space is allowed between a function's name and ("
            ),
            (
                "$[?@[ 0 ]==1]",
                "column 6: no white space is allowed inside the brackets of a compared query"
            ),
            ("$[?(@.a]", "column 8: ']' where &&, || or ) was expected"),
            (
                "$[?nope]",
                "column 4: 'nope' where @, $, a function, a number, true, false, null or text in quotes was expected"
            ),
        ]
    )
    func explains(query: String, message: String) {
        let error = #expect(throws: JSONPathError.self) { _ = try JSONPath(query) }
        #expect(error?.description == message)
    }

    @Test("the column counts characters, the offset bytes")
    func countsBoth() {
        let error = #expect(throws: JSONPathError.self) { _ = try JSONPath("$.é😀[") }
        #expect(error?.column == 6)
        #expect(error?.utf8Offset == 9)
    }

    @Test("expressions inside each other are limited, with an error and not a crash")
    func limitsNesting() throws {
        func nested(_ levels: Int) -> String {
            "$[?" + String(repeating: "(", count: levels) + "@.a"
                + String(repeating: ")", count: levels) + "]"
        }
        _ = try JSONPath(nested(QueryParser.nestingLimit - 1))
        let limit = JSONPathError.Reason.nestedTooDeeply(limit: QueryParser.nestingLimit)
        for query in [
            nested(QueryParser.nestingLimit), nested(100_000),
            "$" + String(repeating: "[?@", count: 100_000),
            "$[?" + String(repeating: "length(", count: 100_000),
            "$[?" + String(repeating: "!(", count: 100_000),
        ] {
            let error = #expect(throws: JSONPathError.self) { _ = try JSONPath(query) }
            #expect(error?.reason == limit)
        }
    }

    @Test("any text gives a query or an error inside of the text")
    func survivesAnything() {
        let parts = [
            "$", ".", "..", "[", "]", "?", "@", "(", ")", "!", "'a'", "\"", "'", "0", "-1", ":",
            ",",
            "*", "==", "<", "&&", "||", "length(", "match(", "true", " ", "é", "\\", "\\u", "a",
            "1.5e3",
        ]
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var text = Bool.random(using: &generator) ? "$[?@" : "$"
            for _ in 0..<Int.random(in: 0..<10, using: &generator) {
                text += parts.randomElement(using: &generator) ?? ""
            }
            do throws(JSONPathError) {
                let query = try JSONPath(text)
                let again = try JSONPath(query.description)
                #expect(again == query, "\(text)")
            } catch {
                #expect(error.utf8Offset >= 0 && error.utf8Offset <= text.utf8.count, "\(text)")
                #expect(error.column >= 1 && error.column <= text.unicodeScalars.count + 1)
            }
            _ = try? JSONPath(shortPath: text)
        }
    }
}
