import ArgumentParser
import Explorer
import Glibc
import Workspaces

/// `apus init`: writes a small workspace to begin with.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        _superCommandName: "apus",
        abstract:
            "Write a small commented workspace to begin with, and the schema that editors check it by.",
        discussion: """
            Nothing that is there is changed. Without FILE the workspace is named after this folder. Its requests go to \
            the server that --url names.

            Examples:
              apus init
              apus init shop.apus.yaml --url https://shop.example/api
            """
    )

    @Argument(
        help: "The file to write, such as shop.apus.yaml.",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    @Option(help: "The server's URL. Default: http://localhost:8080.")
    var url = "http://localhost:8080"

    func run() throws {
        let path = CatalogNewFile.fileName(file ?? NewWorkspaceFile(in: ".").path)
        let text = StarterWorkspace.text(baseURL: url)
        let schema = StarterWorkspace.schemaPath(beside: path)
        let hadSchema = access(schema, F_OK) == 0
        try Workspace.new(text: text, file: path).save()
        var lines = [
            "\(path) is written. `apus \(path)` opens it, `apus help workspace` explains it."
        ]
        if !hadSchema, access(schema, F_OK) == 0 {
            lines.append("\(schema) is for your editor.")
        }
        try StandardOutput.print(lines.joined(separator: "\n"))
    }
}
