import ArgumentParser
import Glibc
import Interchange
import Workspaces

/// The workspace that a command is about.
struct WorkspaceArgument: ParsableArguments {
    @Argument(
        help:
            "A workspace file, a folder of *.apus.yaml files, or what `apus import` reads (default: this folder).",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    /// The path of the file or folder.
    ///
    /// - Throws: `CommandError` if nothing can be read there.
    func path() throws(CommandError) -> String {
        let path = file ?? "."
        guard access(path, R_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        return path
    }
}

/// Whether a command, or the explorer, takes samples for responses.
struct SampleOptions: ParsableArguments {
    @Flag(help: "Answer targets that have a `sample` with it, without their server.")
    var stubs = false
}

/// The workspace, the environment and the values to use.
struct WorkspaceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help:
            "A workspace file, a folder of *.apus.yaml files, or what `apus import` reads. Default: this folder.",
        completion: .file(extensions: ["yaml"])
    )
    var workspace: String?

    @Option(
        name: .shortAndLong,
        help: "An environment's name. Default: the first.",
        completion: WorkspaceCompletions.environments
    )
    var environment: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A variable's value; it overrides the workspace. Can be repeated.",
            valueName: "name=value"
        ),
        completion: WorkspaceCompletions.variables
    )
    var values: [String] = []

    @Flag(
        help: """
            Let the commands of the workspace run that give values, now and from then on, as long as they stay \
            the same.
            """
    )
    var trust = false

    func validate() throws {
        // The argument may be a secret, so it is not repeated.
        if values.contains(where: { !$0.contains("=") || $0.first == "=" }) {
            throw ValidationError("--set takes name=value; one of them has no name or no “=”.")
        }
    }

    /// Reads the workspace.
    func load(_ samples: SampleOptions? = nil) throws(WorkspaceError) -> NamedWorkspace {
        var choice = choice
        choice.usesSamples = samples?.stubs ?? false
        return try choice.load()
    }

    /// What the options say of the workspace.
    var choice: WorkspaceChoice {
        let pairs = values.map { assignment in
            let parts = assignment.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (String(parts[0]), String(parts[1]))
        }
        return WorkspaceChoice(
            path: workspace,
            environment: environment,
            values: Dictionary(pairs) { $1 },
            trustsCommands: trust,
            foreign: WorkspaceImporter()
        )
    }
}
