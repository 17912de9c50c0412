import Apus
import Documents
import HTTPTypes
import Interchange
import TestSupport
import Workspaces

/// A workspace with all kinds of targets, and what its requests are.
struct ExportedSample {
    static let text = #"""
        name: Shop API
        note: The shop's own.
        variables:
          user: 7
          title: A "good" one
          token: { env: SHOP_TOKEN }
          password: { env: SHOP_PASSWORD }
        environments:
          local: { baseURL: "http://127.0.0.1:8080/v1" }
          live: { baseURL: "https://shop.example/v1", variables: { user: 1 } }
        targets:
          Users:
            note: All about users.
            List: { request: "GET /users?sort=name&tag=a&tag=b", headers: { Accept: application/json, X-Tag: [one, two] } }
            Show: "GET /users/{{ user }}"
            "Show file": "GET /users/{{ user }}.json?full"
            Create:
              request: POST /users
              json: { name: "{{ title }}", roles: [admin, "a \"b\" \\ c"], id: "{{ user }}", rate: 1.50, none: null }
              auth: { bearer: "{{ token }}" }
              expect: { status: 201, json: { $.name: Ada, "$.roles[0]": { contains: adm }, "$['a b'].c": { ">": 17 } } }
            class: { request: DELETE /users/1, description: Removes one, auth: { basic: { user: ada, password: "{{ password }}" } } }
          Forms:
            Login: { request: POST /login, form: { user: "a b&c", password: "{{ password }}", tags: [a, b] } }
            Text: { request: PUT /text, headers: { Content-Type: text/plain }, body: "Hello \\(x)\n\"quoted\" ünï 🐦 $1 `x`\n" }
            Braces: { request: PUT /braces, headers: { Content-Type: text/plain }, body: "a \\{{ no }} b" }
            Graph: { request: POST /graphql, graphql: { query: "query($id: ID!) { user(id: $id) { name } }", variables: { id: 7 } } }
          Auth:
            Digest: { request: GET /digest, auth: { digest: { user: ada, password: "{{ password }}" } } }
            NTLM: { request: GET /ntlm, auth: { ntlm: { user: ada, password: "{{ password }}" } } }
            Key: { request: GET /key, auth: { apiKey: { name: X-Key, value: "{{ token }}" } } }
            "Key in query": { request: "GET /key2?a=1", auth: { apiKey: { in: query, name: api_key, value: "{{ token }}" } } }
            AWS: { request: GET /aws, auth: { aws: { service: s3, region: eu-central-1, accessKey: AKIDEXAMPLE, secretKey: "{{ password }}" } } }
            OAuth: { request: GET /oauth, auth: { oauth2: { grant: clientCredentials, tokenURL: "https://login.example/token", clientID: me, clientSecret: "{{ password }}", scope: [read, write] } } }
          Elsewhere: { request: "GET https://other.example/a%20b/%C3%BC?q=x%26y", redirects: 0, verifyTLS: false }
        """#

    let workspace: Workspace

    init(_ text: String = Self.text, name: String = "shop.apus.yaml") throws {
        workspace = try Workspace.new(text: text, file: name, secrets: Self.secrets)
    }

    static let secrets = SecretReader(
        environmentVariable: { _ in "s3cr3t" },
        file: { _ in "s3cr3t" }
    )

    func exported(
        _ exporter: any Exporter.Type,
        in environment: String? = nil
    ) async -> ExportOutput {
        exporter.export(await read(exporter, in: environment))
    }

    func read(_ exporter: any Exporter.Type, in environment: String? = nil) async
        -> ExportedWorkspace
    {
        let name = environment ?? workspace.environments[0].name
        return await ExportReader(
            NamedWorkspace(workspace: workspace, environment: name),
            keepsVariables: exporter.keepsVariables
        ).read()
    }

    /// The requests as they are sent, by the targets' ids; what is secret is the same in all workspaces.
    func requests(
        in environment: String,
        without ignored: Set<String> = []
    ) async throws -> [String: String] {
        let provider = AnyProvider(headerFields: [:])
        let names = workspace.names.filter { workspace.isSecret($0, in: environment) || asks($0) }
        let filled = workspace.setting(
            values: Dictionary(uniqueKeysWithValues: names.map { ($0, .string("s3cr3t")) })
        )
        var requests: [String: String] = [:]
        for target in filled.targets {
            let resolved = try filled.resolve(target, in: environment)
            let request = try await provider.preparedRequest(for: resolved)
            requests[target.id.rawValue] = Self.text(of: request, without: ignored)
        }
        return requests
    }

    private func asks(_ name: String) -> Bool {
        if case .question = workspace.source(of: name, in: workspace.environments[0].name) {
            true
        } else {
            false
        }
    }

    private static func text(of request: PreparedRequest, without ignored: Set<String>) -> String {
        let fields = request.head.headerFields.filter { !ignored.contains($0.name.canonicalName) }
            .map { "\($0.name.rawName): \($0.value)" }
        var body = "\(request.body)"
        if case .bytes(let bytes) = request.body { body = String(decoding: bytes, as: UTF8.self) }
        let credentials = request.options.credentials.map { "\($0.scheme) \($0.user)" } ?? ""
        return (["\(request.head.method.rawValue) \(request.url)"] + fields + [body, credentials])
            .joined(separator: "\n")
    }
}
