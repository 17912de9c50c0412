import Apus
import Testing

@testable import Workspaces

@Suite("Templates")
struct TemplateTests {
    @Test(
        "a name is replaced wherever it stands; escaped braces stay",
        arguments: [
            ("{{ user }}", "7"), ("{{user}}", "7"), ("a{{ user }}b{{ user }}", "a7b7"),
            (#"\{{ user }}"#, "{{ user }}"), (#"\{{{{ user }}"#, "{{7"), ("{ user }", "{ user }"),
            ("}} {{ user }}", "}} 7"), ("{{ flag }}", "true"), ("{{ price }}", "1.50"),
            ("{{ nested }}", "u7"), ("", ""),
        ]
    )
    func text(template: String, result: String) throws {
        let workspace = try Workspace.make(
            """
            variables: { user: 7, flag: true, price: 1.50, nested: "u{{ user }}" }
            targets: { A: { request: POST http://h/, body: '\(template)x' } }
            """
        )
        #expect(try workspace.sent("A").bodyText == result + "x")
    }

    @Test(
        "a name has letters and digits, whatever signs its characters hide",
        arguments: [
            ("user", true), ("_1-a", true), ("größe", true), ("नमस्ते", true), ("", false),
            ("1a", false), ("-a", false), ("a b", false), ("a\u{0D4E}\"", false),
            ("\u{0D4E}}", false), ("a\u{200D}\"", false),
        ]
    )
    func names(text: String, isName: Bool) { #expect(TemplateParser.isName(text) == isName) }

    @Test(
        "alone in JSON, a name has its variable's type",
        arguments: [
            (#""{{ n }}""#, "7"), (#""{{ f }}""#, "true"), (#""{{ t }}""#, #""7""#),
            (#"" {{ n }}""#, #"" 7""#), (#""{{ z }}""#, "null"), (#""{{ exact }}""#, "1.00"),
            ("7", "7"), ("'7'", #""7""#), ("007", #""007""#), ("1_000", #""1_000""#),
            ("yes", #""yes""#), ("~", "null"), ("-1.5e3", "-1.5e3"), (".5", #"".5""#),
            (#"[ "{{ n }}", { a: "{{ f }}" } ]"#, #"[7,{"a":true}]"#),
        ]
    )
    func json(yaml: String, json: String) throws {
        let workspace = try Workspace.make(
            """
            variables: { n: 7, f: true, t: '7', z: null, exact: 1.00 }
            targets: { A: { request: POST http://h/, json: \(yaml) } }
            """
        )
        #expect(try workspace.sent("A").bodyText == json)
    }

    @Test(
        "captured lies over set, set over the environment, that over the workspace, that over given"
    )
    func layers() throws {
        let workspace = try Workspace.make(
            """
            variables: { b: workspace, c: workspace, d: workspace, e: workspace }
            environments: { x: { variables: { c: environment, d: environment, e: environment } } }
            targets: { T: "GET http://h/{{ a }}/{{ b }}/{{ c }}/{{ d }}" }
            batches: { B: [{ target: T, set: { d: "set {{ e }}" } }] }
            """,
            given: ["a": "given", "b": "given"]
        )
        #expect(try workspace.sent("T").path == "http://h/given/workspace/environment/environment")
        let batch = try workspace.resolve(workspace.batches[0], in: "x")
        #expect(batch[0].path == "http://h/given/workspace/environment/set%20environment")
        let captured = try workspace.sent("T", captured: ["c": .number("1")])
        #expect(captured.path == "http://h/given/workspace/1/environment")
    }

    @Test("a batch repeats its targets in order, and counts them")
    func repeats() throws {
        let workspace = try Workspace.make(
            """
            targets: { T: "GET http://h/{{ user }}" }
            variables: { user: 0 }
            batches:
              B:
                - { target: T, repeat: 3, set: { user: "u{{ index }}" } }
                - GET http://h/inline
                - { request: POST http://h/inline, json: 1 }
            """
        )
        let batch = workspace.batches[0]
        #expect(batch.count == 5)
        #expect(batch.concurrency == 8)
        #expect(batch.mode == .settled)
        #expect(
            try workspace.resolve(batch, in: "").map(\.path) == [
                "http://h/u1", "http://h/u2", "http://h/u3", "http://h/inline", "http://h/inline",
            ]
        )
    }

    @Test(
        "what a variable makes of the index is new in each repeat, what asks for none is the same"
    )
    func repeatsByVariables() throws {
        let workspace = try Workspace.make(
            """
            variables: { user: "u{{ index }}", index: 0 }
            targets: { T: "GET http://h/{{ user }}", S: GET http://h/same }
            batches: { B: [{ target: S, repeat: 2 }, { target: T, repeat: 2 }, S] }
            """
        )
        #expect(
            try workspace.resolve(workspace.batches[0], in: "").map(\.path) == [
                "http://h/same", "http://h/same", "http://h/u1", "http://h/u2", "http://h/same",
            ]
        )
    }

    @Test("a target that a chain feeds loads, and says who feeds it when sent alone")
    func fedByChain() throws {
        let workspace = try Workspace.make(
            """
            targets: { A: GET http://h/a, B: "GET http://h/{{ id }}" }
            chains: { C: [{ step: a, target: A, capture: { id: $.id } }, { step: b, target: B }] }
            """
        )
        let error = #expect(throws: WorkspaceError.self) { try workspace.sent("B") }
        #expect(
            error?.problems.map(\.summary) == [
                "a.apus.yaml:1:48: `id` has no value here; the chain `C` sets it"
            ]
        )
        let step = workspace.chains[0].steps[1]
        #expect(
            try workspace.resolve(step, in: "", captured: ["id": .string("9")]).path == "http://h/9"
        )
    }

    @Test("a list that was captured can be a JSON value, but not a part of a text")
    func capturedList() throws {
        let workspace = try Workspace.make(
            """
            targets: { A: { request: POST http://h/, json: "{{ x }}" }, B: "GET http://h/{{ x }}" }
            variables: { x: 1 }
            """
        )
        let list = ["x": Value.array([.number("1"), .string("a")])]
        #expect(try workspace.sent("A", captured: list).bodyText == #"[1,"a"]"#)
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.sent("B", captured: list)
        }
        #expect(error?.problems.first?.message == "`x` is a list and cannot be part of a string")
    }

    private static func credentialNames(_ text: String) -> [String] {
        let span = Workspaces.Span(SourceText(name: "a", text: text))
        return Template(text, span, ProblemLog()).credentialNames
    }

    @Test(
        "the names that stand where a URL has a credential are told",
        arguments: [
            ("https://u:{{ p }}@h/{{ x }}?token={{ t }}&q={{ q }}", ["p", "t"]),
            ("https://{{ u }}:{{ p }}{{ r }}@{{ h }}:{{ o }}/", ["p", "r"]),
            ("https://h:{{ port }}/a@b?{{ n }}=1#access_token={{ a }}{{ b }}", ["a", "b"]),
            ("{{ base }}/?api_key=a{{ k }}&{{ n }}&x={{ x }}", ["k"]),
            // An accent upon a separator takes nothing from it.
            ("https://u:\u{301}{{ p }}@\u{301}h/?\u{301}&token=\u{301}{{ t }}", ["p", "t"]),
        ]
    )
    func findsCredentialNames(text: String, names: [String]) {
        #expect(Self.credentialNames(text) == names)
    }

    @Test("100,000 names in one URL take no time; the square of them took hours")
    func manyCredentialNames() {
        let pairs = String(repeating: "token={{ t }}&q={{ q }}&", count: 50_000)
        #expect(Self.credentialNames("https://h/?\(pairs)").count == 50_000)
        #expect(Self.credentialNames(String(repeating: "{{ a }}", count: 100_000)).isEmpty)
    }
}
