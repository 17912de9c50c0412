import Testing
import Workspaces

/// An answer made of values.
struct AnswerStub: CaptureSource {
    var status = 200
    var fields: [String: String] = [:]
    var body = Value.null

    func headerField(_ name: String) -> String? { fields[name.lowercased()] }

    func bodyValue(at steps: [CapturePath.Step]) -> Value? {
        steps.reduce(Optional(body)) { value, step in
            switch (value, step) {
            case (.object(let members), .member(let name)):
                members.first { $0.name == name }?.value
            case (.array(let elements), .index(let index)):
                elements.indices.contains(index) ? elements[index] : nil
            default: nil
            }
        }
    }
}

@Suite("Capture paths")
struct CapturePathTests {
    @Test(
        "a path is read as written",
        arguments: [
            ("$", CapturePath.body([])),
            ("$.a.b[0]", .body([.member("a"), .member("b"), .index(0)])),
            ("a.b[0]", .body([.member("a"), .member("b"), .index(0)])),
            ("[1][-2]", .body([.index(1), .index(-2)])),
            ("$['a b'][\"c\"]", .body([.member("a b"), .member("c")])),
            (#"$['it\'s']"#, .body([.member("it's")])),
            ("$.größe", .body([.member("größe")])), ("status", .status),
            ("$.status", .body([.member("status")])),
            ("header:X-Token", .header("X-Token")), ("header: ETag", .header("ETag")),
        ]
    )
    func reading(text: String, path: CapturePath) throws {
        #expect(try CapturePath(text) == path)
        #expect(try CapturePath(path.description) == path)
    }

    @Test(
        "a text that is no path says where",
        arguments: [
            ("", 0, "a name"), ("$.", 2, "a name"), ("$a", 1, "`.name` or `[index]`"),
            ("$[", 2, "an index or a quoted name"),
            ("$[x]", 2, "an index or a quoted name"), ("$[1", 3, "`]`"),
            ("$['a", 4, "the closing quote"),
            ("$..a", 2, "a name"), ("header:", 7, "a field's name"),
            ("$[99999999999999999999]", 2, "an index or a quoted name"),
        ]
    )
    func faults(text: String, offset: Int, expected: String) {
        let fault = #expect(throws: CapturePath.Fault.self) { try CapturePath(text) }
        #expect(fault?.offset == offset)
        #expect(fault?.expected.hasPrefix(expected) == true)
    }

    @Test("a step takes what it captures, and names what is not there")
    func capturing() throws {
        let workspace = try Workspace.make(
            """
            chains:
              C:
                - step: a
                  target: GET http://h/
                  capture: { id: "$.user.ids[1]", tag: "header:ETag", code: status }
            """
        )
        let step = workspace.chains[0].steps[0]
        let user = Value.object([.init("ids", .array([.number("1"), .number("2.0")]))])
        let answer = AnswerStub(
            status: 201,
            fields: ["etag": "x"],
            body: .object([.init("user", user)])
        )
        #expect(
            try step.capture(from: answer)
                == ["id": .number("2.0"), "tag": .string("x"), "code": .number("201")]
        )
        let error = #expect(throws: CaptureError.self) { try step.capture(from: AnswerStub()) }
        #expect(error?.description == "the answer has nothing at $.user.ids[1] for `id`")
    }
}
