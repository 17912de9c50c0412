import Workspaces

@testable import Interchange

func fuzzPostman(_ input: [UInt8]) { checkImport(input, PostmanImporter.self) }

func fuzzInsomnia(_ input: [UInt8]) { checkImport(input, InsomniaImporter.self) }

func fuzzHTTPArchives(_ input: [UInt8]) { checkImport(input, HARImporter.self) }

/// What a format reads is a workspace that loads, and the same each time.
private func checkImport(_ input: [UInt8], _ importer: any Importer.Type) {
    func read() -> ImportedFile? {
        try? ImportedFile(ImportSource(path: "", bytes: input), as: importer)
    }
    guard let file = read() else { return }
    expect(read()?.text == file.text, "the same file is the same workspace")
    expect((try? Workspace.new(text: file.text, file: "x.apus.yaml")) != nil, "it loads")
}
