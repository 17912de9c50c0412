import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("Exports do what Apus does, and say what they do not")
struct ExportBehaviorTests {
    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// A workspace in a folder, exported to a file of another.
    private static func export(
        _ named: NamedWorkspace,
        as exporter: any Exporter.Type,
        to path: String
    ) async throws -> ExportOutput {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let reader = ExportReader(
            named,
            keepsVariables: exporter.keepsVariables,
            folder: folder
        )
        let output = exporter.export(await reader.read())
        try write(output.text, to: path)
        return output
    }

    @Test(
        "a script finds its files from any folder",
        .enabled(if: ToolTests.hasCurl && ToolTests.hasRequests, "curl or requests is missing"),
        arguments: ["curl", "python"]
    )
    func files(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        let folder = TemporaryFolder()
        for name in ["in", "out", "in/deep"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)",
                withIntermediateDirectories: true
            )
        }
        try Self.write("the bytes", to: "\(folder.path)/in/deep/a.bin")
        let server = try RawServer(RawServer.ok("ok"))
        let text = """
            environments: { test: { baseURL: "http://\(server.authority)" } }
            targets: { Send: { request: POST /x, upload: deep/a.bin } }
            """
        try Self.write(text, to: "\(folder.path)/in/w.apus.yaml")
        let workspace = try Workspace.load(path: "\(folder.path)/in/w.apus.yaml")
        let named = NamedWorkspace(workspace: workspace, environment: "test")
        let command = format == "python" ? "python3" : "sh"
        // Below the script's folder, elsewhere, and written to no file.
        for place in ["in/script", "out/script"] {
            let path = "\(folder.path)/\(place)"
            let output = try await Self.export(named, as: exporter, to: path)
            #expect(output.text.contains("in/deep/a.bin") == (place == "out/script"))
            try Shell.run("cd / && \(command) '\(path)' >/dev/null 2>&1")
        }
        let printed = exporter.export(
            await ExportReader(named, keepsVariables: false).read()
        )
        try Self.write(printed.text, to: "\(folder.path)/printed")
        try Shell.run("cd / && \(command) '\(folder.path)/printed' >/dev/null 2>&1")
        #expect(
            server.received.map { String(decoding: $0.body, as: UTF8.self) }
                == Array(repeating: "the bytes", count: 3)
        )
    }

    @Test(
        "curl takes a redirect as Apus does",
        .enabled(if: ToolTests.hasCurl, "curl is not installed"),
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(_ status: Int) async throws {
        let folder = TemporaryFolder()
        let server = try RawServer { received in
            received.line.contains("/from")
                ? [
                    .send(
                        "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    ), .close,
                ]
                : [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
                    .close,
                ]
        }
        for body in ["json: { a: 1 }", "form: { a: 1 }", "multipart: { a: x }", "body: \"\\0\""] {
            let named = try ExportSamples.named(
                """
                environments: { test: { baseURL: "http://\(server.authority)" } }
                targets: { Send: { request: POST /from, \(body) } }
                """
            )
            let start = server.received.count
            _ = try await AnyProvider(headerFields: [:]).response(
                for: try named.target(named: "Send"),
                from: .server
            )
            let expected = server.received[start...].map(\.line)
            let path = "\(folder.path)/run.sh"
            let output = try await Self.export(named, as: CurlExporter.self, to: path)
            let second = server.received.count
            try Shell.run("sh '\(path)' >/dev/null 2>&1")
            #expect(server.received[second...].map(\.line) == expected, "\(output.text)")
        }
    }

    @Test("what a format has no words for is said", arguments: Exporters.all.map { $0.name })
    func settings(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        let settings = [
            "timeout": "5 s", "connectTimeout": "2 s", "redirects": "3", "trustRedirects": "true",
            "verifyTLS": "false", "caFile": "ca.pem", "clientCertificate": "{ file: me.pem }",
            "unixSocket": "/run/x.sock", "httpVersion": "1.1", "proxy": "http://p.example:1",
            "decode": "false", "maxBody": "1 MB", "trace": "true", "validate": "success",
            "tags": "[a]", "source": "cache",
            "cache": "{ storage: memory }", "sample": "{ status: 200 }", "rows": "[{ a: 1 }]",
        ]
        let carried: [String: Set<String>] = [
            "curl": [
                "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
                "clientCertificate", "unixSocket", "httpVersion", "proxy", "decode", "maxBody",
            ],
            "httpie": [
                "timeout", "redirects", "verifyTLS", "caFile", "clientCertificate", "proxy",
            ],
            "http": ["timeout"],
            "hurl": [
                "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
                "clientCertificate", "unixSocket", "httpVersion", "proxy", "decode",
            ],
            "postman": ["redirects", "verifyTLS"],
            "openapi": [], "message": [],
            "swift": [
                "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
                "unixSocket", "httpVersion", "proxy", "decode", "maxBody", "trace",
            ],
            "python": ["timeout", "verifyTLS", "caFile", "clientCertificate", "proxy"],
        ]
        let known = carried[format] ?? carried["curl"] ?? []
        for (key, value) in settings {
            let base = key == "unixSocket" || key == "proxy" ? "http" : "https"
            let named = try ExportSamples.named(
                """
                targets: { A: { request: "GET \(base)://a.example/", \(key): \(value) } }
                """
            )
            let output = await ExportSamples.export(named, as: exporter)
            #expect(output.losses.isEmpty == known.contains(key), "\(key): \(output.losses)")
            let comments = ["curl", "httpie", "http", "hurl", "python", "markdown"]
            if !known.contains(key), comments.contains(format) {
                #expect(output.text.contains("\(key)`") || output.text.contains("ot carried over"))
            }
        }
    }

    @Test("chains and batches that a format has no words for are said")
    func flows() async throws {
        let named = try ExportSamples.named(
            """
            targets: { A: GET https://a.example/ }
            batches: { Many: [A, A] }
            chains: { One: [{ step: a, target: A }] }
            """
        )
        for exporter in Exporters.all {
            let lost = await ExportSamples.export(named, as: exporter).losses
            let hasChains = ["hurl", "postman"].contains(exporter.name)
            #expect(
                lost.map(\.target) == (hasChains ? ["Many"] : ["One", "Many"]),
                "\(exporter.name)"
            )
        }
    }

    @Test("what a function makes is made by the tool, or said to be fixed")
    func functions() async throws {
        let named = try ExportSamples.named(
            """
            targets: { A: { request: GET https://a.example/, headers: { A: "{{ uuid }}", B: "{{ now }}", C: "{{ now('+1 day', '%Y') }}", D: "{{ random(1, 6) }}", E: "{{ env('API_TOKEN') | sha256 }}" } } }
            """
        )
        let fixed: [String: Set<String>] = [
            "curl": [], "httpie": [], "markdown": [], "http": ["now", "sha256"],
            "hurl": ["now", "random", "sha256"], "python": ["now"],
            "swift": ["now", "random", "sha256"],
        ]
        for (format, names) in fixed {
            let exporter = try #require(Exporters.named(format))
            let output = await ExportSamples.export(named, as: exporter)
            let lost = Set(
                output.losses.map { $0.loss.kind.split(separator: "`").last.map(String.init) ?? "" }
            )
            #expect(lost == names, "\(format): \(output.losses)")
        }
    }

    @Test("each variable of a collection is declared")
    func declared() async throws {
        let sample = try ExportedSample(
            """
            variables: { host: login.example, secret: { env: S }, scope: read, pin: { ask: PIN } }
            environments: { one: { baseURL: "https://a.example" }, two: { baseURL: "https://b.example" } }
            targets:
              A:
                request: GET /a
                headers: { D: "{{ secret | sha256 }}", E: "\\\\{{ braces }}" }
                auth: { oauth2: { grant: password, tokenURL: "https://{{ host }}/t", clientID: "{{ secret }}", clientSecret: lit-er-al-secret, username: ada, password: "{{ pin }}", scope: ["{{ scope }}"] } }
                expect: { json: { $.a: "{{ scope }}", $.token: lit-er-al-token } }
            """
        )
        let output = await sample.exported(PostmanExporter.self)
        let json = try JSON(parsing: output.text)
        let names = Set(json["variable"].elements.compactMap { $0["key"].string })
        var used: Set<String> = []
        for part in output.text.ranges(of: "{{") {
            let name = output.text[part.upperBound...].prefix { $0 != "}" }
            if !name.hasPrefix("$"), !name.contains("\"") { used.insert(String(name)) }
        }
        #expect(used.isSubset(of: names), "\(used.subtracting(names))")
        #expect(used.count >= 4)
        #expect(names.contains("pin") && names.contains("secret_sha256"))
    }

    @Test("files beside an export never have one name")
    func names() async throws {
        let named = try ExportSamples.named(
            """
            environments: { ü: { variables: { a: x } }, ö: { variables: { a: y } }, Ö: { variables: { a: z } } }
            targets: { A: "GET https://a.example/{{ a }}" }
            chains: { "A b": [{ step: a, target: A }], "a-B": [{ step: a, target: A }] }
            """
        )
        for exporter in [HurlExporter.self, PostmanExporter.self] as [any Exporter.Type] {
            let reader = ExportReader(named, keepsVariables: true, folder: "/nowhere")
            let files = exporter.export(await reader.read()).files.map { $0.name.lowercased() }
            #expect(files.count >= 3)
            #expect(Set(files).count == files.count, "\(files)")
        }
    }

    @Test("a value of hurl reads as what it is")
    func hurl() async throws {
        let named = try ExportSamples.named(
            #"""
            variables: { a: "x # y", b: "\"q\"", c: "1 {{ d }}", d: z }
            targets:
              A: { request: POST https://a.example/, headers: { A: "{{ a }}", B: "{{ b }}", C: "{{ c }}", Content-Type: text/plain }, body: "# `x` \\ {{ d }}" }
              List: { request: POST https://a.example/, json: [true] }
            """#
        )
        let output = await ExportSamples.export(named, as: HurlExporter.self)
        #expect(output.text.contains(##"variable: a="x \# y""##), "\(output.text)")
        #expect(output.text.contains(#"variable: b="\"q\"""#))
        #expect(output.text.contains(#"variable: c="1 {{d}}""#))
        #expect(output.text.contains(##"`\# \`x\` \\ {{d}}`"##))
        #expect(output.text.contains("`[true]`"))
        let (d, c) = (
            output.text.firstRange(of: "variable: d="), output.text.firstRange(of: "variable: c=")
        )
        #expect((d?.lowerBound ?? output.text.endIndex) < (c?.lowerBound ?? output.text.startIndex))
    }
}
