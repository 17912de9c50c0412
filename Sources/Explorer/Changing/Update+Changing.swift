import Documents
import Terminal
import TreeView
import Workspaces

/// Making, renaming, moving, copying and deleting groups and targets.
///
///     key ─▶ input line or question ─▶ effect: the file is written ─▶ catalog of the file as it is now
extension Model {
    // MARK: Asking

    mutating func startGroup() -> [Effect] {
        guard canChangeFiles() else { return [] }
        return ask(.group, "")
    }

    /// Asks where the group or target under the cursor goes; for one that is in no file, where it is saved.
    mutating func startMove() -> [Effect] {
        if let id = targets.selected?.id, request.edited.isNew(id) { return askForName() }
        guard let item = changedItem() else { return [] }
        return ask(.move(item), item.path)
    }

    /// Asks for the path of a copy; a request that is in no file is begun again.
    mutating func startCopy() -> [Effect] {
        if let id = targets.selected?.id,
            let pasted = request.edited.pasted.first(where: { $0.target.id == id }),
            let catalog = workspace.catalog
        {
            request.edited.pasting = .init()
            return [.request(.begin(request.edited[id]?.edits.draft ?? pasted.draft, catalog))]
        }
        guard let item = changedItem() else { return [] }
        return ask(.copy(item), "\(item.path) copy")
    }

    /// Asks whether to delete the group or target under the cursor.
    mutating func startDeleting() -> [Effect] {
        if let row = targets.selected, request.edited.isNew(row.id) {
            layers.changeQuestion = ChangeQuestion(
                text: "Drop \(row.name)? It is in no file.",
                answer: .drop(row.id)
            )
            return []
        }
        guard let item = changedItem() else { return closeRefusal() }
        let count = workspace.catalog?.targetCount(in: item.path) ?? 0
        let what = item.isGroup && count > 0 ? " and its \(Self.targets(count))" : ""
        layers.changeQuestion = ChangeQuestion(
            text: "Delete \(item.words)\(what)?",
            answer: .change(.delete(item.path))
        )
        return []
    }

    /// Puts the group or target under the cursor one place further up or down in its group.
    mutating func shiftItem(isDown: Bool) -> [Effect] {
        guard let item = changedItem() else { return closeRefusal() }
        return make(.shift(item.path, isDown: isDown))
    }

    private static func targets(_ count: Int) -> String {
        count == 1 ? "target" : "\(Readable.count(count)) targets"
    }

    mutating func undoChange() -> [Effect] {
        guard canChangeFiles(), let source = workspace.catalog?.source else {
            return closeRefusal()
        }
        return [.request(.undo(source))]
    }

    /// After a refusal of what takes no text, keys count as keys.
    private mutating func closeRefusal() -> [Effect] {
        layers.close(.refusedText)
        return []
    }

    /// Opens the input line for a change.
    mutating func ask(_ form: ChangeForm, _ text: String, placeholder: String = "") -> [Effect] {
        layers.prompt = LinePrompt(
            purpose: .change(form),
            field: TextField(
                text,
                placeholder: placeholder,
                isMasked: form.isSecret,
                limit: 64 << 10
            )
        )
        if form.takesGroup { layers.prompt?.groups = workspace.catalog?.targetGroups ?? [] }
        return []
    }

    /// Makes the change that was typed, or asks again.
    mutating func accept(_ form: ChangeForm, _ prompt: LinePrompt) -> [Effect] {
        do throws(CatalogError) {
            guard let change = try form.change(prompt.field.text) else {
                return say("nothing has changed")
            }
            request.edited.changing = prompt
            return make(change)
        } catch {
            return ask(again: prompt, error.description)
        }
    }

    /// Has a change made; asks for the name of the file if there is none yet.
    mutating func make(_ change: WorkspaceChange) -> [Effect] {
        guard let catalog = workspace.catalog else { return [] }
        if let file = catalog.newFile { return makeFile(file, for: .change(change)) }
        return [.request(.change(change, catalog.source))]
    }

    /// Whether the files can be changed; if not, says why.
    mutating func canChangeFiles() -> Bool {
        guard let source = workspace.catalog?.source else { return false }
        guard let refusal = source.changeRefusal else { return true }
        _ = refuse(refusal)
        return false
    }

    /// The group or target under the cursor; nil, which is said, if it cannot be changed here.
    private mutating func changedItem() -> ChangedItem? {
        guard canChangeFiles(), let catalog = workspace.catalog else { return nil }
        guard let row = targets.selected else {
            _ = refuse("choose a group or a target first")
            return nil
        }
        let inFile = "batches and chains are changed in the file"
        let key = keys.hint(for: .edit, in: [.explorer])?.key ?? ":"
        switch row.kind {
        case .target: return ChangedItem(path: row.id.description, isGroup: false)
        case .batch, .chain:
            _ = refuse("\(inFile): \(key) opens it")
            return nil
        case .group:
            let path = String(row.id.description.dropLast())
            guard catalog.targetGroups.contains(path) else {
                _ = refuse("\(inFile): \(key) opens it")
                return nil
            }
            let inside = catalog.targetIDs(in: path)
            guard inside.isEmpty || !inside.allSatisfy(request.edited.isNew) else {
                _ = refuse("what is in \(path) is in no file yet: save it first")
                return nil
            }
            return ChangedItem(path: path, isGroup: true)
        }
    }

