import Apus
import Documents
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("Exports have no secrets")
struct ExportSecretsTests {
    /// A literal secret at every place of a workspace, each with a number of its own.
    private static let text = #"""
        name: Secrets
        note: |
          Ask for the key.
          password=MARK01-aaaaaa
        variables:
          api_token: MARK02-aaaaaa
          plain_url: "https://ada:MARK03-aaaaaa@h.example/p"
          plain_value: "Bearer MARK04-aaaaaaaa"
          plain_blob: '{"password":"MARK05-aaaaaa"}'
          printed: { command: "printf MARK06-aaaaaa" }
          user: ada
          read: { env: API_TOKEN }
        environments:
          local: { baseURL: "https://u:MARK07-aaaaaa@base.example/v1", variables: { session_token: MARK08-aaaaaa } }
          live: { baseURL: "https://live.example/v1", variables: { session_token: MARK09-aaaaaa } }
        targets:
          Fields:
            request: "GET /a?token=MARK10-aaaaaa&x={{ api_token }}"
            note: "curl -u ada:x https://ada:MARK11-aaaaaa@h.example"
            description: "api_key=MARK12-aaaaaa"
            headers:
              X-Api-Key: MARK13-aaaaaa
              Cookie: "sid=MARK14-aaaaaa; a=b"
              X-Auth-Token: "MARK15-aaaaaa-{{ user }}"
              X-Digest: "{{ read | hmac('MARK16-aaaaaa') }}"
              X-Url: "{{ plain_url }}"
              X-Value: "{{ plain_value }}"
              X-Blob: "{{ plain_blob }}"
              X-Session: "{{ session_token }}"
              X-Printed: "{{ printed }}"
              X-Look: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJNQVJLMTcifQ.MARK17-aaaaaa
            query: { api_key: MARK18-aaaaaa }
            proxy: "http://u:MARK19-aaaaaa@proxy.example:8080"
            clientCertificate: { file: me.pem, password: MARK20-aaaaaa }
          Own host: { request: "GET https://ada:MARK21-aaaaaa@other.example/x" }
          Own field: { request: GET /f, headers: { Authorization: "Bearer MARK22-aaaaaa" } }
          JSON:
            request: POST /j
            json: { password: MARK23-aaaaaa, inner: { access_token: MARK24-aaaaaa }, pairs: [{ name: password, value: MARK25-aaaaaa }], text: '{"secret":"MARK26-aaaaaa"}' }
          Form: { request: POST /f, form: { user: ada, password: MARK27-aaaaaa } }
          Parts: { request: POST /p, multipart: { title: x, password: MARK28-aaaaaa, data: '{"token":"MARK29-aaaaaa"}' } }
          GraphQL: { request: POST /g, graphql: { query: 'mutation { login(password: "MARK30-aaaaaa") { id } }', variables: { password: MARK31-aaaaaa } } }
          Text: { request: POST /t, headers: { Content-Type: text/plain }, body: "password=MARK32-aaaaaa" }
          XML: { request: POST /x, headers: { Content-Type: application/xml }, body: "<a><password>MARK33-aaaaaa</password></a>" }
          Again: { request: POST /again, headers: { Content-Type: text/plain }, body: "once more MARK13-aaaaaa" }
          Bearer: { request: GET /1, auth: { bearer: MARK34-aaaaaa } }
          Basic: { request: GET /2, auth: { basic: { user: ada, password: MARK35-aaaaaa } } }
          User: { request: GET /3, auth: { basic: { user: MARK36-aaaaaa, password: "" } } }
          Digest: { request: GET /4, auth: { digest: { user: ada, password: MARK37-aaaaaa } } }
          NTLM: { request: GET /5, auth: { ntlm: { user: ada, password: MARK38-aaaaaa } } }
          Key: { request: GET /6, auth: { apiKey: { name: X-Own, value: MARK39-aaaaaa } } }
          Query: { request: GET /7, auth: { apiKey: { in: query, name: own, value: MARK40-aaaaaa } } }
          Cookie: { request: GET /8, auth: { apiKey: { in: cookie, name: own, value: MARK41-aaaaaa } } }
          OAuth: { request: GET /9, auth: { oauth2: { grant: password, tokenURL: "https://login.example/t", clientID: me, clientSecret: MARK42-aaaaaa, username: ada, password: MARK43-aaaaaa, parameters: { api_key: MARK44-aaaaaa } } } }
          AWS: { request: GET /10, auth: { aws: { service: s3, region: eu, accessKey: MARK45-aaaaaa, secretKey: MARK46-aaaaaa, sessionToken: MARK47-aaaaaa } } }
          Custom: { request: GET /11, auth: { custom: { command: "printf MARK48-aaaaaa", timeout: 5 s } } }
          Expected:
            request: GET /12
            expect: { fields: { Authorization: "Bearer MARK49-aaaaaa", X-Api-Key: { in: [MARK50-aaaaaa] } }, json: { $.token: MARK51-aaaaaa, "$.users[0].password": { contains: MARK52-aaaaaa } } }
          Whole: { request: GET /13, expect: { body: { password: MARK53-aaaaaa } } }
        chains:
          Both:
            - { step: one, target: Key, capture: { id: $.id } }
            - { step: two, target: JSON, expect: { json: { $.token: MARK54-aaaaaa } } }
        """#

    private func exported(
        _ exporter: any Exporter.Type,
        keepsSecrets: Bool = false,
        folder: String? = nil
    ) async throws -> ExportOutput {
        let named = try ExportSamples.named(Self.text)
        let reader = ExportReader(
            named,
            keepsVariables: exporter.keepsVariables,
            keepsSecrets: keepsSecrets,
            folder: folder
        )
        var exported = await reader.read()
        exported.items = exported.items.map { item in
            guard case .request(var request) = item else { return item }
            request.add(responses: [
                ExportedResponse(
                    status: 200,
                    contentType: "application/json",
                    body: Array(#"{"access_token":"MARK55-aaaaaa","again":"MARK13-aaaaaa"}"#.utf8)
                ),
                ExportedResponse(
                    status: 401,
                    contentType: "text/plain",
                    body: Array("password=MARK56-aaaaaa".utf8)
                ),
            ])
            return .request(request)
        }
        return exporter.export(exported)
    }

    @Test("no literal secret leaves in any format", arguments: Exporters.all.map { $0.name })
    func literals(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        for folder in [nil, "/nowhere"] {
            let output = try await exported(exporter, folder: folder)
            #expect(output.losses.filter { $0.loss.kind == "the request" }.isEmpty)
            let losses = output.losses.map { "\($0.target) \($0.loss)" }
            for text in [output.text] + output.files.map(\.text) + losses {
                for line in text.split(separator: "\n") where line.contains("MARK") {
                    Issue.record("\(line)")
                }
            }
        }
    }

    @Test("secrets leave where that is asked for", arguments: ["curl", "python", "postman"])
    func kept(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        let output = try await exported(exporter, keepsSecrets: true)
        for number in [10, 13, 18, 23, 27, 34, 35] {
            #expect(output.text.contains("MARK\(number)-aaaaaa"), "\(number)")
        }
    }

    @Test("a target of another origin exports none of the credentials that it is not sent with")
    func otherOrigin() async throws {
        let named = try ExportSamples.named(
            """
            environments: { test: { baseURL: "https://a.example" } }
            defaults: { auth: { digest: { user: ada, password: "{{ env('API_PASSWORD') }}" } } }
            targets: { Elsewhere: GET https://b.example/x, Here: GET /x }
            """
        )
        let output = await ExportSamples.export(named, as: CurlExporter.self)
        #expect(output.text.components(of: "--digest") == 1)
        #expect(output.text.contains(#"--user 'ada:'"$API_PASSWORD""#))
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
