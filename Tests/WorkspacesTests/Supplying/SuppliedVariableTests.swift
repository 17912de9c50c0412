import HTTPTypes
import Testing

@testable import Apus
@testable import Workspaces

@Suite("Variables that are asked for, run or sent for")
struct SuppliedVariableTests {
    private static func workspace(_ variables: String, _ targets: String) throws -> Workspace {
        try Workspace.make(
            """
            environments: { e: { baseURL: "http://h" } }
            variables:
            \(variables)
            targets:
              Login: POST /login
            \(targets)
            """
        )
    }

    @Test(
        "what is wrong with one is said with its place",
        arguments: [
            ("{ ask: }", "2:8: `ask` cannot be null; expected a string"),
            (
                "{ ask: A, chocies: [a] }",
                "2:11: unknown key `chocies` in the question `v`; did you mean `choices`?"
            ),
            ("{ secret: true }", "2:1: the question `v` has no `ask`; expected what is asked for"),
            (
                "{ ask: A, choices: [] }",
                "2:20: `choices` cannot be empty; expected the values to choose from"
            ),
            (
                "{ ask: A, choices: [one, two], default: tow }",
                "2:41: `default` cannot be `…`; expected one of `one`, `two`; did you mean `two`?"
            ),
            (
                "{ from: Login }",
                "2:1: the variable `v` has no `capture`; expected `{ from: Login, capture: $.token }`"
            ),
            (
                "{ capture: $.a }",
                "2:1: the variable `v` has no `from`; expected `{ from: Login, capture: $.token }`"
            ),
            ("{ from: Logni, capture: $.a }", "2:9: unknown target `Logni`; did you mean `Login`?"),
            (
                "{ command: id, env: X }",
                "2:1: the secret `v` needs one origin; expected `{ env: NAME }`, `{ file: path }` or `{ command: \"…\" }`"
            ),
            (
                "{ command: id, timeout: soon }",
                "2:25: `timeout` cannot be `soon`; expected a time with its unit (`500 ms`, `10 s`, `5 min`), or `never`"
            ),
        ]
    )
    func faults(variable: String, problem: String) {
        // The variable stands in the third line, after four characters.
        let found = problems(
            """
            targets: { Login: POST http://h/login, T: "GET http://h/{{ v }}" }
            variables: {
             v: \(variable) }
            """
        )
        let place = problem.split(separator: ":", maxSplits: 2)
        let line = Int(place[0]).map { $0 + 1 } ?? 0
        let column = Int(place[1]).map { $0 + 4 } ?? 0
        #expect(found.first == "a.apus.yaml:\(line):\(column):\(place[2])")
    }

    @Test("a target shows the variable in the place of a value to come, and is not sent with it")
    func waiting() throws {
        let workspace = try Self.workspace(
            "  code: { ask: Code }\n  token: { from: Login, capture: $.token }",
            "  T: { request: \"GET /a/{{ code }}?c={{ code }}\", auth: { bearer: \"{{ token }}\" } }"
        )
        let target = try workspace.sent("T")
        #expect(target.display.url == "http://h/a/{{ code }}?c={{ code }}")
        let supply = try #require(target.supply)
        #expect(supply.isWaiting && supply.mayBeSentAgain)
        #expect(Set(supply.needs.map(\.key.name)) == ["code", "token"])
        #expect(target.variables["token"] == "••••••")
        #expect(try workspace.sent("Login").supply == nil)
        #expect(workspace.suppliesValues && workspace.commands.isEmpty)
    }

    @Test("a value given on the command line goes before what would be asked for")
    func given() throws {
        let workspace = try Self.workspace(
            "  password: { ask: Password }",
            "  T: { request: GET /a, headers: { X-P: \"{{ password }}\" } }"
        )
        let target = try workspace.setting(values: ["password": .string("opensesame")]).sent("T")
        #expect(target.supply == nil)
        #expect(target.headerFields[.init("X-P")!] == "opensesame")
        #expect(target.display.fields.map(\.value) == ["••••••"])
    }

    @Test("a URL that cannot be without a value says which one")
    func noURL() throws {
        let workspace = try Workspace.make(
            """
            environments: { e: { baseURL: "{{ server }}" } }
            variables: { server: { ask: Server }, tenant: { ask: Tenant } }
            targets: { A: GET /a, B: "GET https://{{ tenant }}.example/b" }
            """
        )
        let error = #expect(throws: WorkspaceError.self) { try workspace.sent("A") }
        #expect(error?.problems.first?.missing?.name == "server")
        #expect(
            try workspace.supplying(["server": "http://h"]).sent("A").display.url == "http://h/a"
        )
        #expect(try workspace.sent("B").display.url == "https://{{ tenant }}.example/b")
    }

    @Test("a response is not cached under a key that lacks a value")
    func cacheKey() throws {
        let workspace = try Self.workspace(
            "  user: { ask: User }",
            "  T: { request: GET /a, cache: { expires: 5 min, extraKey: \"{{ user }}\" } }"
        )
        #expect(try workspace.sent("T").cachePolicy.storage == nil)
        let known = workspace.setting(values: ["user": .string("ada")])
        #expect(try known.sent("T").cachePolicy.storage != nil)
    }

    @Test("a target that must be sent to get what it needs itself is refused, with the circle")
    func circles() {
        let found = problems(
            """
            environments: { e: { baseURL: "http://h", auth: { bearer: "{{ token }}" } } }
            variables: { token: { from: Login, capture: $.token } }
            targets: { Login: POST /login, T: GET /t }
            """
        )
        #expect(
            found == [
                "a.apus.yaml:2:14: `Login` must be sent to get `token`, which it needs itself: "
                    + "Login → Login; if the target only inherits it, its own `auth` can be `none`"
            ]
        )
        let longer = problems(
            """
            variables:
              a: { from: B, capture: $.a }
              b: { from: C, capture: $.b }
              c: { from: A, capture: $.c }
            targets:
              A: "GET http://h/{{ a }}"
              B: "GET http://h/{{ b }}"
              C: "GET http://h/{{ c }}"
              Outside: "GET http://h/{{ a }}"
            """
        )
        #expect(longer.count == 1 && longer[0].contains("A → B → C → A"))
        let none = problems(
            """
            environments: { e: { baseURL: "http://h", auth: { bearer: "{{ token }}" } } }
            variables: { token: { from: Login, capture: $.token } }
            targets: { Login: { request: POST /login, auth: none }, T: GET /t }
            """
        )
        #expect(none == [])
    }

    @Test("a value from a response cannot name a host, as a captured one cannot")
    func hosts() {
        let found = problems(
            """
            variables: { host: { from: Login, capture: $.host } }
            targets: { Login: POST http://h/login, T: "GET https://{{ host }}/t" }
            """
        )
        #expect(
            found.count == 1 && found[0].contains("cannot be part of a scheme, a host or a port")
        )
    }
}
