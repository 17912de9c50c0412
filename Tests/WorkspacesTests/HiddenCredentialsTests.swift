import Testing
import Workspaces

@Suite("Credentials in errors")
struct HiddenCredentialsTests {
    private func description(_ text: String) throws -> String {
        let error = #expect(throws: WorkspaceError.self) { try Workspace.make(text).sent("A") }
        return try #require(error?.description)
    }

    private func target(_ rest: String) -> String {
        "environments: { l: { baseURL: 'http://h' } }\ntargets:\n  A:\n    request: POST /x\n\(rest)\n"
    }

    private static let written: [String] = [
        // In one line, beside the fault or with it.
        "    auth: { basic: { user: a, password: S3CRET, foo: 1 } }",
        "    auth: { bearer: \"S3CRET{{ nope }}\" }",
        "    headers: { X-Api-Key: \"a, S3CRET\", Y: \"{{ nope }}\" }",
        "    json: { \"password\": 'it''s S3CRET', b: \"{{ nope }}\" }",
        "    form: { x: \"{{ nope }}\", token: \"\\\"S3CRET\" }",
        // The value on the line behind its key, or on several lines.
        "    auth:\n      bearer:\n        S3CRET{{ nope }}",
        "    auth: { bearer: \"one\n      S3CRET{{ nope }}\" }",
        "    auth:\n      bearer: one\n        S3CRET{{ nope }}",
        "    auth:\n      bearer: |\n        one\n        S3CRET{{ nope }}",
        "    auth:\n      bearer: >-\n        S3CRET{{ nope }}",
        "    headers:\n      Authorization:\n        - one\n        - S3CRET{{ nope }}",
        // Keys in other spellings.
        "    auth: { basic: { user: a, password : S3CRET, foo: 1 } }",
        "    auth: { basic: { user: a, \"pass\\u0077ord\": S3CRET, foo: 1 } }",
        "    auth:\n      basic:\n        user: a\n        ? password\n        : \"S3CRET{{ nope }}\"",
        "    form: { ? !!str token : S3CRET, b: \"{{ nope }}\" }",
        "    form: { &k token: S3CRET, b: \"{{ nope }}\" }",
        "    form: { ' TOKEN ': S3CRET, b: \"{{ nope }}\" }",
        "    form: { ? [token] : S3CRET, b: \"{{ nope }}\" }",
        // Anchors, tags and aliases.
        "    auth: { basic: { user: a, password: &p \"b,S3CRET{{ nope }}\" } }",
        "    auth: { basic: { user: a, password: !!str \"b,S3CRET{{ nope }}\" } }",
        "    auth: { basic: { user: a, password: !S3CRET b } }",
        "    auth: { basic: { user: a, password: *S3CRET } }",
        "    form: { a: &p S3CRET, token: *p, b: \"{{ nope }}\" }",
        "    form: { a: &p { b: S3CRET }, token: *p }",
        "    form: { a: &q S3CRET, b: &p [*q], token: *p, c: \"{{ nope }}\" }",
        "    form: { a: &p { token: S3CRET, c: \"{{ nope }}\" }, <<: *p }",
        // Of a wrong type.
        "    auth: { bearer: [S3CRET, b] }", "    auth: { bearer: { S3CRET: x } }",
        "    auth: S3CRET", "    auth: { S3CRET }", "    auth: { basic: \"a:S3CRET\" }",
        "    auth: [S3CRET]", "    auth: { basic: { S3CRET } }",
        "    auth: { apiKey: { v: S3CRET } }",
        "    auth: { bearer: { S3CRET: 1, S3CRET: 2 } }", "    auth: { barer: S3CRET }",
        "    auth: { bearer: \"{{ nope | S3CRET }}\" }", "    auth: { bearer: \"{{ S3CRET x }}\" }",
        "    auth: { S3CRET: b }", "    auth: { basic: { S3CRET: b } }",
        "    hedaers: { Authorization: [S3CRET] }", "    token: S3CRET",
        "    cache: { token: S3CRET, foo: 1 }",
        // Texts with a credential in them.
        "    proxy: \"u:S3CRET@h/{{ nope }}\"", "    proxy: \"http://u:b S3CRET@h/{{ nope }}\"",
        "    proxy: \"http://u:\\x62S3CRET@h/{{ nope }}\"",
        "    body: '{\"password\": \"b\\\"S3CRET\", \"a\": {{ nope }}}'",
        "    body: \"{\\\"password\\\" : \\\"S3CRET{{ nope }}\\\"}\"",
        "    body: \"a=b&password=b S3CRET{{ nope }}\"",
        "    body: |\n      {\"password\":\n       \"b\", \"token\": \"S3CRET\", \"b\": \"{{ nope }}\"}",
        "    query: { a: \"/x?api_key={{ b }} S3CRET {{ nope }}\" }",
        "    body: 'a[client_secret]=S3CRET&b={{ nope }}'",
        // Comments.
        "    timeout: soon # was S3CRET", "    form: { a: \"{{ nope }}\" } # token: S3CRET",
        "    body: | # S3CRET {{ nope }}\n      {{ nope }}",
    ]

