import Apus
import Terminal
import TreeView

extension Model {
    /// Shows the catalog: the first one, or a new one after the files have changed.
    mutating func show(_ catalog: Catalog) -> [Effect] {
        let old = self.workspace.catalog
        self.workspace.catalog = catalog
        if let title = catalog.title { workspace.sourceName = title }
        layers.confirmation = nil
        layers.changeQuestion = nil
        workspace.problem = nil
        palette.targets = nil
        guard let old else {
            addGiven(of: catalog)
            restoreState(in: self.workspace.catalog ?? catalog)
            if let given = catalog.given {
                targets.reveal(given.target.id, in: self.workspace.catalog ?? catalog)
            }
            if !catalog.notes.isEmpty {
                warn(catalog.notes.joined(separator: "; "))
            }
            return lookAtSelection() + loadSession()
        }
        let name =
            old.environments.indices.contains(workspace.environment)
            ? old.environments[workspace.environment] : ""
        workspace.environment =
            catalog.environments.firstIndex(of: name)
            ?? min(workspace.environment, catalog.environments.count - 1)
        // Responses stay, but requests and plans may have changed. Views are kept by the index of their environment.
        if catalog.environments != old.environments { responses.views.removeAll() }
        responses.views.forgetRequests()
        let effects = reapplyEdits()
        targets.arrange(self.workspace.catalog ?? catalog)
        selectAwaited()
        refreshVariables()
        if let words = catalog.credentialWords {
            warn("saved in \(workspace.sourceName); \(words)")
        }
        return effects + resolveSelection() + openMadeFile()
    }

    /// Adds the request that the program was started with, like a pasted one.
    private mutating func addGiven(of catalog: Catalog) {
        guard let given = catalog.given else { return }
        request.edited.pasted.append(
            .init(
                name: given.name,
                draft: given.draft,
                target: given.target,
                isGiven: true
            )
        )
        self.workspace.catalog?.addNew(given.target)
        self.workspace.catalog?.selected = given.target.id
    }

    /// Loads the files, which have changed; perhaps only by what was saved here, which the catalog then has.
    func loadChanges() -> [Effect] {
        guard let catalog = workspace.catalog, workspace.problem == nil else {
            return [.loadCatalog]
        }
        return [.reloadCatalog(catalog.source)]
    }

    /// Reports why there is no catalog, and keeps the previous one.
    mutating func report(_ problem: CatalogError) -> [Effect] {
        guard workspace.catalog != nil else { return [.fail(problem.description)] }
        workspace.problem = problem
        workspace.isProblemInUse = false
        return []
    }

    /// Opens an editor at the catalog's problem, or else at the line under the cursor.
    mutating func editSelected() -> [Effect] {
        guard let place = workspace.problem?.place ?? selectedPlace else {
            if let file = workspace.catalog?.newFile { return makeFile(file, for: .edit) }
            if let id = targets.selected?.id, request.edited.isNew(id) {
                return say("this request is in no file yet: S saves it")
            }
            return say("there is no file to edit: \(workspace.sourceName) is built in")
        }
        return [.session(.run(workspace.editor.arguments(for: place)))]
    }

    /// Loads the files again after editing, because network file systems do not report changes.
    mutating func endEditing(_ status: Int32) -> [Effect] {
        // A shell's exit status for "not found" and "cannot be executed".
        if status == 126 || status == 127 {
            fail("cannot start \(workspace.editor.command): set VISUAL or EDITOR to your editor")
        }
        if let effects = endScratch() { return effects }
        return [.loadCatalog]
    }

    /// Where the line under the cursor is written.
    var selectedPlace: FilePlace? {
        guard let id = targets.selected?.id, let catalog = workspace.catalog else { return nil }
        return catalog.nodes.node(with: id)?.place ?? catalog.group(id)?.place
    }
}

extension Catalog {
    /// Whether there is a group at a path.
    func hasGroup(_ path: CatalogID) -> Bool { group(CatalogID("\(path)/")) != nil }

    /// The group of a line of the list.
    fileprivate func group(_ id: CatalogID) -> CatalogNode? {
        Self.group(id.description, in: nodes, path: "")
    }

    private static func group(_ id: String, in nodes: [CatalogNode], path: String) -> CatalogNode? {
        for case .group(let name, let children) in nodes {
            let own = "\(path)\(name)/"
            if own == id { return .group(name: name, children) }
            if let found = group(id, in: children, path: own) { return found }
        }
        return nil
    }
}

extension CatalogNode {
    fileprivate var place: FilePlace? {
        switch self {
        case .group(_, let nodes): nodes.lazy.compactMap(\.place).first
        case .target(let target): target.place
        case .batch(let batch): batch.place
        case .chain(let chain): chain.place
        }
    }
}
