import Apus
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Workspaces

@Suite("What targets and environments take from others")
struct InheritanceTests {
    @Test("a group's defaults go before the environment's, an inner group's before an outer one's")
    func groups() throws {
        let workspace = try Workspace.make(
            """
            environments: { e: { baseURL: "http://e", headers: { X-A: env, X-E: env } } }
            targets:
              Out:
                defaults: { headers: { X-A: out, X-B: out }, query: { q: 1 } }
                In:
                  defaults: { baseURL: "http://in", headers: { X-B: in } }
                  T: { request: GET /t, headers: { X-C: own } }
                U: GET /u
              Other: GET /o
              defaults: GET /named
            """
        )
        let target = try workspace.sent("Out/In/T")
        #expect(target.baseURL.absoluteString == "http://in")
        let fields = target.headerFields
        #expect(fields[.init("X-A")!] == "out" && fields[.init("X-B")!] == "in")
        #expect(fields[.init("X-C")!] == "own" && fields[.init("X-E")!] == "env")
        #expect(try workspace.sent("Out/U").headerFields[.init("X-B")!] == "out")
        #expect(try workspace.sent("Other").headerFields[.init("X-A")!] == "env")
        #expect(workspace.targets.map(\.id.rawValue).contains("defaults"))
    }

    @Test("a target is like another but for what it says; so is what is like it")
    func like() throws {
        let workspace = try Workspace.make(
            """
            environments: { e: { baseURL: "http://e" } }
            targets:
              Base: { request: POST /a, headers: { X-A: base, X-B: base }, json: { a: 1 }, timeout: 3 s }
              One: { like: Base, headers: { X-B: one } }
              Two: { like: One, request: PUT /two, json: { b: 2 } }
            """
        )
        let one = try workspace.sent("One")
        #expect(one.method == .post && one.path == "/a" && one.bodyText == #"{"a":1}"#)
        #expect(
            one.headerFields[.init("X-A")!] == "base" && one.headerFields[.init("X-B")!] == "one"
        )
        #expect(one.options.timeout == .seconds(3))
        let two = try workspace.sent("Two")
        #expect(two.method == .put && two.path == "/two" && two.bodyText == #"{"b":2}"#)
        #expect(two.headerFields[.init("X-B")!] == "one" && two.options.timeout == .seconds(3))
        let draft = workspace.written(try #require(workspace.definition(TargetID("One"))), in: "e")
        #expect(draft.headers.first { $0.name == "X-A" }?.inheritedFrom == "like Base")
        #expect(draft.headers.first { $0.name == "X-B" }?.inheritedFrom == nil)
    }

    @Test("an environment extends another: settings, variables, danger and color")
    func extends() throws {
        let workspace = try Workspace.make(
            """
            environments:
              base: { baseURL: "http://b", timeout: 3 s, danger: true, color: red, variables: { a: 1, b: 1 } }
              more: { extends: base, variables: { b: 2 } }
              last: { extends: more, baseURL: "http://l", danger: false }
            targets: { T: "GET /{{ a }}/{{ b }}" }
            """
        )
        let more = try workspace.sent("T", in: "more")
        #expect(more.path == "/1/2" && more.options.timeout == .seconds(3))
        #expect(try workspace.sent("T", in: "last").baseURL.absoluteString == "http://l")
        #expect(workspace.environments.map(\.isDangerous) == [true, true, false])
        #expect(workspace.environments.map(\.color) == [.red, .red, .red])
    }

    @Test(
        "what is not there, or leads back, is said with its place",
        arguments: [
            ("environments: { a: { extends: b }, b: { extends: a } }", "extends itself: a → b → a"),
            ("environments: { local: , b: { extends: locl } }", "did you mean `local`?"),
            ("targets: { A: { like: B }, B: { like: A } }", "is like itself: A → B → A"),
            ("targets: { Show: GET http://h/, B: { like: Sho } }", "did you mean `Show`?"),
            (
                "targets: { G: { defaults: { heders: { A: b } }, T: GET http://h/ } }",
                "unknown key `heders`"
            ),
        ]
    )
    func faults(text: String, message: String) {
        let text = text.hasPrefix("targets") ? text : "\(text)\ntargets: { T: GET http://h/ }"
        #expect(problems(text).joined().contains(message), "\(problems(text))")
    }
}
