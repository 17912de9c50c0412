import ArgumentParser
import Documents
import Glibc
import HTTPTypes
import Workspaces

/// `apus list`: names everything in a workspace.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        _superCommandName: "apus",
        abstract: "List the targets, batches, chains and environments of a workspace.",
        discussion: """
            Each line has a kind and a name, as `apus send`, `batch` and `chain` take it, and for a target its method and \
            path.

            --json prints one object: version (1), name, environments [{name, description, danger}, …], targets [{name, \
            method, request, description, file, line}, …], batches [{name, description, targets}, …] and chains [{name, \
            description, steps}, …]; request is as written in the file, description may be null.

            Example: apus list shop.apus.yaml --json
            """
    )

    @Argument(
        help: "A workspace file, or a folder of *.apus.yaml files (default: this folder).",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let path = file ?? "."
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        let workspace = try WorkspaceFault.wrapping { () throws(WorkspaceError) in
            try Workspace.load(path: path)
        }
        try StandardOutput.print(
            asJSON: json,
            Self.json(of: workspace),
            or: Self.lines(of: workspace)
        )
    }

    private static func lines(of workspace: Workspace) -> [String] {
        let targets = workspace.targets.map { target in
            (["target", target.id.rawValue], "\(target.method.rawValue) \(target.requestText)")
        }
        let batches = workspace.batches.map { (["batch", $0.name], $0.summary ?? "") }
        let chains = workspace.chains.map { (["chain", $0.name], $0.summary ?? "") }
        let environments = workspace.environments.map {
            (["environment", $0.name], $0.summary ?? "")
        }
        let all = targets + batches + chains + environments
        return AlignedColumns.lines(all.map(\.0), endingWith: all.map(\.1))
    }

    private static func json(of workspace: Workspace) -> JSON {
        JSON(members: [
            ("version", 1), ("name", JSON(workspace.name)),
            ("environments", JSON(workspace.environments.map(json))),
            ("targets", JSON(workspace.targets.map(json))),
            (
                "batches",
                JSON(
                    workspace.batches.map { batch in
                        JSON(members: [
                            ("name", JSON(batch.name)), ("description", text(batch.summary)),
                            ("targets", JSON(batch.targets.map { JSON($0.rawValue) })),
                        ])
                    }
                )
            ),
            (
                "chains",
                JSON(
                    workspace.chains.map { chain in
                        JSON(members: [
                            ("name", JSON(chain.name)), ("description", text(chain.summary)),
                            ("steps", JSON(chain.steps.map { JSON($0.name) })),
                        ])
                    }
                )
            ),
        ])
    }

    private static func json(_ environment: Environment) -> JSON {
        JSON(members: [
            ("name", JSON(environment.name)), ("description", text(environment.summary)),
            ("danger", JSON(environment.isDangerous)),
        ])
    }

    private static func json(_ target: TargetDefinition) -> JSON {
        JSON(members: [
            ("name", JSON(target.id.rawValue)), ("method", JSON(target.method.rawValue)),
            ("request", JSON(target.requestText)), ("description", text(target.summary)),
            ("file", JSON(target.location.file)), ("line", JSON(target.location.line)),
        ])
    }

    private static func text(_ text: String?) -> JSON { text.map { JSON($0) } ?? .null }
}
