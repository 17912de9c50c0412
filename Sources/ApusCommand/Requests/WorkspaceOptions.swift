import ArgumentParser
import Glibc
import Workspaces

/// Which workspace, in which environment, with which values.
struct WorkspaceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "A workspace file, or a folder of *.apus.yaml files. Default: this folder.",
        completion: .file(extensions: ["yaml"])
    )
    var workspace: String?

    @Option(name: .shortAndLong, help: "An environment's name. Default: the first.")
    var environment: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A variable's value, over all that the workspace says. May be given again.",
            valueName: "name=value"
        )
    )
    var values: [String] = []

    func validate() throws {
        if let wrong = values.first(where: { !$0.contains("=") || $0.first == "=" }) {
            throw ValidationError("--set takes name=value, not “\(wrong)”.")
        }
    }

    /// Reads the workspace.
    func load() throws -> NamedWorkspace {
        let path = workspace ?? "."
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        let loaded: Workspace
        do throws(WorkspaceError) {
            // Given, so that the files may use names that only the command line has.
            loaded = try Workspace.load(path: path, given: assignments)
                .setting(values: assignments.mapValues { Value.string($0) })
        } catch {
            throw CommandFailure(error.description)
        }
        let names = loaded.environments.map(\.name)
        guard let environment else {
            return NamedWorkspace(workspace: loaded, environment: names.first ?? "")
        }
        guard names.contains(environment) else {
            throw CommandFailure(
                WorkspaceFault(named: environment, kind: "environment", among: names).line
            )
        }
        return NamedWorkspace(workspace: loaded, environment: environment)
    }

    /// Whether there is a workspace, and a target in it of that name.
    ///
    /// One that was not asked for and cannot be read is none.
    func knowsTarget(named name: String) throws -> Bool {
        guard workspace != nil else { return (try? load())?.hasTarget(named: name) ?? false }
        return try load().hasTarget(named: name)
    }

    private var assignments: [String: String] {
        let pairs = values.map { assignment in
            let parts = assignment.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (String(parts[0]), String(parts[1]))
        }
        return Dictionary(pairs) { $1 }
    }
}
