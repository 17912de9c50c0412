import Terminal
import TreeView
import Workspaces

/// Edits of requests: having the catalog apply them, saving them, and pasted requests.
extension Model {
    /// Changes the request that the pane shows, and has the catalog apply the edits.
    mutating func changeRequest(_ change: (inout RequestEdits) -> Void) -> [Effect] {
        guard let id = request.target, var edited = request.edited[id] else { return [] }
        let before = edited.edits
        change(&edited.edits)
        guard edited.edits != before else { return [] }
        request.edited[id] = edited
        return applyEdits(of: id)
    }

    /// Has the catalog apply the edits of a target; if nothing is edited, restores the target.
    mutating func applyEdits(of id: CatalogID) -> [Effect] {
        guard var edited = request.edited[id] else { return [] }
        edited.ticket = request.edited.nextTicket()
        (edited.applied, edited.problem) = (nil, nil)
        request.edited[id] = edited
        defer { arrangeRequest() }
        guard edited.edits.isEdited else { return put(edited.base) }
        return applying(edited)
    }

    private func applying(_ edited: EditedRequest) -> [Effect] {
        guard let source = workspace.catalog?.source else { return [] }
        let draft = edited.edits.draft
        return [.request(.apply(draft, edited.base, ticket: edited.ticket, source))]
    }

    /// Replaces the target with the same identity, and resolves its request again.
    private mutating func put(_ target: CatalogTarget) -> [Effect] {
        guard workspace.catalog?.replace(target) == true, let catalog = workspace.catalog else {
            return []
        }
        responses.views.forgetRequest(of: target.id)
        targets.arrange(catalog)
        fitPanes()
        return targets.selected?.id == target.id ? resolveSelection() : []
    }

    /// Handles the result of work on a request.
    mutating func receive(_ message: RequestMessage) -> [Effect] {
        switch message {
        case .applied(let id, let ticket, let result):
            return finishApplying(result, to: id, ticket: ticket)
        case .saved(let id, let destination, let result):
            return finishSaving(id, to: destination, result)
        case .fileMade(let name, let isOpened):
            workspace.sourceName = name
            if isOpened {
                request.edited.openedFile = name
            } else {
                say("everything is saved in \(name), which is open now")
            }
            return [.loadCatalog]
        case .previewed(let id, let ticket, let preview):
            guard request.target == id, request.previewTicket == ticket else { return [] }
            request.preview = preview
            if request.tab.isOfPrepared { arrangeRequest() }
        case .pasted(let name, let draft, let target, let notes):
            return insert(.init(name: name, draft: draft, target: target), notes: notes)
        case .pasteFailed(let problem):
            request.edited.pasting = nil
            fail(problem.description)
        case .made(let name, let result): return replacePasted(name, with: result)
        case .scratchBegun(let id, let path):
            request.edited.scratch = .init(item: id, path: path)
            return [.session(.run(workspace.editor.arguments(for: FilePlace(file: path, line: 1))))]
        case .scratchEnded(let id, let text):
            guard request.target == id else { return [] }
            return changeRequest { $0.replaceText(text) }
        case .cookies(let jar, let list, let problem): return show(list, of: jar, problem: problem)
        case .changed(let change, let result): return finishChanging(change, result)
        case .imported(let result): return finishImport(result)
        case .undone(let what, let change, let catalog):
            return finishUndoing(what, change, catalog)
        case .failed(let text): fail(text)
        case .supplied:
            responses.views.forgetRequests()
            return resolveSelection() + sendSelected()
        }
        return []
    }

    /// Shows what the catalog made of the edits, unless newer ones wait; then sends or saves, if that was asked for.
    private mutating func finishApplying(
        _ result: Result<CatalogTarget, CatalogError>,
        to id: CatalogID,
        ticket: Int
    ) -> [Effect] {
        guard var edited = request.edited[id], edited.ticket == ticket else { return [] }
        let then = edited.then
        edited.then = nil
        switch result {
        case .success(let target):
            edited.applied = target
            request.edited[id] = edited
            let effects = put(target)
            switch then {
            case .send where targets.selected?.id == id: return effects + sendSelected()
            case .save where targets.selected?.id == id: return effects + saveRequest()
            default: return effects
            }
        case .failure(let problem):
            edited.problem = problem
            request.edited[id] = edited
            fail(problem.description)
            arrangeRequest()
            return []
        }
    }

