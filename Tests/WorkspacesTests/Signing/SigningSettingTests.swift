import Documents
import Testing

@testable import Workspaces

@Suite("oauth2, aws and custom in a file")
struct SigningSettingTests {
    @Test(
        "what is wrong says where, and repeats no secret",
        arguments: [
            (
                "{ oauth2: { } }",
                "`oauth2` is not complete; expected `grant` and `tokenURL` and `clientID`"
            ),
            (
                "{ oauth2: { grant: implicit, tokenURL: http://a/t, clientID: me } }",
                "expected one of `clientCredentials`, `password`, `authorizationCode`, `deviceCode`"
            ),
            (
                "{ oauth2: { grant: clientCredentials, tokenURL: http://a/t, clientID: me } }",
                "`oauth2` with `clientCredentials` is not complete; expected `clientSecret`"
            ),
            (
                "{ oauth2: { grant: authorizationCode, tokenURL: http://a/t, clientID: me } }",
                "expected `authorizationURL`"
            ),
            (
                "{ oauth2: { grant: deviceCode, tokenUrl: http://a/t, clientID: me } }",
                "did you mean `tokenURL`?"
            ),
            (
                """
                { oauth2: { grant: authorizationCode, authorizationURL: http://a/, tokenURL: http://a/t, clientID: me,
                redirect: "https://example.com/" } }
                """,
                "`redirect` cannot be"
            ),
            (
                "{ oauth2: { grant: password, tokenURL: a/t, clientID: me, username: u, password: s3cr3t } }",
                "`tokenURL` cannot be `a/t`"
            ),
            (
                "{ oauth2: { grant: clientCredentials, tokenURL: http://a/t, clientID: me, clientSecret: [s3cr3t] } }",
                "`clientSecret` cannot be"
            ),
            (
                "{ oauth2: { grant: clientCredentials, tokenURL: http://a/t, clientID: me, clientSecret: { evn: s3cr3t } } }",
                "did you mean `env`?"
            ),
            ("{ aws: { region: x } }", "`aws` is not complete; expected `service`"),
            (
                "{ aws: { service: s, accessKey: s3cr3t } }",
                "`aws` with `accessKey` is not complete; expected `secretKey`"
            ),
            (
                "{ aws: { service: s, accessKey: a, secretKey: s3cr3t, profile: p } }",
                "takes none of a profile"
            ),
            ("{ custom: { timeout: 1 s } }", "`custom` is not complete; expected `command`"),
            ("{ custom: { command: ' ' } }", "`command` is empty"),
            ("{ custom: { command: a, timeout: 5 } }", "`timeout` cannot be `5`"),
        ]
    )
    func faults(auth: String, message: String) {
        let found = problems("targets: { A: { request: GET http://h/, auth: \(auth) } }").joined()
        #expect(found.contains(message), "\(found)")
        #expect(!found.contains("s3cr3t"))
    }

    @Test("everything that is wrong with one `auth` is told at once")
    func allFaults() {
        let auth =
            "{ oauth2: { grant: clientCredential, tokenURL: [3], scope: { a: b }, redirect: x } }"
        let found = problems("targets: { A: { request: GET http://h/, auth: \(auth) } }").joined()
        for part in [
            "`clientID`", "`grant` cannot be", "`tokenURL`", "`scope`", "`redirect` cannot be",
        ] { #expect(found.contains(part), "\(part) in \(found)") }
    }

    @Test(
        "who writes where a secret comes from in its place is told how",
        arguments: [
            "{ bearer: { env: T } }", "{ basic: { user: a, password: { env: T } } }",
            "{ apiKey: { name: X-Key, value: { env: T } } }",
            "{ basic: { user: { env: T }, password: x } }", "none, headers: { A: { env: T } }",
        ]
    )
    func secretInPlace(auth: String) {
        let found = problems("targets: { A: { request: GET http://h/, auth: \(auth) } }").joined()
        #expect(found.contains("write \"{{ env('T') }}\""), "\(found)")
        #expect(!found.contains("•"), "\(found)")
    }

    @Test("a secret that is not there stops the request, and says which")
    func missing() throws {
        let workspace = try Workspace.make(
            """
            targets:
              A:
                request: GET http://h/
                auth: { oauth2: { grant: clientCredentials, tokenURL: http://a/t, clientID: me, clientSecret: { env: NOPE } } }
            """
        )
        let error = #expect(throws: WorkspaceError.self) { try workspace.sent("A") }
        #expect(
            error?.description.contains(
                "`clientSecret` has no value: the environment variable `NOPE` is not set"
            ) == true
        )
    }

    @Test("a draft keeps it, and says what it is")
    func draft() throws {
        let auth = "{ aws: { service: s3, region: eu-central-1, profile: work } }"
        let workspace = try Workspace.make(
            "targets: { A: { request: GET http://h/, auth: \(auth) } }"
        )
        let definition = try #require(workspace.definition(TargetID("A")))
        var draft = workspace.written(definition, in: "default")
        #expect(draft.authorization == .other("aws, s3, eu-central-1, work"))
        draft.url = "http://h/b"
        let edited = try workspace.editing(TargetID("A"), to: draft)
        #expect(edited.sources[0].text.contains("GET http://h/b, auth: \(auth)"))
    }

    @Test("credentials that stand in the file are reported")
    func inClear() throws {
        let text = """
            targets:
              A:
                request: GET http://h/
                auth: { oauth2: { grant: clientCredentials, tokenURL: http://a/t, clientID: me, clientSecret: s3cr3t-x } }
            """
        let source = SourceText(name: "a", text: text)
        #expect(source.credentials?.literals.map(\.key) == ["clientSecret"])
    }

    @Test("inherited credentials do not follow a target to another server")
    func elsewhere() throws {
        let workspace = try Workspace.make(
            """
            environments:
              e:
                baseURL: http://h
                auth: { aws: { service: s3, region: r } }
            targets: { A: GET /, B: GET http://other/ }
            """
        )
        #expect(try workspace.sent("A").signing != nil)
        #expect(try workspace.sent("B").signing == nil)
    }
}
