import Interchange
import Testing

/// Files that are not quite what their formats say, as editors and old programs write them.
struct LooseTextTests {
    private static let json = """
        { "openapi": "3.0.0", "info": { "title": "Café – x" },
          "paths": { "/a": { "get": { "summary": "One // \\"two\\" /* three */" } } } }
        """
    private static let yaml = "openapi: 3.0.0\npaths:\n\t/a:\n\t\tget:\n\t\t\tsummary: One\n"

    private func read(_ bytes: [UInt8]) throws -> ImportedFile {
        try ImportedFile(ImportSource(path: "openapi", bytes: bytes))
    }

    private static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isLittle ? bytes.reversed() : bytes
        }
    }

    @Test(
        "UTF-16 is read, with a byte order mark and without",
        arguments: [
            utf16("\u{FEFF}" + json, isLittle: true), utf16("\u{FEFF}" + json, isLittle: false),
            utf16(json, isLittle: true), utf16(json, isLittle: false),
        ]
    )
    func wide(bytes: [UInt8]) throws {
        let file = try read(bytes)
        #expect(file.text.contains("name: Café – x"))
        #expect(file.targetCount == 1)
        #expect(file.losses.isEmpty)
    }

    @Test("what is not in UTF-8 is read as Windows-1252, and that is said")
    func narrow() throws {
        let bytes = Self.json.unicodeScalars.map { scalar -> UInt8 in
            scalar == "–" ? 0x96 : UInt8(exactly: scalar.value) ?? 0x3F
        }
        let file = try read(bytes)
        #expect(file.text.contains("name: Café – x"))
        #expect(file.losses.map(\.loss.kind) == ["an encoding"])
    }

    @Test("comments in JSON are kept as losses with their lines, and trailing commas go")
    func comments() throws {
        let text =
            Self.json.replacing("  \"paths\"", with: "// first\n/* second\nthird */ \"paths\"")
            .replacing("} } }", with: "}, }, }, // last")
            + "\n}"
        let file = try read(Array(text.utf8))
        #expect(file.text.contains("three *"))
        #expect(file.losses.map(\.loss.text) == ["// first", "/* second\nthird */", "// last }"])
        #expect(file.losses.map(\.loss.line) == [2, 3, 4])
    }

    @Test("YAML that is indented by tabs alone is read, and that is said")
    func tabs() throws {
        let file = try read(Array(Self.yaml.utf8))
        #expect(file.text.contains("One: GET /a"))
        #expect(file.losses.map(\.loss.kind) == ["tabs as indentation"])
    }

    @Test("tabs among blanks are refused with their line")
    func mixed() throws {
        let text = Self.yaml.replacing("\n\t/a", with: "\n  /a")
        let error = try #require(throws: ImportError.self) { try read(Array(text.utf8)) }
        #expect(error.description.hasPrefix("openapi:4:"))
    }
}
