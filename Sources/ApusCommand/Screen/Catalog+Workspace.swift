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
    ///
    /// `values` keeps what the user enters for variables without a value, also for later catalogs of the files.
    init(
        _ workspace: Workspace,
        values: SessionValues = SessionValues(),
        file: NewWorkspaceFile? = nil
    ) {
        let file = workspace.isNew ? file : nil
        let open = OpenWorkspace(workspace: workspace, values: values, file: file)
        var nodes = workspace.tree.map { CatalogNode($0, of: open) }
        if !workspace.batches.isEmpty {
            nodes.append(
                .group(
                    name: "Batches",
                    workspace.batches.map { .batch(CatalogBatch($0, of: open)) }
                )
            )
        }
        if !workspace.chains.isEmpty {
            nodes.append(
                .group(
                    name: "Chains",
                    workspace.chains.map { .chain(CatalogChain($0, of: open)) }
                )
            )
        }
        self.init(
            name: workspace.name,
            environments: workspace.environments.map(\.name),
            nodes: nodes,
            make: { name, draft throws(CatalogProblem) in
                try CatalogEdit(draft, named: name, in: open)
            },
            variables: { environment in
                let name = open.environment(environment)
                let workspace = open.current
                return workspace.variables(in: name).map { variable in
                    CatalogVariable(
                        name: variable.name,
                        value: variable.text,
                        isSecret: workspace.isSecret(variable.name, in: name)
                    )
                }
            },
            supply: { values.supply($1, for: $0) },
            cookies: { values.cookies.jar(for: open.environment($0)) }
        )
        for environment in workspace.environments {
            marks[environment.name] = EnvironmentMark(
                isDangerous: environment.isDangerous,
                color: environment.color.flatMap { EnvironmentMark.Color(rawValue: $0.rawValue) }
            )
            marks[environment.name]?.summary = environment.summary
        }
        newFile = file?.description(of: workspace)
    }
}

extension CatalogNode {
    fileprivate init(_ item: TreeItem, of open: OpenWorkspace) {
        switch item {
        case .group(let group):
            self = .group(
                name: group.name,
                group.items.map { CatalogNode($0, of: open) }
            )
        case .target(let definition):
            let place = open.place(definition.location)
            self = .target(CatalogTarget(definition, at: place, of: open))
        }
    }
}

extension CatalogTarget {
    init(_ definition: TargetDefinition, at place: FilePlace?, of open: OpenWorkspace) {
        self.init(
            id: CatalogID(definition.id.rawValue),
            name: definition.name,
            method: definition.method.rawValue,
            path: definition.requestText,
            summary: definition.summary,
            place: place,
            draft: { environment throws(CatalogProblem) in
                TargetDraft(open.workspace.written(definition, in: open.environment(environment)))
            },
            edit: { draft throws(CatalogProblem) in
                try CatalogEdit(draft, of: definition.id, at: place, in: open)
            },
            resolve: { environment throws(CatalogProblem) in
                try orProblem(hasPlaces: open.hasPlaces) { () throws(WorkspaceError) in
                    ResolvedTarget(
                        try open.current.resolve(definition, in: open.environment(environment))
                    )
                }
            }
        )
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
        leftOut = target.display.leftOut
    }
}

extension CatalogBatch {
    fileprivate init(_ definition: BatchDefinition, of open: OpenWorkspace) {
        self.init(
            id: CatalogID("batch/\(definition.name)"),
            name: definition.name,
            summary: definition.summary,
            place: open.place(definition.location)
        ) { environment throws(CatalogProblem) in
            try orProblem(hasPlaces: open.hasPlaces) { () throws(WorkspaceError) in
                let name = open.environment(environment)
                let targets = try open.current.resolve(definition, in: name)
                let batch = Batch(
                    targets,
                    from: definition.source ?? .server,
                    concurrency: definition.concurrency,
                    mode: Batch.Mode(definition.mode)
                )
                return ResolvedBatch(
                    batch: definition.rate.map(batch.at) ?? batch,
                    titles: titles(of: targets),
                    names: targets.map(\.name)
                )
            }
        }
    }
}

/// A title for each target; repeated targets share one.
///
/// The host is named where the targets have more than one.
private func titles(of targets: [WorkspaceTarget]) -> [String] {
    func host(_ target: WorkspaceTarget) -> Substring {
        let url = target.display.url
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
    let first = targets.first.map(host)
    let hasHosts = targets.contains { host($0) != first }
    var last: (display: (method: String, url: String), title: String)?
    return targets.map { target in
        let display = (method: target.display.method, url: target.display.url)
        if let last, last.display == display { return last.title }
        let place = hasHosts ? String(host(target)) : ""
        let title = "\(display.method) \(place)\(ResolvedTarget(target).requestTarget)"
        last = (display, title)
        return title
    }
}

extension CatalogChain {
    fileprivate init(_ definition: ChainDefinition, of open: OpenWorkspace) {
        self.init(
            id: CatalogID("chain/\(definition.name)"),
            name: definition.name,
            summary: definition.summary,
            place: open.place(definition.location)
        ) { environment throws(CatalogProblem) in
            try orProblem(hasPlaces: open.hasPlaces) { () throws(WorkspaceError) in
                ResolvedChain(
                    graph: try open.current.graph(
                        of: definition,
                        in: open.environment(environment)
                    ),
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

/// Rethrows a workspace's error as a `CatalogProblem`.
///
/// `hasPlaces` says whether a file has the text; otherwise its lines and columns say nothing.
func orProblem<Value>(
    hasPlaces: Bool = true,
    _ body: () throws(WorkspaceError) -> Value
) throws(CatalogProblem) -> Value {
    do throws(WorkspaceError) {
        return try body()
    } catch {
        throw CatalogProblem(
            error.problems.map { hasPlaces ? $0.summary : $0.words }.joined(separator: "; "),
            at: hasPlaces ? FilePlace(error) : nil,
            missing: error.problems.lazy.compactMap(\.missing).first.map {
                MissingValue(name: $0.name, isSecret: $0.isSecret)
            }
        )
    }
}

extension FilePlace {
    /// A place in a file.
    init(_ location: SourceLocation) {
        self.init(file: location.file, line: max(1, location.line))
    }

    /// The place of the first problem; nil if there is none.
    init?(_ error: WorkspaceError) {
        guard let first = error.problems.first else { return nil }
        self.init(first.location)
    }
}
