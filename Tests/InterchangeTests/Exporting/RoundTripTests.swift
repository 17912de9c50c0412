import Apus
import HTTPTypes
import Interchange
import TestSupport
import Testing
import Workspaces

/// What is exported is imported again to the same requests.
@Suite("Exports are read again")
struct RoundTripTests {
    @Test("a file of requests gives the same requests", arguments: ["http", "hurl", "curl"])
    func roundTrip(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        let named = try ExportSamples.workspace("127.0.0.1:8080", "/files")
        // What the format cannot have is said, and not compared.
        let reader = ExportReader(named, keepsVariables: exporter.keepsVariables)
        let output = exporter.export(await reader.read())
        let lost = Set(output.losses.map(\.target))
        #expect(lost.count < named.workspace.targets.count / 4, "\(output.losses)")
        for secret in ExportSamples.values.values {
            #expect(!output.text.contains(secret))
        }
        let provider = AnyProvider(headerFields: [:])
        // The reader of command lines reads no pipes (which a form needs whose names have a `=`), takes ``` for
        // Markdown, and braces for a variable.
        let unread: Set<String> =
            format == "curl" ? ["controls", "windows", "fence", "braces", "names"] : []
        for definition in named.workspace.targets
        where !lost.contains(definition.id.rawValue)
            && !unread.contains(String(definition.id.rawValue.prefix { $0 != "/" }))
        {
            let text = exporter.export(await reader.read { $0 == definition.id }).text
            let source = ImportSource(
                path: "again.\(exporter.fileExtension)",
                bytes: Array(text.utf8)
            )
            let file: ImportedFile
            do {
                file = try ImportedFile(source)
            } catch {
                Issue.record("\(definition.id): \(error)\n\(text)")
                continue
            }
            let again = try Workspace.parse(text: file.text, file: "again.apus.yaml")
            let values = ExportSamples.environment.merging(ExportSamples.values) { $1 }
            let known = again.setting(values: values.mapValues { .string($0) })
            guard let target = again.targets.first, again.targets.count == 1 else {
                Issue.record(
                    "\(definition.id): \(again.targets.count) targets\n\(text)\n\(file.text)"
                )
                continue
            }
            do {
                let expected = try await provider.preparedRequest(
                    for: try named.target(named: definition.id.rawValue)
                )
                let found = try await provider.preparedRequest(
                    for: try known.resolve(target, in: known.environments[0].name)
                )
                let (a, b) = (Self.text(of: expected), Self.text(of: found))
                #expect(
                    a == b,
                    "\(definition.id)\n\(a)\n---\n\(b)\n---\n\(text)\n---\n\(file.text)"
                )
            } catch {
                Issue.record("\(definition.id): \(error)\n\(text)\n\(file.text)")
            }
        }
    }

    private static func text(of request: PreparedRequest) -> String {
        var boundary: String?
        let body: String
        switch request.body {
        case .none: body = ""
        case .bytes(let bytes): body = String(decoding: bytes, as: UTF8.self)
        case .file(let path): body = "file \(path)"
        case .multipart(let form):
            boundary = form.boundary
            body = String(decoding: form.outline, as: UTF8.self)
        case .stream: body = "stream"
        }
        let fields = request.head.headerFields.map { "\($0.name.canonicalName): \($0.value)" }
            .sorted()
        let text =
            "\(request.head.method.rawValue) \(request.url)\n\(fields.joined(separator: "\n"))\n\n\(body)"
        return boundary.map { text.replacing($0, with: "BOUNDARY") } ?? text
    }
}