    /// Whether sending has to wait until the edits are applied; throws if the catalog has refused them.
    mutating func awaitsEdits(of id: CatalogID) throws(CatalogError) -> Bool {
        guard let edited = request.edited[id] else { return false }
        if let problem = edited.problem { throw problem }
        guard edited.isApplying else { return false }
        request.edited[id]?.then = .send
        return true
    }

    // MARK: Saving

    /// Writes the edits of the selected target to its file.
    mutating func saveRequest() -> [Effect] {
        guard let id = targets.selected?.id, request.edited.isEdited(id) || request.edited.isNew(id)
        else {
            guard let catalog = workspace.catalog, let file = catalog.newFile else {
                return say("nothing has been edited here")
            }
            // A file of another program is kept as a whole, edited or not.
            return catalog.title == nil ? say(noRequestYet) : makeFile(file, for: .keep)
        }
        if request.edited.isNew(id) { return askForName() }
        guard let target = targetToSave(id) else { return [] }
        return write(target, to: .inPlace)
    }

    /// Has an edit written; asks for the name of the file if there is none yet.
    private mutating func write(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) -> [Effect] {
        guard let catalog = workspace.catalog else { return [] }
        guard let file = catalog.newFile else {
            return [.request(.save(target, destination, catalog.source))]
        }
        return makeFile(file, for: .save(target, destination))
    }

    /// That a workspace without a file has nothing to save, and how that changes.
    private var noRequestYet: String {
        let hints = [Action.newRequest, .pasteRequest, .edit].compactMap {
            keys.hint(for: $0, in: [.targets, .explorer])
        }
        return "there is nothing to save yet: "
            + hints.map { "\($0.key) \($0.label)" }.joined(separator: ", ")
    }

    /// Asks for the name under which the selected target is saved as a new one.
    mutating func askForName() -> [Effect] {
        guard let row = targets.selected, case .target = row.kind else { return [] }
        guard request.edited.isEdited(row.id) || request.edited.isNew(row.id) else {
            return say("nothing has been edited here")
        }
        guard targetToSave(row.id) != nil else { return [] }
        // The group stands before the name, so that another one can be chosen.
        let name = request.edited.isNew(row.id) ? row.name : ""
        let group = SavePath(row.id.description).group.map { "\($0)/" } ?? ""
        layers.prompt = LinePrompt(
            purpose: .saveAs(row.id),
            field: TextField(group + name, placeholder: "group/name of the new target", limit: 512)
        )
        layers.prompt?.groups = workspace.catalog?.targetGroups ?? []
        return []
    }

    mutating func save(_ id: CatalogID, as name: String, _ prompt: LinePrompt) -> [Effect] {
        guard !name.isEmpty else { return [] }
        guard !SavePath(name).name.isEmpty else {
            self.layers.prompt = prompt
            return fail("type a name after the group, as in \(name)List")
        }
        guard let target = targetToSave(id) else { return [] }
        return write(target, to: .beside(name: name))
    }

    /// The target to write; nil while the catalog is working on its edits, if that failed, or if there is no file.
    private mutating func targetToSave(_ id: CatalogID) -> CatalogTarget? {
        let pasted = request.edited.pasted.first { $0.target.id == id }?.target
        let edited = request.edited[id]
        if let edited, edited.isApplying {
            request.edited[id]?.then = .save
            say("it is saved as soon as the edit is taken in")
            return nil
        }
        if let problem = edited?.problem {
            fail(problem.description)
            return nil
        }
        guard let target = edited?.applied ?? pasted, workspace.catalog?.source.isSavable == true
        else {
            say("there is no file to save to: \(workspace.sourceName) is built in")
            return nil
        }
        return target
    }

