import ArgumentParser
import Workspaces

/// `apus schema`: prints the JSON Schema of a workspace file.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        _superCommandName: "apus",
        abstract: "Print the JSON Schema of a workspace file, for editors.",
        discussion: """
            With it an editor completes the keys of a workspace, explains them and marks mistakes. Keep it beside the \
            workspace, whose first line names it:

              apus schema > workspace.schema.json
              # yaml-language-server: $schema=workspace.schema.json

            `apus init` does both. It is JSON Schema draft 2020-12.
            """
    )

    func run() throws { try StandardOutput.print(FormatSchema.text) }
}
