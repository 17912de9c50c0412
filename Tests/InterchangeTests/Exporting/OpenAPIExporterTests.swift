import Apus
import Documents
import FoundationEssentials
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("Export as an OpenAPI description")
struct OpenAPIExporterTests {
    /// What a description does not say: how credentials and content types are negotiated, and the order of fields.
    private static let notCompared: Set<String> = ["accept", "authorization", "x-key"]

    private func described(_ text: String) async throws -> (ExportOutput, JSON) {
        let output = await (try ExportedSample(text)).exported(OpenAPIExporter.self)
        let source = ImportSource(path: "api.yaml", bytes: Array(output.text.utf8))
        return (output, try source.tree().root)
    }

    @Test("an export is imported again as the same requests")
    func roundTrip() async throws {
        let sample = try ExportedSample(
            """
            environments:
              local: { baseURL: "http://127.0.0.1:8080/v1" }
              live: { baseURL: "https://shop.example/v1" }
            variables: { user: 7, name: Ada }
            targets:
              Users:
                List: { request: GET /users, query: { page: 2, sort: name, tag: [a, b] }, headers: { X-Tag: one } }
                Show: "GET /users/{{ user }}"
                Show file: "GET /files/{{ user }}.json"
                Create: { request: POST /users, json: { name: "{{ name }}", roles: [a, b], age: 7, rate: 1.5, on: true } }
              Login: { request: POST /login, form: { user: ada, page: 1 } }
              Elsewhere: { request: GET https://other.example/a/b }
            """
        )
        let output = await sample.exported(OpenAPIExporter.self)
        let source = ImportSource(path: "api.yaml", bytes: Array(output.text.utf8))
        let again = try ExportedSample(try ImportedFile(source).text)
        let before = try await sample.requests(in: "local", without: Self.notCompared)
        let after = try await again.requests(
            in: again.workspace.environments[0].name,
            without: Self.notCompared
        )
        #expect(after == before)
        #expect(output.losses.isEmpty, "\(output.losses)")
    }

    @Test("credentials are security schemes, and no secret stands in the description")
    func schemes() async throws {
        let (output, json) = try await described(ExportedSample.text)
        #expect(!output.text.contains("s3cr3t"))
        let schemes = json["components"]["securitySchemes"]
        #expect(schemes["bearerAuth"]["scheme"].string == "bearer")
        #expect(schemes["basicAuth"]["scheme"].string == "basic")
        #expect(schemes["apiKey"]["name"].string == "X-Key")
        #expect(schemes["apiKey2"]["in"].string == "query")
        #expect(
            schemes["oauth2"]["flows"]["clientCredentials"]["tokenUrl"].string
                == "https://login.example/token"
        )
        #expect(json["paths"]["/users/{user}"]["get"]["tags"][0].string == "Users")
    }

    @Test("two targets of one path and method: the second is listed")
    func collisions() async throws {
        let (output, json) = try await described(
            """
            targets:
              One: GET https://a.example/x
              Two: "GET https://a.example/x?a=1"
            """
        )
        #expect(json["paths"]["/x"]["get"]["summary"].string == "One")
        #expect(output.losses.map(\.target) == ["Two"])
    }

    @Test("recorded responses give statuses, types, merged schemas and the newest example")
    func responses() async throws {
        let sample = try ExportedSample("targets: { One: GET https://a.example/x }")
        var exported = await sample.read(OpenAPIExporter.self)
        guard case .request(var request)? = exported.items.first else {
            Issue.record("there is no request")
            return
        }
        let recorded = [
            (200, #"{"id":2,"name":"Ada","tags":["a"]}"#), (200, #"{"id":1.5,"name":null}"#),
            (404, #"{"error":"none"}"#),
        ].map { status, text in
            ExportedResponse(
                status: status,
                contentType: "application/json",
                body: Array(text.utf8)
            )
        }
        request.add(responses: recorded)
        exported.items = [.request(request)]
        let output = OpenAPIExporter.export(exported)
        let json = try ImportSource(path: "a.yaml", bytes: Array(output.text.utf8)).tree().root
        let responses = json["paths"]["/x"]["get"]["responses"]
        let content = responses["200"]["content"]["application/json"]
        #expect(content["example"]["id"].int == 2)
        let schema = content["schema"]
        #expect(schema["properties"]["id"]["type"].string == "number")
        #expect(schema["properties"]["name"]["type"][0].string == "string")
        #expect(schema["properties"]["name"]["type"][1].string == "null")
        #expect(schema["required"].elements.compactMap(\.string) == ["id", "name"])
        #expect(responses["404"]["description"].string == "Not found")
    }
}
