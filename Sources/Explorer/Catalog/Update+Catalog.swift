import Apus
import Terminal
import TreeView

extension Model {
    /// Takes the catalog: the first one, or a new one after the files have changed.
    mutating func take(_ catalog: Catalog) -> [Effect] {
        let old = self.catalog
        self.catalog = catalog
        confirmation = nil
        catalogProblem = nil
        targetIndex = nil
        guard let old else {
            addGiven(of: catalog)
            restoreState(in: self.catalog ?? catalog)
            if let given = catalog.given {
                list.reveal(given.target.id, in: self.catalog ?? catalog)
            }
            if !catalog.notes.isEmpty {
                notice = Notice(kind: .warning, text: catalog.notes.joined(separator: "; "))
            }
            return lookAtSelection() + loadSession()
        }
        let name =
            old.environments.indices.contains(environment) ? old.environments[environment] : ""
        environment =
            catalog.environments.firstIndex(of: name)
            ?? min(environment, catalog.environments.count - 1)
        // Answers stay, but requests and plans may have changed. Views are kept by the index of their environment.
        if catalog.environments != old.environments { views.removeAll() }
        views.forgetRequests()
        let effects = reapplyEdits()
        list.arrange(self.catalog ?? catalog)
        selectAwaited()
        return effects + resolveSelection() + openMadeFile()
    }

    /// Adds the request that the program was started with, like a pasted one.
    private mutating func addGiven(of catalog: Catalog) {
        guard let given = catalog.given else { return }
        editedRequests.pasted.append(
            .init(
                name: given.name,
                draft: given.draft,
                target: given.target,
                isGiven: true
            )
        )
        self.catalog?.addNew(given.target)
        self.catalog?.selected = given.target.id
    }

    /// Loads the files, which have changed; perhaps only by what was saved here, which the catalog then has.
    func loadChanges() -> [Effect] {
        guard let catalog, catalogProblem == nil else { return [.loadCatalog] }
        return [.reloadCatalog(catalog.source)]
    }

    /// Takes the reason why there is no catalog.
    mutating func take(_ problem: CatalogProblem) -> [Effect] {
        guard catalog != nil else { return [.fail(problem.description)] }
        catalogProblem = problem
        return []
    }

    /// What is wrong with the files, as a notice.
    var catalogNotice: Notice? {
        catalogProblem.map { problem in
            let line = problem.description.prefix { !$0.isNewline }
            return Notice(
                kind: .failure,
                text: "\(line) (the previous version is still in use; o opens the file)"
            )
        }
    }

    /// Opens an editor at the catalog's problem, or else at the line under the cursor.
    mutating func editSelected() -> [Effect] {
        guard let place = catalogProblem?.place ?? selectedPlace else {
            if let file = catalog?.newFile { return makeFile(file, for: .edit) }
            if let id = list.selected?.id, editedRequests.isNew(id) {
                notice = Notice(
                    kind: .information,
                    text: "this request is in no file yet: S saves it"
                )
                return []
            }
            notice = Notice(
                kind: .information,
                text: "there is no file to edit: \(sourceName) is built in"
            )
            return []
        }
        return [.session(.run(editor.arguments(for: place)))]
    }

    /// Loads the files again after editing, because network file systems do not report changes.
    mutating func endEditing(_ status: Int32) -> [Effect] {
        // A shell's exit status for "not found" and "cannot be executed".
        if status == 126 || status == 127 {
            notice = Notice(
                kind: .failure,
                text: "cannot start \(editor.command): set VISUAL or EDITOR to your editor"
            )
        }
        if let effects = endScratch() { return effects }
        return [.loadCatalog]
    }

    /// Where the line under the cursor is written.
    var selectedPlace: FilePlace? {
        guard let id = list.selected?.id, let catalog else { return nil }
        return catalog.node(id)?.place ?? catalog.group(id)?.place
    }
}

extension Catalog {
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
