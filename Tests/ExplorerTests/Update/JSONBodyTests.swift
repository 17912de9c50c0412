import Testing

@testable import Explorer

@Suite("A JSON body in the request pane")
struct JSONBodyTests {
    private static let text = """
        {
          "id" : 7,
          "name": "Ada",  "tags": ["a","b"],
          "none": {}
        }
        """

    private func node(_ name: String, in body: JSONBody) throws -> JSONBody.Value {
        try #require(body.values.first { $0.name == name })
    }

    @Test(
        "only the value's own bytes change, and a string stays one",
        arguments: [
            ("id", "8", "\"id\" : 7", "\"id\" : 8"), ("id", "x", "\"id\" : 7", "\"id\" : \"x\""),
            ("name", "12", "\"Ada\"", "\"12\""), ("name", "a \"b\"", "\"Ada\"", #""a \"b\"""#),
            ("name", "\"x\\n\"", "\"Ada\"", #""x\n""#), ("id", "null", ": 7", ": null"),
            ("name", "{{ user }}", "\"Ada\"", "\"{{ user }}\""),
            ("id", "{{ id }}", ": 7", ": \"{{ id }}\""), ("id", "[1, 2]", ": 7", ": [1, 2]"),
            ("1", "c", "\"b\"", "\"c\""), ("name", "", "\"Ada\"", "\"\""),
        ]
    )
    func sets(name: String, typed: String, old: String, new: String) throws {
        let body = try #require(JSONBody(Self.text))
        let changed = body.setting(try node(name, in: body).node, to: typed)
        #expect(changed == Self.text.replacing(old, with: new))
    }

    @Test(
        "a member is added behind another, as that one is written",
        arguments: [
            ("id", "x", "1", "\"id\" : 7,", "\"id\" : 7,\n  \"x\": 1,"),
            ("a", "", "z", "\"a\",", "\"a\", \"z\","),
            ("none", "x", "true", "{}", "{\"x\": true}"),
        ]
    )
    func adds(behind: String, name: String, value: String, old: String, new: String) throws {
        let body = try #require(JSONBody(Self.text))
        let node = try #require(
            body.values.first { $0.name == behind || $0.source == "\"\(behind)\"" }
        )
        let changed = body.adding(name, value, after: node.node)
        #expect(changed == Self.text.replacing(old, with: new))
    }

    @Test(
        "a member is taken away with the comma that it needed",
        arguments: [
            ("id", "\"id\" : 7,\n  ", ""), ("none", ",\n  \"none\": {}", ""), ("0", "\"a\",", ""),
            ("1", ",\"b\"", ""), ("tags", ",  \"tags\": [\"a\",\"b\"]", ""),
        ]
    )
    func removes(name: String, old: String, new: String) throws {
        let body = try #require(JSONBody(Self.text))
        let changed = body.removing(try node(name, in: body).node)
        #expect(changed == Self.text.replacing(old, with: new))
    }

    @Test("the only member leaves an empty container, and the whole is never taken away")
    func removesLast() throws {
        let body = try #require(JSONBody("{ \"a\": [1] }"))
        #expect(body.removing(try node("a", in: body).node) == "{}")
        #expect(body.removing(try node("", in: body).node) == nil)
    }

    @Test("what is not JSON, or too long for a tree, is none")
    func refuses() {
        #expect(JSONBody("{\"a\": }") == nil)
        #expect(JSONBody.fault(in: "{\"a\": }") == "line 1, column 7: a value was expected here")
        #expect(JSONBody("\"\(String(repeating: "x", count: JSONBody.longestText))\"") == nil)
    }

    @Test("a string is edited without its quotes, unless it needs escapes")
    func edits() throws {
        let body = try #require(JSONBody(#"{"a": "x", "b": "x\ny", "c": 1.50, "d": "{\"e\": 1}"}"#))
        let texts = try ["a", "b", "c", "d"].map { body.editable(try node($0, in: body).node) }
        #expect(texts == ["x", #""x\ny""#, "1.50", #""{\"e\": 1}""#])
    }
}
