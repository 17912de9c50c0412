import Apus
import ArgumentParser
import Documents
import Glibc
import Secrets
import Workspaces

/// The workspace that a command is about.
struct WorkspaceArgument: ParsableArguments {
    @Argument(
        help: "A workspace file, or a folder of *.apus.yaml files (default: this folder).",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    /// The path of the file or folder, which is there.
    func path() throws(CommandFailure) -> String { try Self.readable(file ?? ".") }

    /// The path itself.
    ///
    /// - Throws: `CommandFailure` if nothing can be read there.
    static func readable(_ path: String) throws(CommandFailure) -> String {
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        return path
    }
}

/// The workspace, the environment and the values to use.
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
            "A variable's value; it overrides the workspace. Can be repeated.",
            valueName: "name=value"
        )
    )
    var values: [String] = []

    func validate() throws {
        // The argument may be a secret, so it is not repeated.
        if values.contains(where: { !$0.contains("=") || $0.first == "=" }) {
            throw ValidationError("--set takes name=value; one of them has no name or no “=”.")
        }
    }

    /// Reads the workspace.
    func load() throws -> NamedWorkspace {
        let path = try WorkspaceArgument.readable(workspace ?? ".")
        // Also given to the loader, so that the files may use names that only the command line sets.
        let loaded = try WorkspaceFault.wrapping { () throws(WorkspaceError) in
            try Workspace.load(path: path, given: assignments)
                .setting(values: assignments.mapValues { Value.string($0) })
        }
        try checkNames(of: loaded)
        let names = loaded.environments.map(\.name)
        guard let environment else {
            return NamedWorkspace(workspace: loaded, environment: names.first ?? "")
        }
        guard names.contains(environment) else {
            throw WorkspaceFault(named: environment, kind: "environment", among: names)
        }
        return NamedWorkspace(workspace: loaded, environment: environment)
    }

    /// Throws if nothing in the workspace uses a given value, because then its name is mistyped.
    private func checkNames(of workspace: Workspace) throws(WorkspaceFault) {
        guard !values.isEmpty else { return }
        let known = workspace.names
        guard let wrong = assignments.keys.sorted().first(where: { !known.contains($0) }) else {
            return
        }
        let name = CredentialMask().masking(argument: wrong)
        let meant = Suggestion.nearest(to: wrong, among: known.sorted())
        throw WorkspaceFault(
            "--set \(name)=…: nothing in the workspace uses “\(name)”"
                + (meant.map { "; did you mean “\($0)”?" } ?? "")
        )
    }

    /// Whether there is a workspace with a target of this name.
    ///
    /// An unnamed workspace that cannot be read counts as none.
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

/// A workspace in one of its environments, with lookups by name.
struct NamedWorkspace: Sendable {
    let workspace: Workspace
    /// The environment's name.
    let environment: String

    /// A target with all variables filled in.
    ///
    /// - Parameters:
    ///   - name: Its groups and its name (`Users/Show user`), or its name alone if that is unique.
    ///   - values: Values that override the workspace's variables.
    /// - Returns: The target.
    /// - Throws: `WorkspaceFault` if there is not exactly one such target, or a variable has no value.
    func target(
        named name: String,
        values: [String: Value] = [:]
    ) throws(WorkspaceFault) -> WorkspaceTarget {
        let found = try definition(named: name)
        return try WorkspaceFault.wrapping { () throws(WorkspaceError) in
            try workspace.resolve(found, in: environment, captured: values)
        }
    }

    /// The workspace with cookie jars: as in the explorer, cookies that a response sets are sent from then on.
    func keepingCookies() -> NamedWorkspace {
        NamedWorkspace(
            workspace: workspace.keeping(cookiesIn: .ofSession()),
            environment: environment
        )
    }

    /// Whether at least one target has this name.
    func hasTarget(named name: String) -> Bool {
        workspace.targets.contains { $0.name == name || $0.id.rawValue == name }
    }

    private func definition(named name: String) throws(WorkspaceFault) -> TargetDefinition {
        if let definition = workspace.definition(TargetID(name)) { return definition }
        let named = workspace.targets.filter { $0.name == name }
        switch named.count {
        case 1: return named[0]
        case 0:
            throw WorkspaceFault(
                named: name,
                kind: "target",
                among: workspace.targets.map(\.id.rawValue)
            )
        default:
            let ids = named.map { "“\($0.id)”" }.joined(separator: ", ")
            throw WorkspaceFault("there is more than one target “\(name)”: \(ids)")
        }
    }
}

extension WorkspaceFault {
    init(_ text: String) { self.init(description: text, line: text) }

    /// Rethrows a workspace's error as a `WorkspaceFault`.
    static func wrapping<T>(_ body: () throws(WorkspaceError) -> T) throws(WorkspaceFault) -> T {
        do throws(WorkspaceError) {
            return try body()
        } catch {
            let line = error.problems.map(\.summary).joined(separator: "; ")
            throw WorkspaceFault(description: error.description, line: line)
        }
    }

    /// Nothing of this kind has that name; the text lists the names that `owner` has.
    init(named name: String, kind: String, of owner: String = "workspace", among names: [String]) {
        let few = names.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        let meant = Suggestion.nearest(to: name, among: names)
        let hint = meant.map { "did you mean “\($0)”? The" } ?? "the"
        self.init(
            names.isEmpty
                ? "the \(owner) has no \(kind)"
                : "there is no \(kind) “\(CredentialMask().masking(argument: name))”; "
                    + "\(hint) \(owner) has \(few)\(rest)"
        )
    }
}

extension NamedWorkspace {
    /// A chain, ready to run.
    ///
    /// - Throws: `WorkspaceFault` if there is no such chain, or a variable has no value.
    func chain(named name: String) throws(WorkspaceFault) -> ChainGraph {
        guard let found = workspace.chains.first(where: { $0.name == name }) else {
            throw WorkspaceFault(named: name, kind: "chain", among: workspace.chains.map(\.name))
        }
        return try WorkspaceFault.wrapping { () throws(WorkspaceError) in
            try workspace.graph(of: found, in: environment)
        }
    }
}

/// Why something in a workspace cannot be used.
struct WorkspaceFault: Error, CustomStringConvertible {
    /// All problems, those of a file with its line and column.
    let description: String
    /// The problems in one line.
    let line: String
}
