import Apus
import Documents
import FoundationEssentials
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("Texts of a workspace are no code of an export")
struct ExportInjectionTests {
    /// What would run as a command, and what would begin a line.
    private static func hostile(_ folder: String) -> String {
        let touch = "touch \(folder)/pwned"
        return [
            "x", "PWNED\r\nPWNED\rPWNED\u{85}PWNED\u{2028}PWNED\u{0B}PWNED",
            "$(\(touch)) `\(touch)` \"\u{301}; \(touch); \"; \(touch); ' # }}\"\u{301}\'\'\'",
            "PWNED", "### PWNED", "> {% PWNED %}", "<script>PWNED</script>",
        ].joined(separator: "\n")
    }

    private static func text(_ folder: String) -> String {
        let hostile = Value.string(hostile(folder)).json
        return """
            name: \(hostile)
            note: \(hostile)
            variables:
              evil: { env: "X}; touch \(folder)/pwned; #" }
              quoted: { env: "\\"; touch \(folder)/pwned; \\"" }
              asked: { ask: \(hostile), secret: true }
              printed: { command: \(hostile) }
              several: "one\\nPWNED=1\\n### PWNED"
            environments:
              "test/../\\nPWNED $(touch \(folder)/pwned) \\"": { baseURL: "http://127.0.0.1:9", variables: { user: a } }
              other: { baseURL: "http://127.0.0.1:9", variables: { user: b } }
            targets:
              "group PWNED":
                note: \(hostile)
                One:
                  request: POST /x
                  description: \(hostile)
                  note: \(hostile)
                  headers: { A: "{{ evil }}", B: "{{ quoted }}", C: "{{ asked }}", D: "{{ printed }}", Content-Type: text/plain }
                  body: \(hostile)
                  expect: { json: { $.a: \(hostile), $.b: { matches: "a/*b" } }, body: { contains: \(hostile) } }
                Two:
                  request: "POST /y?s={{ several | url }}&u={{ user }}"
                  multipart: { a: \(hostile) }
                  auth: { custom: { command: \(hostile) } }
                Three: { request: POST /z, form: { a: \(hostile), "b\\nPWNED": c } }
                Four: { request: GET /z, auth: { digest: { user: \(hostile), password: \(hostile) } } }
                Five: { request: "GET /z/{{ several }}" }
            """
    }

    private static func outputs(
        _ exporter: any Exporter.Type,
        _ folder: String
    ) async throws -> [ExportOutput] {
        let named = try ExportSamples.named(text(folder))
        var outputs: [ExportOutput] = []
        for place in [nil, folder] {
            let reader = ExportReader(
                named,
                keepsVariables: exporter.keepsVariables,
                folder: place
            )
            outputs.append(exporter.export(await reader.read()))
        }
        return outputs
    }

    @Test(
        "no text begins a line",
        arguments: ["curl", "httpie", "python", "swift", "http", "hurl", "postman"]
    )
    func lines(_ format: String) async throws {
        let exporter = try #require(Exporters.named(format))
        for output in try await Self.outputs(exporter, "/nowhere") {
            let files = output.files.filter { !$0.name.hasSuffix(".body") }
            for text in [output.text] + files.map(\.text) {
                // What a program takes for the end of a line, and not Unicode's.
                for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
                    let start = line.drop { $0 == 0x20 || $0 == 0x09 }
                    for word in ["PWNED", "### PWNED", "> {%", "<script"] {
                        #expect(
                            !start.starts(with: word.utf8),
                            "\(String(decoding: line, as: UTF8.self))"
                        )
                    }
                }
            }
        }
    }

    @Test("a page has no tags and no open block of code")
    func markdown() async throws {
        let named = try ExportSamples.named(
            """
            note: "a <b>x</b> <!-- c -->\\n```sh\\n<kept>"
            targets: { A: { request: GET https://a.example/, note: "<script>x</script>\\n\\n[x](javascript:alert(1)) <https://ok.example>" } }
            """
        )
        let text = await ExportSamples.export(named, as: MarkdownExporter.self).text
        #expect(!text.contains("<script"))
        #expect(!text.contains("<!--"))
        #expect(!text.contains("[x](javascript") || text.contains("\\[x](javascript"))
        #expect(text.contains("<https://ok.example>"))
        #expect(text.contains("```sh\n<kept>\n```\n"))
    }

    @Test("scripts run none of it", arguments: ["curl", "httpie", "python"])
    func scripts(_ format: String) async throws {
        let folder = TemporaryFolder()
        let exporter = try #require(Exporters.named(format))
        for output in try await Self.outputs(exporter, folder.path) {
            let file = "\(folder.path)/run"
            try Data(output.text.utf8).write(to: URL(filePath: file))
            let command = format == "python" ? "python3" : "sh"
            // Nothing listens there, so that it fails, but not by its syntax.
            let names = ["X_TOUCH", "TOUCH", "ASKED", "PRINTED", "SEVERAL", "AUTHORIZATION"]
            let variables = names.map { "export \($0)=x" }.joined(separator: "; ")
            let checking =
                format == "python" ? "python3 -m py_compile '\(file)'" : "sh -n '\(file)'"
            try Shell.run(checking)
            try Shell.run(
                "\(variables); cd '\(folder.path)'; \(command) '\(file)' >/dev/null 2>&1 </dev/null || true"
            )
            #expect(
                !FileManager.default.fileExists(atPath: "\(folder.path)/pwned"),
                "\(output.text)"
            )
        }
    }

    @Test("names that clash or mean something to a shell are others")
    func names() async throws {
        let named = try ExportSamples.named(
            """
            variables:
              path: { file: /a }
              user: { ask: Who }
              api_key: { env: OTHER }
              apiKey: { command: x }
              other: { file: /b }
              home: { env: HOME }
            targets:
              A: { request: GET https://a.example/, headers: { A: "{{ path }}", B: "{{ user }}", C: "{{ api_key }}", D: "{{ apiKey }}", E: "{{ other }}", F: "{{ home }}", G: "{{ env('API_KEY') }}" } }
            """
        )
        let text = await ExportSamples.export(named, as: CurlExporter.self).text
        let names = ["A": "PATH_VALUE", "B": "USER_VALUE", "C": "OTHER", "D": "API_KEY_2"]
            .merging(["E": "OTHER_2", "F": "HOME", "G": "API_KEY"]) { $1 }
        for (field, name) in names {
            #expect(text.contains("--header '\(field): '\"$\(name)\""), "\(text)")
        }
    }
}
