import Interchange

/// A description in OpenAPI or Swagger: what is read of it is a workspace that loads.
func fuzzOpenAPI(_ input: [UInt8]) {
    let source = ImportSource(path: "openapi.yaml", bytes: input)
    let file: ImportedFile
    do throws(ImportError) {
        file = try ImportedFile(source, as: OpenAPIImporter.self)
    } catch {
        return expect(!error.description.isEmpty, "what is wrong is said")
    }
    let again = try? ImportedFile(
        ImportSource(path: "openapi.yaml", bytes: input),
        as: OpenAPIImporter.self
    )
    expect(again?.text == file.text, "the same input gives the same workspace")
}
