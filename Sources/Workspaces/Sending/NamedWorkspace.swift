package import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Secrets

/// The workspace that a user names, and how: its path, an environment, and values for its variables.
package struct WorkspaceChoice: Sendable {
    /// A file, or a folder of files; nil for the current folder.
    package var path: String?
    /// The environment's name; nil for the first.
    package var environment: String?
    /// Texts that override its variables, by name.
    package var values: [String: String]
    /// Whether targets with a `sample` have it as their response.
    package var usesSamples: Bool
    /// Whether the commands of the workspace may run from now on.
    package var trustsCommands: Bool
    /// What reads files of other programs; nil if only workspace files are read.
    package var foreign: (any ForeignReader)?

    /// Makes a choice; without arguments it is the workspace of the current folder.
    package init(
        path: String? = nil,
        environment: String? = nil,
        values: [String: String] = [:],
        usesSamples: Bool = false,
        trustsCommands: Bool = false,
        foreign: (any ForeignReader)? = nil
    ) {
        self.foreign = foreign
        self.path = path
        self.environment = environment
        self.values = values
        self.usesSamples = usesSamples
        self.trustsCommands = trustsCommands
    }

    /// Whether the user has said anything about the workspace, so that it must be readable.
    package var isExplicit: Bool { path != nil || environment != nil || !values.isEmpty }

    /// Reads the workspace.
    ///
    /// - Throws: `WorkspaceError` if it cannot be read, has no such environment, or uses none of the values.
    package func load() throws(WorkspaceError) -> NamedWorkspace {
        let path = path ?? "."
        guard access(path, R_OK) == 0 else {
            throw WorkspaceError("\(path): \(String(cString: strerror(errno)))")
        }
        // Also given to the loader, so that the files may use names that only the command line sets.
        let loaded = try Workspace.load(path: path, given: values, foreign: foreign)
            .setting(values: values.mapValues { Value.string($0) })
            .usingSamples(usesSamples)
        try checkNames(of: loaded)
        if trustsCommands { try Self.trust(loaded, at: path) }
        let names = loaded.environments.map(\.name)
        guard let environment else {
            return NamedWorkspace(workspace: loaded, environment: names.first ?? "")
        }
        guard names.contains(environment) else {
            throw WorkspaceError(noneNamed: environment, kind: "environment", among: names)
        }
        return NamedWorkspace(workspace: loaded, environment: environment)
    }

    private static func trust(_ workspace: Workspace, at path: String) throws(WorkspaceError) {
        guard !workspace.commands.isEmpty else { return }
        do throws(PrivateFileError) {
            try WorkspaceTrust().keep(workspace.commands, at: path)
        } catch {
            throw WorkspaceError("--trust cannot be kept: \(error)")
        }
    }

    /// Throws if nothing in the workspace uses a given value, because then its name is mistyped.
    private func checkNames(of workspace: Workspace) throws(WorkspaceError) {
        guard !values.isEmpty else { return }
        let known = workspace.names
        guard let wrong = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
        let name = CredentialMask().masking(argument: wrong)
        let meant = Suggestion.nearest(to: wrong, among: known.sorted())
        throw WorkspaceError(
            "--set \(name)=…: nothing in the workspace uses “\(name)”"
                + (meant.map { "; did you mean “\($0)”?" } ?? "")
        )
    }

    /// Whether there is a workspace with a target of this name.
    ///
    /// An unnamed workspace that cannot be read counts as none.
    func knowsTarget(named name: String) throws(WorkspaceError) -> Bool {
        guard path != nil else { return (try? load())?.hasTarget(named: name) ?? false }
        return try load().hasTarget(named: name)
    }
}

