import Apus
import Explorer
import HTTPTypes
import Recordings
import Workspaces

extension WorkspaceTarget: NamedTarget {
    package var recordedName: String { id.rawValue }
    package var recordedVariables: [String: String] { variables }
}

extension Catalog {
    /// The catalog of a workspace file: its targets, then its batches and chains.
    init(_ workspace: Workspace) {
        let names = workspace.environments.map(\.name)
        var nodes = workspace.tree.map { CatalogNode($0, of: workspace, names) }
        if !workspace.batches.isEmpty {
            nodes.append(
                .group(
                    name: "Batches",
                    workspace.batches.map { .batch(CatalogBatch($0, of: workspace, names)) }
                )
            )
        }
        if !workspace.chains.isEmpty {
            nodes.append(
                .group(
                    name: "Chains",
                    workspace.chains.map { .chain(CatalogChain($0, of: workspace, names)) }
                )
            )
        }
        self.init(name: workspace.name, environments: names, nodes: nodes)
    }
}

extension CatalogNode {
    fileprivate init(_ item: TreeItem, of workspace: Workspace, _ environments: [String]) {
        switch item {
        case .group(let group):
            self = .group(
                name: group.name,
                group.items.map { CatalogNode($0, of: workspace, environments) }
            )
        case .target(let definition):
            self = .target(CatalogTarget(definition, of: workspace, environments))
        }
    }
}

extension CatalogTarget {
    fileprivate init(
        _ definition: TargetDefinition,
        of workspace: Workspace,
        _ environments: [String]
    ) {
        self.init(
            id: CatalogID(definition.id.rawValue),
            name: definition.name,
            method: definition.method.rawValue,
            path: definition.requestText,
            place: FilePlace(definition.location)
        ) { environment throws(CatalogProblem) in
            try orProblem { () throws(WorkspaceError) in
                ResolvedTarget(
                    try workspace.resolve(definition, in: environments[environment])
                )
            }
        }
    }
}

extension ResolvedTarget {
    fileprivate init(_ target: WorkspaceTarget) {
        let fields = target.display.fields.map { "\($0.name): \($0.value)" }
        self.init(
            target: target,
            source: target.source,
            url: target.display.url,
            details: target.display.notes + fields
        )
    }
}

extension CatalogBatch {
    fileprivate init(
        _ definition: BatchDefinition,
        of workspace: Workspace,
        _ environments: [String]
    ) {
        self.init(
            id: CatalogID("batch/\(definition.name)"),
            name: definition.name,
            place: FilePlace(definition.location)
        ) { environment throws(CatalogProblem) in
            try orProblem { () throws(WorkspaceError) in
                let targets = try workspace.resolve(definition, in: environments[environment])
                return ResolvedBatch(
                    batch: Batch(
                        targets,
                        from: definition.source ?? .server,
                        concurrency: definition.concurrency,
                        mode: Batch.Mode(definition.mode)
                    ),
                    titles: targets.map { target in
                        "\(target.display.method) \(ResolvedTarget(target).requestTarget)"
                    }
                )
            }
        }
    }
}

extension CatalogChain {
    fileprivate init(
        _ definition: ChainDefinition,
        of workspace: Workspace,
        _ environments: [String]
    ) {
        self.init(
            id: CatalogID("chain/\(definition.name)"),
            name: definition.name,
            place: FilePlace(definition.location)
        ) { environment throws(CatalogProblem) in
            try orProblem { () throws(WorkspaceError) in
                ResolvedChain(
                    graph: try workspace.graph(of: definition, in: environments[environment]),
                    steps: definition.steps.map { step in
                        ResolvedChain.Step(
                            name: step.name,
                            title: "\(step.target.method.rawValue) \(step.target.requestText)"
                        )
                    }
                )
            }
        }
    }
}

/// A workspace's error in the catalog's words.
private func orProblem<Value>(
    _ body: () throws(WorkspaceError) -> Value
) throws(CatalogProblem) -> Value {
    do throws(WorkspaceError) {
        return try body()
    } catch {
        throw CatalogProblem(
            error.problems.map(\.summary).joined(separator: "; "),
            at: FilePlace(error)
        )
    }
}

extension FilePlace {
    /// Where something is written; nil for what is in no file that an editor could open.
    fileprivate init?(_ location: SourceLocation) {
        guard location.file != demoWorkspaceName else { return nil }
        self.init(file: location.file, line: max(1, location.line))
    }

    /// Where the first problem is.
    init?(_ error: WorkspaceError) {
        guard let first = error.problems.first else { return nil }
        self.init(first.location)
    }
}
