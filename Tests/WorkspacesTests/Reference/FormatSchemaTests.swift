import Documents
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

@Suite("The JSON Schema of the workspace format")
struct FormatSchemaTests {
    /// Reads the schema and documents, a line of JSON each; prints for each whether it is valid.
    private static let validator = """
        import json, sys
        from jsonschema import Draft202012Validator
        schema = json.loads(open(sys.argv[1]).read())
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        for line in open(sys.argv[2]):
            fault = next(validator.iter_errors(json.loads(line)), None)
            print("valid" if fault is None else "invalid: " + fault.message[:200].replace("\\n", " "))
        """

    /// What the schema says of workspaces in YAML.
    private func verdicts(on texts: [String]) throws -> [String] {
        let folder = TemporaryFolder()
        try folder.write(Array(FormatSchema.text.utf8), to: "schema.json")
        var lines = ""
        for text in texts {
            let source = SourceText(name: "a.apus.yaml", text: text)
            let node = YAMLReader(source: source, log: ProblemLog()).read()
            lines += node.map { Value($0).json } ?? "null"
            lines += "\n"
        }
        try folder.write(Array(lines.utf8), to: "documents")
        try folder.write(Array(Self.validator.utf8), to: "validate.py")
        let path = folder.path
        try Shell.run(
            "cd '\(path)' && exec python3 validate.py schema.json documents > verdicts"
        )
        let output = try String(contentsOfFile: "\(path)/verdicts", encoding: .utf8)
        return output.split(separator: "\n").map(String.init)
    }

    @Test("takes every example of the table, and of the pages")
    func examples() throws {
        let places = FormatTableTests.places
        let texts =
            places.map {
                FormatDocument.text(
                    of: $0.section,
                    FormatDocument.entries(with: $0.key, in: $0.section)
                )
            }
            + FormatSubject.allCases.map(\.example) + [StarterWorkspace.text(baseURL: "http://h")]
        let verdicts = try verdicts(on: texts)
        #expect(verdicts.count == texts.count)
        for (text, verdict) in zip(texts, verdicts) where verdict != "valid" {
            Issue.record("\(verdict)\n\(text)")
        }
    }

    @Test("refuses what the loader refuses: unknown keys, words, numbers out of range, wrong kinds")
    func wrong() throws {
        var texts: [String] = []
        for section in FormatSection.all where section.id != .group {
            texts.append(FormatDocument.text(of: section.id, ["zzz: 1"]))
        }
        for place in FormatTableTests.places {
            for value in place.key.kind.wrongValues {
                let key = FormatKey(
                    place.key.name,
                    place.key.kind,
                    "",
                    example: "\(place.key.name): \(value)"
                )
                let entries = FormatDocument.entries(with: key, in: place.section)
                texts.append(FormatDocument.text(of: place.section, entries))
            }
        }
        #expect(texts.count > 100)
        let verdicts = try verdicts(on: texts)
        #expect(verdicts.count == texts.count)
        for (text, verdict) in zip(texts, verdicts) {
            #expect(!problems(text).isEmpty, "the loader takes\n\(text)")
            if verdict == "valid" { Issue.record("the schema takes\n\(text)") }
        }
    }
}

extension FormatKind {
    /// Values that it does not take.
    fileprivate var wrongValues: [String] {
        switch self {
        case .boolean: ["maybe", "[]"]
        case .integer(let range): ["\(range.upperBound + 1)", "1.5", "x"]
        case .word: ["zzz", "[]"]
        case .time, .size: ["10", "10 parsecs", "[]"]
        case .text, .template, .path: ["[a]", "{ a: b }"]
        case .list: ["x"]
        case .names, .targets: ["x", "[a]"]
        case .section: ["[[]]", "{ zzz: 1 }"]
        case .value, .null, .requestLine, .form, .either: []
        }
    }
}