    // MARK: Answers

    /// Handles a key while something asks before it deletes.
    mutating func handleInChangeQuestion(_ key: Key, _ question: ChangeQuestion) -> [Effect] {
        layers.changeQuestion = nil
        guard key.text?.lowercased() == "y" else {
            return key == Key("ctrl+c") ? leave() : say("nothing was deleted")
        }
        switch question.answer {
        case .change(let change): return make(change)
        case .drop(let id):
            request.edited.pasted.removeAll { $0.target.id == id }
            request.edited[id] = nil
            workspace.catalog?.removeNew(id)
            if let catalog = workspace.catalog { targets.arrange(catalog) }
            say("dropped \(SavePath(id.description).name)")
            return lookAtSelection()
        }
    }

    /// Shows what a change has done; a refused one is asked for again with what was typed.
    mutating func finishChanging(
        _ change: WorkspaceChange,
        _ result: Result<Catalog?, CatalogError>
    ) -> [Effect] {
        let prompt = request.edited.changing
        request.edited.changing = nil
        let saved: Catalog?
        switch result {
        case .success(let catalog): saved = catalog
        case .failure(let problem):
            request.edited.namedFile = nil
            let text = problem.description
            guard let prompt, layers.prompt == nil else { return fail(text) }
            return ask(again: prompt, text)
        }
        if let name = request.edited.namedFile { workspace.sourceName = name }
        request.edited.namedFile = nil
        let key = keys.hint(for: .undoChange, in: [.targets])?.key ?? ":"
        say("\(change.done)\(saved == nil ? "" : "; \(key) undoes it")")
        let effects = follow(change)
        return effects + (saved.map { show($0) + checkSelectionAgain() } ?? [.loadCatalog])
    }

    /// Shows what was undone; `change` is what was made, if it was made here.
    mutating func finishUndoing(
        _ what: String,
        _ change: WorkspaceChange?,
        _ catalog: Catalog
    ) -> [Effect] {
        say("undone: \(what)")
        let effects = change?.renamingBack.map { follow($0) } ?? []
        return effects + show(catalog) + checkSelectionAgain()
    }

    /// Checks the responses that are shown, because the files have been changed here.
    private mutating func checkSelectionAgain() -> [Effect] {
        guard responses.showsSelection, let row = targets.selected, case .target = row.kind else {
            return []
        }
        return checkAgain(row.id)
    }

    /// Keeps edits, folds, the cursor, the environment and responses with what has another name now.
    private mutating func follow(_ change: WorkspaceChange) -> [Effect] {
        guard let name = workspace.catalog?.name else { return [] }
        switch change {
        case .move(let old, let new):
            request.edited.move(old, to: new)
            targets.move(old, to: new)
            responses.views.move(old, to: new)
            runs.move(old, to: new)
            request.target = nil
            request.edited.awaited = CatalogID(new)
            return [.history(.rename(change, workspace: name))]
        case .copy(_, let new): request.edited.awaited = CatalogID(new)
        case .makeGroup(let path):
            let names = path.split(separator: "/").map { String($0).trimmed }
            request.edited.awaited = CatalogID(names.joined(separator: "/"))
        case .renameEnvironment(let old, let new):
            if let index = workspace.catalog?.environments.firstIndex(of: old) {
                workspace.catalog?.environments[index] = new
            }
            return [.history(.rename(change, workspace: name))]
        case .makeEnvironment(let name, _, _), .copyEnvironment(_, let name):
            layers.variables?.awaited = name
        case .delete, .deleteEnvironment, .setSetting, .setVariable, .renameVariable,
            .deleteVariable, .shift, .expect, .removeExpectation:
            break
        }
        return []
    }
}

extension WorkspaceChange {
    /// The change that gives what it renamed its former name; nil if it renamed nothing.
    fileprivate var renamingBack: WorkspaceChange? {
        switch self {
        case .move(let old, let new): .move(new, to: old)
        case .renameEnvironment(let old, let new): .renameEnvironment(new, to: old)
        default: nil
        }
    }
}

extension EditedRequests {
    /// Keeps the edits of a target, or of those in a group, under its new path.
    mutating func move(_ old: String, to new: String) {
        for (id, edited) in requests {
            guard let moved = id.moved(from: old, to: new) else { continue }
            requests[id] = nil
            requests[moved] = edited
        }
    }
}

extension CatalogID {
    /// The identity after a group or a target has got another path; nil if it keeps its own.
    func moved(from old: String, to new: String) -> CatalogID? {
        guard description == old || description.hasPrefix("\(old)/") else { return nil }
        return CatalogID(new + description.dropFirst(old.count))
    }
}

extension Catalog {
    /// The identities of the targets in a group, and in the groups in it.
    func targetIDs(in group: String) -> [CatalogID] { Self.targetIDs(in: group, nodes, path: "") }

    /// How many targets are in a group.
    func targetCount(in group: String) -> Int { targetIDs(in: group).count }

    private static func targetIDs(
        in group: String,
        _ nodes: [CatalogNode],
        path: String
    ) -> [CatalogID] {
        nodes.flatMap { node -> [CatalogID] in
            switch node {
            case .group(let name, let children):
                targetIDs(in: group, children, path: "\(path)\(name)/")
            case .target(let target): path.hasPrefix("\(group)/") ? [target.id] : []
            case .batch, .chain: []
            }
        }
    }
}