    @Test("no credential of a file is shown, whichever way it is written", arguments: written)
    func hides(rest: String) throws {
        let text = target(rest)
        let description = try description(text)
        #expect(!description.contains("S3CRET"), "\(description)")
        // A place is under its column, and a line as long as it is in the file.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for row in description.split(separator: "\n") where row.contains("•") && row.contains("|") {
            let number = try #require(Int(row.prefix { $0 != "|" }.filter(\.isNumber)))
            let shown = row.drop { $0 != "|" }.dropFirst(2)
            #expect(shown.count == lines[number - 1].count, "\(description)")
        }
    }

    @Test(
        "of a file that is no YAML only places are shown",
        arguments: [
            "    auth: { basic: { user: a, password: \"S3CRET } }",
            "    auth:\n      bearer: S3CRET: b", "    auth:\n      bearer: @S3CRET",
            "    auth:\n      bearer: *S3CRET/b", "    auth:\n      bearer: \"\\qS3CRET\"",
            "    auth:\n      bearer: %S3CRET", "    auth:\n      bearer: \"b\n    S3CRET: c",
            "    auth:\n      bearer: S3CRET\n---\na: S3CRET", "    bearer: S3CRET\u{1}",
        ]
    )
    func syntax(rest: String) throws {
        let description = try description(target(rest))
        #expect(!description.contains("S3CRET"), "\(description)")
        #expect(description.hasPrefix("a.apus.yaml:"))
    }

    @Test(
        "what is no credential is shown with its place, and so is what a template names",
        arguments: [
            ("    methd: GET", "methd: GET"), ("    timeout: soon", "timeout: soon"),
            ("    cache: { key: half }", "cache: { key: half }"),
            ("    auth: { bearer: \"ab{{ nope }}c\" }", "auth: { bearer: •••{{ nope }}•• }"),
            (
                "    auth: { bearer: \"{{ nope | raw }}\" }",
                "auth: { bearer: \"{{ nope | raw }}\" }"
            ),
            ("    auth: { berer: b }", "auth: { berer: • }"),
            ("    auth: { basic: { user: \"{{ nope }}\", password: b } }", "user: \"{{ nope }}\""),
            ("    headers: { Accept: \"a@b: {{ nope }}\" }", "Accept: \"a@b: {{ nope }}\" }"),
            ("    body: \"call at 10:30 @ {{ nope }}\"", "body: \"call at 10:30 @ {{ nope }}\""),
            (
                "    proxy: \"http://u:bc@h/{{ nope }}?q=1\"",
                "proxy: \"http://u:••@h/{{ nope }}?q=1\""
            ),
            ("    query: { a: \"?token=bc&d={{ nope }}\" }", "{ a: \"?token=••&d={{ nope }}\" }"),
        ]
    )
    func honest(rest: String, shown: String) throws {
        let description = try description(target(rest))
        #expect(description.contains(shown), "\(description)")
        #expect(!description.contains("`…`"), "\(description)")
    }

    @Test("names of one's own are none of a credential's, and paths into responses are none")
    func ownNames() throws {
        let description = try description(
            """
            environments: { token: { baseURL: 'http://h', timeout: soon } }
            variables: { token: { env: T, fiel: b }, secret: "{{ nope }}" }
            targets:
              token: GET /{{ nope }}/a
              Code: { key: { request: GET /b, timeout: soon } }
              code: { request: GET /c, timeout: soon }
            chains: { token: [{ step: s, target: GET /d, capture: { code: "$.e[x]" } }] }
            """
        )
        for shown in [
            "token: { baseURL: 'http://h', timeout: soon }", "{ env: T, fiel: • }",
            "secret: \"{{ nope }}\"", "token: GET /{{ nope }}/a",
            "Code: { key: { request: GET /b, timeout: soon } }",
            "code: { request: GET /c, timeout: soon }", "capture: { code: \"$.e[x]\" }",
            "`$.e[x]` is not a path",
        ] {
            #expect(description.contains(shown), "\(description)")
        }
    }

    @Test(
        "a variable that is no text shows none of its keys",
        arguments: [
            "token: { S3CRET }", "db: { S3CRET: b }", "db: { vaule: S3CRET }", "key: [S3CRET]",
        ]
    )
    func variables(text: String) throws {
        let description = try description("variables: { \(text) }\ntargets: { A: GET /x }")
        #expect(!description.contains("S3CRET"), "\(description)")
    }

    @Test("a message that quotes a credential says the rest of it")
    func messages() throws {
        let url = "environments: { l: { baseURL: \"ftp://u:b S3CRET@h\" } }\ntargets: { A: GET /x }"
        #expect(try description(url).contains("error: `…` cannot be a `baseURL`\n"))
        let key = try description(target("    auth: { S3CRET: b }"))
        #expect(key.contains("error: unknown key `…` in `auth`\n"))
        let list = try description(target("    headers: { Authorization: [[S3CRET]] }"))
        #expect(list.contains("the field `Authorization` cannot be a list"), "\(list)")
        #expect(!list.contains("S3CRET"))
    }

    @Test("what is wrong with a key or a scheme is said, and values of templates alone are shown")
    func keysAndSchemes() throws {
        let typed = try description(target("    auth: { type: bearer, token: S3CRET }"))
        #expect(typed.contains("unknown key `type` in `auth`"), "\(typed)")
        #expect(typed.contains("auth: { type: bearer, token: ••••••"), "\(typed)")
        let scheme = try description(
            target("    auth: { scheme: Basic, username: a, value: S3CRET }")
        )
        #expect(scheme.contains("unknown key `scheme`") && !scheme.contains("S3CRET"), "\(scheme)")
        #expect(scheme.contains("{ scheme: Basic, username: •, value: •"), "\(scheme)")
        let value = try description(target("    auth: { type: S3CRET }"))
        #expect(value.contains("unknown key `type`") && !value.contains("S3CRET"), "\(value)")
        for text in [
            "\"{{ nope }}\"", "'{{ nope | raw }}'", "\"{{ nope }}{{ nope }}\"",
        ] {
            let shown = try description(target("    auth: { bearer: \(text) }"))
            #expect(shown.contains("auth: { bearer: \(text) }"), "\(shown)")
        }
        let mixed = try description(target("    auth: { bearer: \"S3CRET {{ nope }}\" }"))
        #expect(!mixed.contains("S3CRET"))
    }

    @Test("a long line is shown around its place, without its credentials")
    func longLine() throws {
        let members = (0..<3000).map { "a\($0): b, token\($0 % 2): { password: S3CRET }" }
        let text = target("    json: { \(members.joined(separator: ", ")), a0: 1 }")
        #expect(try !description(text).contains("S3CRET"))
        let urls = String(repeating: "'http://u:S3CRET@h?token=S3CRET', ", count: 20_000)
        let shown = try description(target("    json: [\(urls)'{{ nope }}']"))
        #expect(!shown.contains("S3CRET") && shown.contains("'{{ nope }}'"))
        let signs = String(repeating: "@token:=", count: 50_000)
        #expect(try description(target("    json: ['\(signs)', '{{ nope }}']")).contains("nope"))
    }
}
