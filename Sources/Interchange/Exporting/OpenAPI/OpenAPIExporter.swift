import Workspaces

/// Writes an OpenAPI description (3.1, YAML) of the targets, with what was recorded of their responses.
package enum OpenAPIExporter: Exporter {
    package static let name = "openapi"
    package static let abstract =
        "an OpenAPI 3.1 description, with the responses that were recorded"
    package static let fileExtension = "openapi.yaml"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        var writer = OpenAPIWriter(workspace)
        let document = writer.document()
        let lines = YAMLWriter(blockLevels: 64).members(document, indent: 0)
        return ExportOutput(text: lines.joined(separator: "\n") + "\n", losses: writer.losses)
    }
}
