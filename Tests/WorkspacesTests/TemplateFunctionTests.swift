import Apus
import Documents
import HTTPTypes
import Secrets
import TestSupport
import Testing

@testable import Workspaces

@Suite("Functions of templates")
struct TemplateFunctionTests {
    private static let variables = """
        variables: { user: 7, name: "Ada & Co", empty: "", list: 1, key: k, secret: { env: KEY } }
        """

    /// What a body of this template is sent as.
    private func sent(
        _ template: String,
        environmentVariables: [String: String] = [:]
    ) throws -> String? {
        let workspace = try Workspace.make(
            "\(Self.variables)\ntargets: { A: { request: POST http://h/, body: \(Value.string(template).json) } }",
            environmentVariables: environmentVariables
        )
        return try workspace.sent("A").bodyText
    }

    @Test(
        "a function changes what is before it",
        arguments: [
            ("{{ name | base64 }}", "QWRhICYgQ28="), ("{{ name | hex }}", "416461202620436f"),
            ("{{ name | url }}", "Ada%20%26%20Co"), ("{{ name | lower }}", "ada & co"),
            ("{{ name | upper }}", "ADA & CO"), ("{{ name | json }}", #""Ada & Co""#),
            ("{{ user | json }}", "7"), ("{{ 'a' | upper | base64 }}", "QQ=="),
            ("{{ base64('a') }}", "YQ=="), ("{{ '|)}' | hex }}", "7c297d"),
            (
                "{{ 'abc' | sha256 }}",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ),
            // RFC 4231, test case 2.
            (
                "{{ 'what do ya want for nothing?' | hmac('Jefe') }}",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                "{{ hmac('what do ya want for nothing?', 'Jefe', 'base64') }}",
                "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="
            ),
            ("{{ nobody | default('x') }}", "x"), ("{{ empty | default('x') }}", "x"),
            ("{{ user | default('x') }}", "7"), ("{{ nobody | default(user) }}", "7"),
            ("{{ default(nobody, name) | upper }}", "ADA & CO"), ("{{name|lower}}", "ada & co"),
            ("{{ random(3, 3) }}", "3"), ("{{ now('+0 s', '%%') }}", "%"),
        ]
    )
    func results(template: String, result: String) throws {
        #expect(try sent(template) == result)
    }

    @Test(
        "values of the moment have their form",
        arguments: [
            (
                "{{ uuid }}",
                #"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"#
            ),
            ("{{ now }}", #"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#),
            ("{{ now('+1 day', 'unix') }}", #"^\d{10}$"#),
            ("{{ now('-5 min', 'unixms') }}", #"^\d{13}$"#),
            (
                "{{ now('+0 s', 'http') }}",
                #"^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT$"#
            ),
            ("{{ random }}", #"^\d{1,6}$"#), ("{{ random(10, 99) }}", #"^\d\d$"#),
        ]
    )
    func forms(template: String, form: String) throws {
        let text = try #require(try sent(template))
        #expect(text.contains(try Regex(form)), "\(text)")
    }

    @Test("each request of a batch gets its own; a variable is one value within a request")
    func varying() throws {
        let workspace = try Workspace.make(
            """
            variables: { id: "{{ uuid }}" }
            targets:
              A: { request: "POST http://h/{{ id }}", body: "{{ id }}" }
            batches: { B: [{ target: A, repeat: 3 }] }
            """
        )
        let targets = try workspace.resolve(workspace.batches[0], in: "default")
        #expect(Set(targets.map(\.path)).count == 3)
        for target in targets { #expect(target.path == "http://h/" + (target.bodyText ?? "")) }
    }

    @Test("a variable of a function's name goes before the function")
    func shadowed() throws {
        let workspace = try Workspace.make(
            "variables: { uuid: mine }\ntargets: { A: { request: POST http://h/, body: '{{ uuid }}' } }"
        )
        #expect(try workspace.sent("A").bodyText == "mine")
    }

    @Test("what is made of a secret is masked as the secret is")
    func secrets() throws {
        let workspace = try Workspace.make(
            """
            variables: { secret: { env: KEY } }
            targets:
              A: { request: GET http://h/, headers: { X-A: "{{ secret | upper }}", X-B: "{{ env('OTHER') }}" } }
            """,
            environmentVariables: ["KEY": "correct-horse", "OTHER": "battery-staple"]
        )
        let target = try workspace.sent("A")
        #expect(target.headerFields.contains { $0.value == "CORRECT-HORSE" })
        #expect(target.headerFields.contains { $0.value == "battery-staple" })
        let shown = "\(target.display)"
        #expect(!shown.contains("CORRECT-HORSE") && !shown.contains("battery-staple"))
        #expect(target.mask.masking(text: "x CORRECT-HORSE y") == "x •••••• y")
    }

    @Test("`url` stands in a URL as it is, and other functions are escaped there")
    func inURL() throws {
        let workspace = try Workspace.make(
            """
            \(Self.variables)
            targets: { A: "GET http://h/{{ name | url }}/{{ name | upper }}?q={{ name | url }}" }
            """
        )
        #expect(
            try workspace.sent("A").path
                == "http://h/Ada%20%26%20Co/ADA%20%26%20CO?q=Ada%20%26%20Co"
        )
    }

    @Test("a file's text is taken in when the request is sent")
    func file() throws {
        let folder = TemporaryFolder()
        try folder.write("{ viewer { login } }", to: "query.graphql")
        let path = try folder.write(
            "targets: { A: { request: POST http://h/, body: \"{{ file('query.graphql') }}\" } }",
            to: "a.apus.yaml"
        )
        let workspace = try Workspace.load(path: path)
        #expect(try workspace.sent("A").bodyText == "{ viewer { login } }")
    }

    @Test(
        "what is wrong in an expression says where and what to do",
        arguments: [
            ("{{ name | bas64 }}", "`bas64` is not a function", "did you mean `base64`?"),
            ("{{ hmac('a') }}", "`hmac` is given 1 values", "for example `{{ user | hmac(key) }}`"),
            (
                "{{ name | now('x') }}", "`now` cannot add `Ada & Co`",
                "an offset is one like `+1 day`"
            ),
            ("{{ now('+1 day', 'izo') }}", "`now` knows no format `izo`", "did you mean `iso`?"),
            ("{{ random(6, 1) }}", "`random` finds nothing from 6 to 1", ""),
            ("{{ 'a }}", "a text has no `'` at its end", ""),
            ("{{ base64('a' }}", "`base64(` has no `)`", ""),
            ("{{ a b }}", "`a b` is not a name", ""), ("{{ }}", "`{{ }}` without a name", ""),
            ("{{ uid }}", "unknown variable `uid`", "did you mean `uuid`?"),
            ("{{ file('none.txt') }}", "", ""),
        ]
    )
    func faults(template: String, message: String, hint: String) throws {
        let text =
            "\(Self.variables)\ntargets: { A: { request: POST http://h/, body: \(Value.string(template).json) } }"
        let found = problems(text).joined(separator: "\n")
        #expect(found.contains(message) && found.contains(hint), "\(found)")
        #expect(message.isEmpty == found.isEmpty)
    }
}