    /// Shows what a save has done; for a saved target, forgets its edits.
    private mutating func finishSaving(
        _ id: CatalogID,
        to destination: SaveDestination,
        _ result: Result<Catalog?, CatalogError>
    ) -> [Effect] {
        let saved: Catalog?
        switch result {
        case .success(let catalog): saved = catalog
        case .failure(let problem):
            request.edited.namedFile = nil
            return fail("not saved: \(problem.description)")
        }
        let base = request.edited[id]?.base
        request.edited[id] = nil
        request.target = nil
        if let name = request.edited.namedFile { workspace.sourceName = name }
        request.edited.namedFile = nil
        var effects: [Effect] = []
        switch destination {
        case .inPlace: say("saved in \(workspace.sourceName)")
        case .beside(let name):
            let new = SavePath(name).target(beside: id)
            say("saved as \(new) in \(workspace.sourceName)")
            request.edited.awaited = new
            if request.edited.isNew(id) {
                request.edited.pasted.removeAll { $0.target.id == id }
                workspace.catalog?.removeNew(id)
                if let catalog = workspace.catalog { targets.arrange(catalog) }
            } else if let base {
                effects = put(base)
            }
        }
        if let saved { return effects + show(saved) }
        // Loads the files, because some file systems do not report changes.
        return effects + showRequest() + [.loadCatalog]
    }

    // MARK: A catalog that is read again

    /// Puts the edited and pasted requests into a catalog that was read again.
    mutating func reapplyEdits() -> [Effect] {
        guard let read = workspace.catalog else { return [] }
        var effects: [Effect] = []
        for pasted in request.edited.pasted {
            workspace.catalog?.addNew(pasted.target)
            effects.append(.request(.make(name: pasted.name, pasted.draft, read.source)))
        }
        var lost = 0
        for (id, edited) in request.edited.requests {
            guard case .target(let target)? = workspace.catalog?.nodes.node(with: id) else {
                lost += edited.edits.isEdited ? 1 : 0
                request.edited[id] = nil
                continue
            }
            guard let rebased = rebased(edited, onto: target) else {
                request.edited[id] = nil
                continue
            }
            request.edited[id] = rebased
            effects += applying(rebased)
        }
        if lost > 0 {
            let text =
                lost == 1 ? "a request that was edited is gone" : "\(lost) edited requests are gone"
            warn("\(text) from \(workspace.sourceName)")
        }
        return effects
    }

    /// The edits on top of a target that was read again; nil if none are left.
    private mutating func rebased(
        _ edited: EditedRequest,
        onto target: CatalogTarget
    ) -> EditedRequest? {
        // A draft that cannot be read is reported when the target is shown.
        guard edited.edits.isEdited,
            let draft = try? workspace.catalog?.source.draft(of: target, in: workspace.environment)
        else { return nil }
        var new = EditedRequest(base: target, draft, environment: workspace.environment)
        new.edits = edited.edits.rebased(onto: draft)
        new.ticket = request.edited.nextTicket()
        new.then = edited.then
        return new.edits.isEdited ? new : nil
    }

    /// Selects the target that was saved, as soon as the catalog has it.
    mutating func selectAwaited() {
        guard let id = request.edited.awaited, let catalog = workspace.catalog,
            catalog.nodes.node(with: id) != nil || catalog.hasGroup(id)
        else { return }
        request.edited.awaited = nil
        targets.reveal(catalog.hasGroup(id) ? CatalogID("\(id)/") : id, in: catalog)
    }

    // MARK: Pasting

    /// Asks for a request as text.
    mutating func startPaste() -> [Effect] {
        guard workspace.catalog != nil else {
            return refuse("no request can be added to \(workspace.sourceName)")
        }
        layers.prompt = LinePrompt(
            purpose: .request,
            field: TextField(placeholder: "a curl command, a URL, or raw HTTP")
        )
        return []
    }

    /// Takes a text as a new request.
    mutating func pasteRequest(_ text: String) -> [Effect] {
        guard let catalog = workspace.catalog, text.contains(where: { !$0.isWhitespace }) else {
            return []
        }
        request.edited.pasting = .init()
        return [.request(.paste(text, catalog))]
    }

    /// While a pasted text is being read, notes that a key has asked to send it; nil for other keys.
    mutating func handleWhilePasting(_ key: Key) -> [Effect]? {
        guard request.edited.pasting != nil, key == Key(.enter) || key == Key("r") else {
            return nil
        }
        request.edited.pasting?.isSent = true
        return []
    }

