import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Workspaces

@Suite("How a target says who sends it")
struct AuthenticationTests {
    private func target(_ auth: String) throws -> WorkspaceTarget {
        try Workspace.make(
            """
            variables: { key: { env: KEY } }
            targets: { A: { request: GET http://h/a, query: { q: 1 }, headers: { Cookie: a=b }, auth: \(auth) } }
            """,
            environmentVariables: ["KEY": "correct-horse"]
        ).sent("A")
    }

    @Test(
        "an API key stands in a field, a parameter or a cookie, and is masked",
        arguments: [
            ("{ apiKey: { name: X-Key, value: '{{ key }}' } }", "X-Key", "correct-horse"),
            (
                "{ apiKey: { in: cookie, name: k, value: '{{ key }}' } }", "Cookie",
                "a=b; k=correct-horse"
            ),
        ]
    )
    func fields(auth: String, name: String, value: String) throws {
        let target = try target(auth)
        #expect(target.headerFields[try #require(HTTPField.Name(name))] == value)
        #expect(!"\(target.display)".contains("correct-horse"))
        #expect(target.options.secretTexts.contains(Apus.Secret("correct-horse")))
    }

    @Test("an API key as a parameter goes with the others")
    func query() throws {
        let target = try target("{ apiKey: { in: query, name: api, value: '{{ key }}' } }")
        let url = try Endpoint(target).request.url
        #expect(url.hasSuffix("?q=1&api=correct-horse"))
        #expect(target.display.url.contains("api=••••••"))
    }

    @Test("what libcurl answers by itself is an option")
    func options() throws {
        let ntlm = try target("{ ntlm: { user: ada, password: '{{ key }}' } }").options
        #expect(
            ntlm.credentials == ServerCredentials(.ntlm, user: "ada", password: "correct-horse")
        )
        #expect(try target("{ negotiate: true }").options.credentials == .negotiate)
        #expect(try target("{ netrc: true }").options.usesNetrc)
        #expect(try target("{ netrc: my.netrc }").options.netrcFile == "my.netrc")
    }

    @Test("a draft keeps what only the file can change")
    func draft() throws {
        let workspace = try Workspace.make(
            "targets: { A: { request: GET http://h/, auth: { negotiate: true } } }"
        )
        let definition = try #require(workspace.definition(TargetID("A")))
        var draft = workspace.written(definition, in: "default")
        #expect(draft.authorization == .other("negotiate"))
        draft.url = "http://h/b"
        let edited = try workspace.editing(TargetID("A"), to: draft)
        #expect(edited.sources[0].text.contains("GET http://h/b, auth: { negotiate: true }"))
    }

    @Test(
        "what is wrong says where, and repeats no key",
        arguments: [
            (
                "{ apiKey: { name: X-Key } }",
                "`apiKey` is not complete; expected `name` and `value`"
            ),
            (
                "{ apiKey: { in: body, name: X, value: v } }",
                "expected one of `header`, `query`, `cookie`"
            ),
            (
                "{ apiKey: { name: 'X Key', value: s3cr3t } }",
                "cannot be the name of a header field"
            ),
            ("{ negotiate: false }", "`negotiate` cannot be"),
            ("{ oauth: { } }", "unknown key"),
        ]
    )
    func faults(auth: String, message: String) {
        let found = problems("targets: { A: { request: GET http://h/, auth: \(auth) } }").joined()
        #expect(found.contains(message), "\(found)")
        #expect(!found.contains("s3cr3t"))
    }
}
