import Apus
import HTTPTypes
import Secrets
import Testing
import Workspaces

@Suite("Secrets")
struct SecretTests {
    private static let text = """
        variables:
          token: { env: TOKEN }
          key: { file: key.txt }
          wrapped: "x-{{ token }}"
        targets:
          T:
            request: POST http://h/{{ token }}
            query: { k: "{{ key }}" }
            headers: { X-Key: "{{ key }}", Authorization: Basic hunter2 }
            json: { t: "{{ token }}", w: "{{ wrapped }}", list: ["{{ key }}"] }
            cache: { extraKey: "{{ token }}" }
          Bearer: { request: GET http://h/, auth: { bearer: "{{ token }}" } }
          Basic: { request: GET http://h/, auth: { basic: { user: ada, password: hunter2 } } }
          Form: { request: POST http://h/, form: { p: "{{ key }}" } }
        """

    private func workspace() throws -> Workspace {
        try Workspace.make(
            Self.text,
            environmentVariables: ["TOKEN": "s3cr3t-token"],
            files: ["key.txt": "s3cr3t-key\n"]
        )
    }

    @Test("a target masks also the secrets that only other targets and environments use")
    func others() throws {
        let workspace = try Workspace.make(
            """
            variables: { one: { env: ONE }, short: { env: SHORT }, password: literal-one, page: 7 }
            environments:
              a: { variables: { two: { file: two.txt } } }
              b: { variables: { two: { env: TWO }, missing: { env: NONE } } }
            targets:
              A: { request: GET http://h/, headers: { X-One: "{{ one }}" } }
              B: GET http://h/{{ page }}
            """,
            environmentVariables: ["ONE": "s3cr3t-one", "SHORT": "abc", "TWO": "s3cr3t-b"],
            files: ["two.txt": "s3cr3t-a\n"]
        )
        let known: Set = ["s3cr3t-one", "s3cr3t-a", "s3cr3t-b", "literal-one"]
        #expect(workspace.knownSecrets == known)
        let target = try workspace.sent("B")
        #expect(target.options.secretTexts == Set(known.map { Apus.Secret($0) }))
        #expect(target.mask.masking(text: "7 s3cr3t-b") == "7 ••••••")
        #expect(target.display.url == "http://h/7")
        #expect(
            workspace.supplying(["one": "entered"]).knownSecrets == known.union(["entered"])
        )
    }

    @Test("secrets are sent", arguments: ["T", "Bearer", "Basic", "Form"])
    func sent(id: String) throws {
        let request = try Endpoint(try workspace().sent(id)).request
        // Field by field: the fields' own description hides credentials.
        let fields = request.head.headerFields.map(\.value).joined(separator: " ")
        let all = "\(fields) \(request.url) \(try workspace().sent(id).bodyText ?? "")"
        #expect(all.contains("s3cr3t") || all.contains("YWRhOmh1bnRlcjI="))
    }

    @Test(
        "nothing that is shown, printed or mirrored has a secret in it",
        arguments: ["T", "Bearer", "Basic", "Form"]
    )
    func masked(id: String) throws {
        let workspace = try workspace()
        let target = try workspace.sent(id)
        var dumped = ""
        dump(target, to: &dumped)
        dump(workspace, to: &dumped)
        let texts = [
            "\(target)", String(reflecting: target), "\(target.display)", dumped,
            "\(workspace.variables(in: ""))", "\(workspace)",
        ]
        for text in texts {
            #expect(!text.contains("s3cr3t"))
            #expect(!text.contains("YWRhOmh1bnRlcjI="))
        }
        #expect(!"\(target.display) \(target)".contains("hunter2"))
        let said = "\(target.display.url) \(target.display.fields) \(target.display.body ?? "")"
        #expect(said.contains("••••••"))
    }

    @Test("a request's mask takes its secrets out of any text")
    func mask() throws {
        let target = try workspace().sent("T")
        #expect(
            target.mask.masking(text: "GET /s3cr3t-token?k=s3cr3t-key") == "GET /••••••?k=••••••"
        )
    }

    @Test("the engine masks them too, wherever they stand in a request")
    func engine() throws {
        let target = try workspace().sent("T")
        let request = try Endpoint(target).request
        #expect(request.line.url == "http://h/••••••?k=••••••")
        #expect(!CacheKey(for: request, policy: target.cachePolicy).recipe.contains("s3cr3t"))
    }

    @Test("a secret that is not there lets the workspace load, and is missed when it is sent")
    func missing() throws {
        let workspace = try Workspace.make(Self.text)
        let error = #expect(throws: WorkspaceError.self) { try workspace.sent("Bearer") }
        #expect(
            error?.problems.map(\.summary) == [
                "a.apus.yaml:12:54: `token` has no value: the environment variable `TOKEN` is not set"
            ]
        )
        let file = #expect(throws: WorkspaceError.self) { try workspace.sent("Form") }
        #expect(
            file?.problems.map(\.message) == ["`key` has no value: key.txt does not exist"]
        )
    }

    @Test("what the workspace's own rules name or match is masked, also by the engine")
    func rules() throws {
        let workspace = try Workspace.make(
            """
            mask:
              names: [X-Session, ticket, Pin]
              patterns: ['\\b\\d{16}\\b', '[\\w.]+@[\\w.]+']
            variables: { mine: a-value-of-mine }
            targets:
              T:
                request: POST http://h/4111111111111111/{{ mine }}
                query: { ticket: short, mail: ada@example.com, page: 1 }
                headers: { X-Session: "{{ mine }}", X-Other: see 4111111111111111 }
                json: { pin: "{{ mine }}", card: 4111111111111111, a: 1 }
            """
        )
        let target = try workspace.sent("T")
        let shown = "\(target.display)"
        for secret in ["a-value-of-mine", "4111", "short", "ada@", "ada%40"] {
            #expect(!shown.contains(secret))
        }
        #expect(target.display.url == "http://h/••••••/••••••?ticket=••••••&mail=••••••&page=1")
        let request = try Endpoint(target).request
        #expect(request.line.url == "http://h/••••••/••••••?ticket=••••••&mail=••••••&page=1")
        let fields = try ["X-SESSION", "X-Other"].map { name in
            HTTPField(name: try #require(HTTPField.Name(name)), value: "of a response")
        }
        #expect(
            request.mask.masking(HTTPFields(fields)).map(\.value) == ["••••••", "of a response"]
        )
        #expect(target.bodyText?.contains("4111111111111111") == true)
        let recipe = CacheKey(for: request, policy: .keep()).recipe
        #expect(!recipe.contains("4111") && !recipe.contains("short") && !recipe.contains("mine"))
    }

    @Test("what reaches a credential is masked, whoever calls it a secret and wherever it stands")
    func plainCredentials() throws {
        let workspace = try Workspace.make(
            """
            variables:
              plain: plain-value-1
              inner: inner-value-2
              outer: "x{{ inner }}"
              short: abc
              pw: plain-value-3
              seen: harmless
            targets:
              T:
                request: POST http://ada:{{ pw }}@h/{{ plain }}/{{ seen }}?api_key=literal-4#access_token=literal-5
                query: { api_key: "{{ short }}", q: "{{ outer }}" }
                headers:
                  Authorization: Bearer {{ plain }}
                  X-Api-Key: "{{ outer }}"
                  X-Vault-Token: literal-6
                  X-Seen: "{{ seen }}"
                json: { password: "{{ plain }}", other: "{{ plain }} {{ short }}" }
            """
        )
        let display = try workspace.sent("T").display
        let all = "\(display)"
        for secret in ["value-1", "value-2", "value-3", "literal-4", "literal-5", "literal-6"] {
            #expect(!all.contains(secret))
        }
        #expect(!display.notes.contains { $0.contains("abc") } && !display.url.contains("abc"))
        #expect(
            display.url
                == "http://ada:••••••@h/••••••/harmless?api_key=••••••#access_token=••••••&api_key=••••••&q=••••••"
        )
        #expect(display.notes.contains("plain=••••••") && display.notes.contains("seen=harmless"))
        #expect(display.notes.contains("pw=••••••") && display.notes.contains("short=••••••"))
        #expect(display.fields.first { $0.name == "X-Api-Key" }?.value == "••••••")
        #expect(display.fields.first { $0.name == "Authorization" }?.value == "Bearer ••••••")
        #expect(display.fields.first { $0.name == "X-Seen" }?.value == "harmless")
        #expect(workspace.definition(TargetID("T"))?.requestText.contains("literal") == false)
        let request = try Endpoint(try workspace.sent("T")).request
        #expect(request.mask.masking(text: "/x/plain-value-1/inner-value-2") == "/x/••••••/••••••")
    }
}
