import FoundationEssentials
import Interchange
import Testing

@Suite("Export as Swift")
struct SwiftExporterTests {
    /// What a stranger's package compiles in both modes, and sends from.
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Consumer/Articles/ExportedShop.swift").path

    @Test("the file of the consumer's package is what is written now; RECORD_SNAPSHOTS=1 writes it")
    func consumer() async throws {
        let output = await (try ExportedSample()).exported(SwiftExporter.self)
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try output.text.write(toFile: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(output.text == (try String(contentsOfFile: Self.file, encoding: .utf8)))
        #expect(!output.text.contains("s3cr3t"))
        #expect(
            output.losses.map(\.target).filter { $0.hasPrefix("Auth/") }.sorted() == [
                "Auth/AWS", "Auth/OAuth",
            ]
        )
    }

    @Test(
        "names are Swift's",
        arguments: [
            ("Users/Show all", "usersShowAll"), ("URL of it", "urlOfIt"), ("class", "class"),
            ("7 days", "_7Days"), ("🐦", "request"), ("Größe ändern", "größeÄndern"),
            ("GET /a", "getA"), ("self", "selfValue"), ("init", "initValue"), ("Type", "typeValue"),
        ]
    )
    func names(_ text: String, _ name: String) async throws {
        let sample = try ExportedSample(
            "targets: { \"\(text.replacing("/", with: " "))\": GET https://a.example/ }"
        )
        let output = await sample.exported(SwiftExporter.self)
        let shown = name == "class" ? "`class`" : name
        #expect(output.text.contains("    case \(shown)\n"), "\(output.text)")
    }

    @Test("the enum has no name that the file uses", arguments: ["string", "URL", "Self", "data"])
    func types(_ name: String) async throws {
        let sample = try ExportedSample(
            "name: \(name)\ntargets: { A: GET https://a.example/ }"
        )
        let output = await sample.exported(SwiftExporter.self)
        let type = name.prefix(1).uppercased() + name.dropFirst()
        #expect(output.text.contains("enum \(type)API: TargetType {"), "\(output.text)")
    }

    @Test("targets of one name are numbered, and no case is named as a property")
    func collisions() async throws {
        let sample = try ExportedSample(
            """
            targets: { a b: GET https://a.example/1, A-B: GET https://a.example/2, path: GET https://a.example/3 }
            """
        )
        let output = await sample.exported(SwiftExporter.self)
        for name in ["aB", "aB2", "path2"] {
            #expect(output.text.contains("    case \(name)\n"))
        }
    }
}