/// A workspace in one of its environments, with lookups by name.
package struct NamedWorkspace: Sendable {
    /// The workspace.
    package let workspace: Workspace
    /// The environment's name.
    package let environment: String

    /// Puts a workspace into an environment, which it must have.
    package init(workspace: Workspace, environment: String) {
        (self.workspace, self.environment) = (workspace, environment)
    }

    /// The workspace with cookie jars: as in the explorer, cookies that a response sets are sent from then on.
    package func keepingCookies() -> NamedWorkspace {
        NamedWorkspace(
            workspace: workspace.keeping(cookiesIn: .ofSession()),
            environment: environment
        )
    }

    /// Whether at least one target has this name.
    package func hasTarget(named name: String) -> Bool {
        workspace.targets.contains { $0.name == name || $0.id.rawValue == name }
    }

    /// A target with all variables filled in.
    ///
    /// - Parameters:
    ///   - name: Its groups and its name (`Users/Show user`), or its name alone if that is unique.
    ///   - values: Values that override the workspace's variables.
    /// - Returns: The target.
    /// - Throws: `WorkspaceError` if there is not exactly one such target, or a variable has no value.
    package func target(
        named name: String,
        values: [String: Value] = [:]
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try workspace.resolve(try definition(named: name), in: environment, captured: values)
    }

    private func definition(named name: String) throws(WorkspaceError) -> TargetDefinition {
        if let definition = workspace.definition(TargetID(name)) { return definition }
        let named = workspace.targets.filter { $0.name == name }
        switch named.count {
        case 1: return named[0]
        case 0:
            throw WorkspaceError(
                noneNamed: name,
                kind: "target",
                among: workspace.targets.map(\.id.rawValue)
            )
        default:
            let ids = named.map { "“\($0.id)”" }.joined(separator: ", ")
            throw WorkspaceError("there is more than one target “\(name)”: \(ids)")
        }
    }

    /// A chain, ready to run.
    ///
    /// - Throws: `WorkspaceError` if there is no such chain, or a variable has no value.
    package func chain(named name: String) throws(WorkspaceError) -> ChainGraph {
        guard let found = workspace.chains.first(where: { $0.name == name }) else {
            throw WorkspaceError(
                noneNamed: name,
                kind: "chain",
                among: workspace.chains.map(\.name)
            )
        }
        return try workspace.graph(of: found, in: environment)
    }

    /// A batch with all variables filled in.
    ///
    /// - Throws: `WorkspaceError` if there is no such batch, or a variable has no value.
    package func batch(named name: String) throws(WorkspaceError) -> BatchPlan {
        let found = try definition(ofBatch: name)
        return BatchPlan(
            name: name,
            targets: try workspace.resolve(found, in: environment),
            source: found.source ?? .server,
            concurrency: found.concurrency,
            rate: found.rate,
            mode: Batch.Mode(rawValue: found.mode.rawValue) ?? .settled
        )
    }

    /// The batch of this name.
    ///
    /// - Throws: `WorkspaceError` if there is none.
    func definition(ofBatch name: String) throws(WorkspaceError) -> BatchDefinition {
        guard let found = workspace.batches.first(where: { $0.name == name }) else {
            throw WorkspaceError(
                noneNamed: name,
                kind: "batch",
                among: workspace.batches.map(\.name)
            )
        }
        return found
    }
}

/// A workspace's batch, ready to be sent.
package struct BatchPlan: Sendable {
    /// The batch's name.
    package let name: String
    /// The targets, with repeated ones listed repeatedly.
    package let targets: [WorkspaceTarget]
    /// Where responses come from.
    package var source: DataSource
    /// How many requests run at once.
    package var concurrency: Int
    /// The rate at which requests begin; nil to send each target once, as soon as others end.
    package var rate: BatchRate?
    /// What happens after a failure.
    package var mode: Batch.Mode

    /// How many requests it sends.
    package var count: Int { rate?.count ?? targets.count }
    /// The secrets of its targets.
    package var secrets: Set<String> {
        targets.reduce(into: Set()) { $0.formUnion($1.mask.secrets) }
    }

    /// The engine's batch.
    package var batch: Batch {
        let batch = Batch(targets, from: source, concurrency: concurrency, mode: mode)
        return rate.map(batch.at) ?? batch
    }
}

// MARK: What a replay asks

extension NamedWorkspace {
    /// The workspace's name.
    package var name: String { workspace.name }
    /// The secrets of all environments.
    package var knownSecrets: Set<String> { workspace.knownSecrets }

    /// The workspace in the environment of this name; nil if it has none.
    package func inEnvironment(named name: String) -> NamedWorkspace? {
        workspace.environments.contains { $0.name == name }
            ? NamedWorkspace(workspace: workspace, environment: name) : nil
    }

    /// The targets that have a value for each of their variables.
    package var completeTargets: [any TargetType] {
        // One that has a problem is left out, and so is one whose values are asked, run or sent for.
        workspace.targets.compactMap { definition in
            let target = try? workspace.resolve(definition, in: environment)
            return target?.supply?.isWaiting == true ? nil : target
        }
    }

    /// The target with this id, with `values` for variables if it has no value of its own for one of them.
    package func target(
        withID id: String,
        filling values: [String: String]
    ) -> (any TargetType)? {
        guard let definition = workspace.definition(TargetID(id)) else { return nil }
        // A problem means that a value is missing; what it says is not asked for.
        return
            (try? workspace.resolve(definition, in: environment))
            ?? (try? workspace.resolve(
                definition,
                in: environment,
                captured: values.mapValues { .string($0) }
            ))
    }

    /// The chain of this name with the method and the base URL of each of its requests; nil if there is none.
    ///
    /// Captured values do not decide which server a request goes to.
    package func replayedChain(
        named name: String
    ) throws -> (graph: ChainGraph, requests: [ApusError.RequestLine])? {
        guard let chain = workspace.chains.first(where: { $0.name == name }) else { return nil }
        let captured = Set(
            chain.steps.flatMap { step in
                step.captures.map(\.name) + (step.forEach.map { [$0.element, "index"] } ?? [])
            }
        )
        let requests = chain.steps.map { step in
            // One with missing values counts as one that may go anywhere.
            let target = try? workspace.resolve(
                step,
                in: environment,
                names: Array(captured)
            ) { captured.contains($0) ? JSON("1") : nil }
            return ApusError.RequestLine(
                method: step.target.method.rawValue,
                url: target?.baseURL.absoluteString ?? ""
            )
        }
        return (try workspace.graph(of: chain, in: environment), requests)
    }
}
