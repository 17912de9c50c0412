import Apus
import HTTPTypes
import Recordings
package import Workspaces

extension WorkspaceTarget: NamedTarget {
    /// The id of its definition.
    package var recordedName: String { id.rawValue }
    /// The variables that its templates use.
    package var recordedVariables: [String: String] { variables }
}

extension Catalog {
    /// The catalog of a workspace: its targets, then its batches and chains.
    ///
    /// - Parameters:
    ///   - workspace: The workspace as it was read.
    ///   - session: What is kept until the program ends, also over later catalogs of the files.
    ///   - file: The file that the first save makes; not used if it is there.
    package init(
        _ workspace: Workspace,
        session: WorkspaceSession = WorkspaceSession(),
        file: NewWorkspaceFile? = nil
    ) {
        let source = WorkspaceSource(workspace, session, workspace.isNew ? file : nil)
        var nodes = workspace.tree.map { CatalogNode($0, of: source) }
        if !workspace.batches.isEmpty {
            nodes.append(
                .group(
                    name: "Batches",
                    workspace.batches.map { .batch(CatalogBatch($0, of: source)) }
                )
            )
        }
        if !workspace.chains.isEmpty {
            nodes.append(
                .group(
                    name: "Chains",
                    workspace.chains.map { .chain(CatalogChain($0, of: source)) }
                )
            )
        }
        self.init(
            name: workspace.name,
            environments: workspace.environments.map(\.name),
            nodes: nodes,
            source: source
        )
        for environment in workspace.environments {
            marks[environment.name] = EnvironmentMark(
                isDangerous: environment.isDangerous,
                color: environment.color.flatMap { EnvironmentMark.Color(rawValue: $0.rawValue) }
            )
            marks[environment.name]?.summary = environment.summary
        }
        note = workspace.note
        if !workspace.isNew { credentialWords = session.consumeCredentialWords() }
        if let origin = workspace.origin { show(origin, count: workspace.targets.count) }
        note = [note, session.importNote].compactMap(\.self).joined(separator: "\n\n")
        if note?.isEmpty == true { note = nil }
        for group in workspace.groups { groupNotes[group.id] = group.noteText }
        newFile = source.file.map { CatalogNewFile(name: $0.path, isNamed: $0.isNamed) }
    }
}

extension Catalog {
    /// Says in the title, in a message and in the note which file of another program this is.
    private mutating func show(_ origin: WorkspaceOrigin, count: Int) {
        let file = origin.path.split(separator: "/").last.map(String.init) ?? origin.path
        title = "\(file) · \(origin.format)"
        let targets = "\(count) target\(count == 1 ? "" : "s")"
        guard let losses = origin.losses else {
            notes.append("\(targets), everything is carried over")
            return
        }
        let things = "\(origin.lossCount) thing\(origin.lossCount == 1 ? "" : "s")"
        notes.append("\(targets); \(things) not carried over: ? lists what and why")
        note = [note, losses].compactMap(\.self).joined(separator: "\n\n")
    }
}

extension CatalogNode {
    fileprivate init(_ item: TreeItem, of source: WorkspaceSource) {
        switch item {
        case .group(let group):
            self = .group(
                name: group.name,
                group.items.map { CatalogNode($0, of: source) }
            )
        case .target(let definition):
            self = .target(CatalogTarget(definition, at: source.place(definition.location)))
        }
    }
}

extension CatalogTarget {
    /// A workspace's target; `place` is nil if it is in no file.
    init(_ definition: TargetDefinition, at place: FilePlace?, edits: TargetDraft? = nil) {
        self.init(
            id: CatalogID(definition.id.rawValue),
            name: definition.name,
            method: definition.method.rawValue,
            path: definition.requestText,
            summary: definition.summary,
            place: place,
            edits: edits
        )
        note = definition.note
    }
}

extension ResolvedTarget {
    init(_ target: WorkspaceTarget) {
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
    fileprivate init(_ definition: BatchDefinition, of source: WorkspaceSource) {
        self.init(
            id: CatalogID("batch/\(definition.name)"),
            name: definition.name,
            summary: definition.summary,
            place: source.place(definition.location)
        ) { environment throws(CatalogError) in
            try source.resolve(definition, in: environment)
        }
    }
}

extension CatalogChain {
    fileprivate init(_ definition: ChainDefinition, of source: WorkspaceSource) {
        self.init(
            id: CatalogID("chain/\(definition.name)"),
            name: definition.name,
            summary: definition.summary,
            place: source.place(definition.location)
        ) { environment throws(CatalogError) in
            try source.resolve(definition, in: environment)
        }
    }
}

extension ResolvedBatch {
    /// A batch of these targets, run as its definition says.
    init(_ definition: BatchDefinition, of targets: [WorkspaceTarget]) {
        let batch = Batch(
            targets,
            from: definition.source ?? .server,
            concurrency: definition.concurrency,
            mode: Batch.Mode(definition.mode)
        )
        self.init(
            batch: definition.rate.map(batch.at) ?? batch,
            titles: Self.titles(of: targets),
            names: targets.map(\.name)
        )
        checks = BatchChecks(targets, definition.expectations)
    }

    /// A title for each target; repeated targets share one.
    ///
    /// The host is named where the targets have more than one.
    private static func titles(of targets: [WorkspaceTarget]) -> [String] {
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
}
