import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Interchange
import TestSupport
import Testing
import Workspaces

/// What the tools send of an export is what apus sends.
@Suite("Exports run in their tools", .serialized)
struct ToolTests {
    static let hasCurl = has("curl --version")
    static let hasHTTPie = has("http --version")
    static let hasRequests = has("python3 -c 'import requests'")

    private static func has(_ command: String) -> Bool {
        (try? Shell.run(command)) != nil
    }

    @Test("curl sends the same bytes", .enabled(if: hasCurl, "curl is not installed"))
    func curl() async throws {
        try await compare(CurlExporter.self) { "sh '\($0)'" }
    }

    @Test(
        "HTTPie sends the same bytes",
        .enabled(if: hasHTTPie, "HTTPie is not installed (pip install httpie)")
    )
    func httpie() async throws {
        // It sends `Host` of its own, and reads no configuration of whoever runs the test.
        try await compare(HTTPieExporter.self, isSlow: true) {
            "HTTPIE_CONFIG_DIR=/nonexistent sh '\($0)'"
        }
    }

    @Test(
        "requests sends the same bytes",
        .enabled(if: hasRequests, "requests is not installed (pip install requests)")
    )
    func python() async throws {
        try await compare(PythonExporter.self) { "python3 '\($0)'" }
    }

    private func compare(
        _ exporter: any Exporter.Type,
        isSlow: Bool = false,
        _ command: (String) -> String
    ) async throws {
        let folder = TemporaryFolder()
        try Data([0x89, 0x50, 0, 0xFF, 10, 13]).write(to: URL(filePath: folder.path + "/ada.png"))
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
            .close
        )
        let named = try ExportSamples.workspace(server.authority, folder.path)
        let provider = AnyProvider(headerFields: [:])
        var ids = named.workspace.targets.map(\.id)
        // A start of HTTPie takes half a second.
        if isSlow {
            ids = ids.enumerated().filter { $0.offset < 6 || $0.offset % 2 == 0 }.map(\.element)
        }
        let variables = ExportSamples.environment.map { "export \($0)='\($1)'" }.joined(
            separator: "; "
        )
        for id in ids {
            let target = try named.target(named: id.rawValue)
            _ = try await provider.response(for: target, from: .server)
            let expected = try #require(server.received.last)
            let reader = ExportReader(named, keepsVariables: exporter.keepsVariables)
            let output = exporter.export(await reader.read { $0 == id })
            for secret in ExportSamples.environment.values {
                #expect(!output.text.contains(secret), "\(id): \(output.text)")
            }
            let file = "\(folder.path)/run.\(exporter.fileExtension)"
            try Data(output.text.utf8).write(to: URL(filePath: file))
            let count = server.received.count
            do {
                try Shell.run("\(variables); \(command(file))")
            } catch {
                Issue.record("\(id) does not run: \(error)\n\(output.text)")
            }
            guard server.received.count == count + 1, let sent = server.received.last else {
                Issue.record("\(id) sent \(server.received.count - count) requests\n\(output.text)")
                continue
            }
            // What the tool changes of it is said.
            guard output.losses.isEmpty else { continue }
            let (a, b) = (ComparableRequest(expected), ComparableRequest(sent))
            #expect(a == b, "\(id)\n\(a)\n---\n\(b)\n---\n\(output.text)")
        }
    }
}
