import Interchange

/// The ending of a file's name and, on the next lines, a file of requests as a text.
func fuzzTexts(_ input: [UInt8]) {
    let (ending, text) = parts(input)
    let importers: [String: any Importer.Type] = [
        "http": HTTPFileImporter.self, "hurl": HurlImporter.self, "bru": BrunoImporter.self,
        "sh": CurlImporter.self,
    ]
    guard let importer = importers[ending] else { return }
    let source = { ImportSource(path: "https://example.com/file.\(ending)", bytes: text) }
    guard let first = try? ImportedFile(source(), as: importer) else { return }
    let second = try? ImportedFile(source(), as: importer)
    expect(first.text == second?.text, "the same file gives the same workspace")
}
