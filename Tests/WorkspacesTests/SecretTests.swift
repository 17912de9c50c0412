import Apus
import HTTPTypes
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
            target.secrets.masking("GET /s3cr3t-token?k=s3cr3t-key") == "GET /••••••?k=••••••"
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
}