    /// Adds a pasted request to the list, and selects it.
    private mutating func insert(
        _ pasted: EditedRequests.Pasted,
        notes: [String]
    ) -> [Effect] {
        let pasting = request.edited.pasting
        let isSent = pasting?.isSent ?? false
        request.edited.pasting = nil
        guard workspace.catalog != nil else { return [] }
        request.edited.pasted.removeAll { $0.target.id == pasted.target.id }
        request.edited.pasted.append(pasted)
        workspace.catalog?.addNew(pasted.target)
        targets.filter = nil
        if let catalog = workspace.catalog { targets.arrange(catalog) }
        targets.unfold(EditedRequests.newGroup, in: workspace.catalog)
        if let row = targets.rows.firstIndex(where: { $0.id == pasted.target.id }) {
            targets.scroll.select(row)
        }
        if panes.focus != .request { panes.focus = .targets }
        if !notes.isEmpty {
            warn(notes.joined(separator: "; "))
        }
        let effects = lookAtSelection()
        // A request that uses variables or a file of this machine is shown before it is sent.
        var isFilled = !pasted.draft.usedNames.isEmpty
        if case .file = pasted.draft.body { isFilled = true }
        if pasting?.isTyped == true, !isSent { return effects + openRequest(at: .body) }
        return isSent && (!isFilled || pasting?.isTyped == true)
            ? effects + sendSelected() : effects
    }

    /// Puts a pasted request that was made again in its place.
    private mutating func replacePasted(
        _ name: String,
        with result: Result<CatalogTarget, CatalogError>
    ) -> [Effect] {
        // A request that the files no longer allow stays as it was.
        guard case .success(let target) = result,
            let index = request.edited.pasted.firstIndex(where: { $0.name == name })
        else { return [] }
        request.edited.pasted[index].target = target
        let id = target.id
        if let edited = request.edited[id], let rebased = rebased(edited, onto: target) {
            request.edited[id] = rebased
            return applying(rebased)
        }
        // The pane reads its draft again.
        request.edited[id] = nil
        return put(target) + (request.target == id ? showRequest() : [])
    }

    // MARK: The body in an editor

    /// Opens the body in the user's editor.
    mutating func openBody() -> [Effect] {
        guard let id = request.target, let body = request.edited[id]?.edits.body,
            let text = body.text
        else { return [] }
        let suffix =
            switch body {
            case .json: ".json"
            case .graphQL: ".graphql"
            default: ".txt"
            }
        return [.request(.beginScratch(id, text: text, suffix: suffix))]
    }

    /// Reads the body that an editor wrote; nil if the editor had another file.
    mutating func endScratch() -> [Effect]? {
        guard let scratch = request.edited.scratch else { return nil }
        request.edited.scratch = nil
        return [.request(.endScratch(scratch.item, path: scratch.path))]
    }

    // MARK: Leaving and asking

    /// Quits; with unsaved edits, only at the second try.
    mutating func leave() -> [Effect] {
        let count = request.edited.unsavedCount(
            isSavable: workspace.catalog?.source.isSavable ?? false
        )
        guard count > 0, !request.edited.mayLeave else { return [.session(.quit(status: 0))] }
        request.edited.mayLeave = true
        let requests = count == 1 ? "a request has" : "\(count) requests have"
        return warn("\(requests) unsaved edits: q again quits, S saves")
    }

    /// Asks for a missing value; returns false if none would help.
    mutating func ask(for problem: CatalogError) -> Bool {
        guard let missing = problem.missing else { return false }
        layers.prompt = LinePrompt(
            purpose: .missing(missing),
            field: TextField(
                placeholder: "the value, for as long as apus runs",
                isMasked: missing.isSecret
            )
        )
        return true
    }
}

extension RequestEdits {
    /// Takes the body as the editor wrote it, without a final line feed that the editor added.
    mutating func replaceText(_ text: String) {
        guard let old = body.text else { return }
        let hadFeed = old.hasSuffix("\n")
        body = body.with(!hadFeed && text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
