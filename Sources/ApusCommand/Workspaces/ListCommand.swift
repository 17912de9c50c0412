import ArgumentParser
import Documents
import HTTPTypes
import Interchange
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

            --json prints one object: version (1), name, note, environments [{name, description, danger}, …], groups \
            [{name, note}, …], targets [{name, method, request, description, note, file, line}, …], batches [{name, description, targets}, …] and chains [{name, \
            description, steps}, …]; request is as written in the file, description and note may be null.

            Example: apus list shop.apus.yaml --json
            """
    )

    @OptionGroup var workspace: WorkspaceArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        // What a variable's value is does not matter for names.
        let workspace = try Workspace.load(
            path: try workspace.path(),
            resolvingAtMost: 0,
            foreign: WorkspaceImporter()
        )
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
            ("version", 1), ("name", JSON(workspace.name)), ("note", text(workspace.note)),
            ("environments", JSON(workspace.environments.map(json))),
            (
                "groups",
                JSON(
                    workspace.groups.map { group in
                        JSON(members: [("name", JSON(group.id)), ("note", text(group.noteText))])
                    }
                )
            ),
            ("targets", JSON(workspace.targets.map(json))),
            (
                "batches",
                JSON(
                    workspace.batches.map {
                        flow($0.name, $0.summary, "targets", $0.targets.map(\.rawValue))
                    }
                )
            ),
            (
                "chains",
                JSON(
                    workspace.chains.map {
                        flow($0.name, $0.summary, "steps", $0.steps.map(\.name))
                    }
                )
            ),
        ])
    }

    /// A batch or a chain with the names of what it sends.
    private static func flow(
        _ name: String,
        _ summary: String?,
        _ key: String,
        _ names: [String]
    ) -> JSON {
        JSON(members: [
            ("name", JSON(name)), ("description", text(summary)),
            (key, JSON(names.map { JSON($0) })),
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
            ("note", text(target.note)), ("file", JSON(target.location.file)),
            ("line", JSON(target.location.line)),
        ])
    }

    private static func text(_ text: String?) -> JSON { text.map { JSON($0) } ?? .null }
}
