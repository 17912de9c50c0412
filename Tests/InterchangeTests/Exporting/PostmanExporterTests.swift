import Apus
import Documents
import FoundationEssentials
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("Export as a Postman collection")
struct PostmanExporterTests {
    /// What is imported from an export, with the environments beside it.
    private func imported(_ output: ExportOutput) throws -> ExportedSample {
        let folder = TemporaryFolder()
        try write(output.text, to: "\(folder.path)/shop.postman_collection.json")
        for file in output.files { try write(file.text, to: "\(folder.path)/\(file.name)") }
        let source = try #require(
            ImportSource(at: "\(folder.path)/shop.postman_collection.json")
        )
        return try ExportedSample(try ImportedFile(source).text)
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test("an export is imported again as the same requests, in each environment")
    func roundTrip() async throws {
        let sample = try ExportedSample()
        let output = await sample.exported(PostmanExporter.self)
        let again = try imported(output)
        for environment in ["local", "live"] {
            let before = try await sample.requests(in: environment)
            let after = try await again.requests(in: environment)
            for (id, request) in before { #expect(after[id] == request, "\(id) in \(environment)") }
            #expect(after.count == before.count)
        }
        #expect(output.losses.isEmpty, "\(output.losses)")
    }

    @Test("expectations are tests that are expectations again")
    func expectations() async throws {
        let sample = try ExportedSample()
        let again = try imported(await sample.exported(PostmanExporter.self))
        func words(_ sample: ExportedSample) throws -> [String] {
            let target = try #require(sample.workspace.definition(TargetID("Users/Create")))
            return try sample.workspace.resolve(target, in: "local").expectations
                .map(\.description)
        }
        let before = try words(sample)
        #expect(before.count == 4)
        #expect(try words(again).sorted() == before.sorted())
    }

    @Test("secrets are variables of the type secret, and stand nowhere in clear")
    func secrets() async throws {
        let output = await (try ExportedSample()).exported(PostmanExporter.self)
        #expect(!output.text.contains("s3cr3t"))
        let json = try JSON(parsing: output.text)
        let token = json["variable"].elements.first { $0["key"].string == "token" }
        #expect(token?["type"].string == "secret")
        #expect(token?["value"].string == "")
        #expect(
            output.files.map(\.name).sorted() == [
                "live.postman_environment.json", "local.postman_environment.json",
            ]
        )
    }

    @Test("a value of a response is set by the script of its target")
    func captures() async throws {
        let sample = try ExportedSample(
            """
            variables: { session: { from: Login, capture: "$.session['the id']" } }
            targets:
              Login: POST https://a.example/login
              Show: "GET https://a.example/{{ session }}"
            """
        )
        let output = await sample.exported(PostmanExporter.self)
        #expect(
            output.text.contains(
                #"pm.environment.set(\"session\", pm.response.json().session[\"the id\"]);"#
            )
        )
        let again = try imported(output)
        let name = again.workspace.environments[0].name
        guard case .response(let target, _) = again.workspace.source(of: "session", in: name) else {
            Issue.record("session is no value of a response")
            return
        }
        #expect(target.rawValue == "Login")
    }
}
