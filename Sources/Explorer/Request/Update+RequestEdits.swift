import Terminal
import TreeView
import Workspaces

/// Edits of requests: having the catalog apply them, saving them, and pasted requests.
extension Model {
    /// Changes the request that the pane shows, and has the catalog apply the edits.
    mutating func changeRequest(_ change: (inout RequestEdits) -> Void) -> [Effect] {
        guard let id = requestPane.target, var edited = editedRequests[id] else { return [] }
        let before = edited.edits
        change(&edited.edits)
        guard edited.edits != before else { return [] }
        editedRequests[id] = edited
        return applyEdits(of: id)
    }

    /// Has the catalog apply the edits of a target; if nothing is edited, restores the target.
    mutating func applyEdits(of id: CatalogID) -> [Effect] {
        guard var edited = editedRequests[id] else { return [] }
        edited.ticket = editedRequests.nextTicket()
        (edited.applied, edited.problem) = (nil, nil)
        editedRequests[id] = edited
        defer { arrangeRequest() }
        guard edited.edits.isEdited else { return put(edited.base) }
        return applying(edited)
    }

    private func applying(_ edited: EditedRequest) -> [Effect] {
        guard let source = catalog?.source else { return [] }
        let draft = edited.edits.draft
        return [.request(.apply(draft, edited.base, ticket: edited.ticket, source))]
    }

    /// Replaces the target with the same identity, and resolves its request again.
    private mutating func put(_ target: CatalogTarget) -> [Effect] {
        guard catalog?.replace(target) == true, let catalog else { return [] }
        views.forgetRequest(of: target.id)
        list.arrange(catalog)
        fitPanes()
        return list.selected?.id == target.id ? resolveSelection() : []
    }

    /// Handles the result of work on a request.
    mutating func take(_ message: RequestMessage) -> [Effect] {
        switch message {
        case .applied(let id, let ticket, let result): return takeApplied(result, of: id, ticket)
        case .saved(let id, let destination, let result):
            return takeSaved(id, destination, result)
        case .fileMade(let name):
            sourceName = name
            editedRequests.openedFile = name
            return [.loadCatalog]
        case .previewed(let id, let ticket, let preview):
            guard requestPane.target == id, requestPane.previewTicket == ticket else { return [] }
            requestPane.preview = preview
            if requestPane.tab.isOfPrepared { arrangeRequest() }
        case .pasted(let name, let draft, let target, let notes):
            return takePasted(.init(name: name, draft: draft, target: target), notes)
        case .pasteFailed(let problem):
            editedRequests.pasting = nil
            notice = Notice(kind: .failure, text: problem.description)
        case .made(let name, let result): return takeMade(name, result)
        case .scratchBegun(let id, let path):
            editedRequests.scratch = .init(item: id, path: path)
            return [.session(.run(editor.arguments(for: FilePlace(file: path, line: 1))))]
        case .scratchEnded(let id, let text):
            guard requestPane.target == id else { return [] }
            return changeRequest { $0.takeText(text) }
        case .copied(let text, let what): return take(HistoryMessage.copied(text, what: what))
        case .cookies(let jar, let list, let problem): return take(list, of: jar, problem)
        case .failed(let text): notice = Notice(kind: .failure, text: text)
        case .supplied:
            views.forgetRequests()
            return resolveSelection() + sendSelected()
        }
        return []
    }

    private mutating func takeApplied(
        _ result: Result<CatalogTarget, CatalogProblem>,
        of id: CatalogID,
        _ ticket: Int
    ) -> [Effect] {
        guard var edited = editedRequests[id], edited.ticket == ticket else { return [] }
        let then = edited.then
        edited.then = nil
        switch result {
        case .success(let target):
            edited.applied = target
            editedRequests[id] = edited
            let effects = put(target)
            switch then {
            case .send where list.selected?.id == id: return effects + sendSelected()
            case .save where list.selected?.id == id: return effects + saveRequest()
            default: return effects
            }
        case .failure(let problem):
            edited.problem = problem
            editedRequests[id] = edited
            notice = Notice(kind: .failure, text: problem.description)
            arrangeRequest()
            return []
        }
    }

    /// Whether sending has to wait until the edits are applied; throws if the catalog has refused them.
    mutating func awaitsEdits(of id: CatalogID) throws(CatalogProblem) -> Bool {
        guard let edited = editedRequests[id] else { return false }
        if let problem = edited.problem { throw problem }
        guard edited.isApplying else { return false }
        editedRequests[id]?.then = .send
        return true
    }

    // MARK: Saving

    /// Writes the edits of the selected target to its file.
    mutating func saveRequest() -> [Effect] {
        guard let id = list.selected?.id, editedRequests.isEdited(id) || editedRequests.isNew(id)
        else {
            say(catalog?.newFile != nil ? noRequestYet : "nothing has been edited here")
            return []
        }
        if editedRequests.isNew(id) { return askForName() }
        guard let target = targetToSave(id) else { return [] }
        return write(target, to: .inPlace)
    }

    /// Has an edit written; asks for the name of the file if there is none yet.
    private mutating func write(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) -> [Effect] {
        guard let catalog else { return [] }
        guard let file = catalog.newFile else {
            return [.request(.save(target, destination, catalog.source))]
        }
        return makeFile(file, for: .save(target, destination))
    }

    /// That a workspace without a file has nothing to save, and how that changes.
    private var noRequestYet: String {
        let ways = [Action.newRequest, .pasteRequest, .edit].compactMap {
            keys.hint(for: $0, in: [.targets, .explorer])
        }
        return "there is nothing to save yet: "
            + ways.map { "\($0.key) \($0.label)" }.joined(separator: ", ")
    }

    /// Asks for the name under which the selected target is saved as a new one.
    mutating func askForName() -> [Effect] {
        guard let row = list.selected, case .target = row.kind else { return [] }
        guard editedRequests.isEdited(row.id) || editedRequests.isNew(row.id) else {
            notice = Notice(kind: .information, text: "nothing has been edited here")
            return []
        }
        guard targetToSave(row.id) != nil else { return [] }
        // The group stands before the name, so that another one can be chosen.
        let name = editedRequests.isNew(row.id) ? row.name : ""
        let group = SavePath(row.id.description).group.map { "\($0)/" } ?? ""
        prompt = LinePrompt(
            purpose: .saveAs(row.id),
            field: TextField(group + name, placeholder: "group/name of the new target", limit: 512)
        )
        prompt?.groups = catalog?.targetGroups ?? []
        return []
    }

    mutating func save(_ id: CatalogID, as name: String, _ prompt: LinePrompt) -> [Effect] {
        guard !name.isEmpty else { return [] }
        guard !SavePath(name).name.isEmpty else {
            self.prompt = prompt
            notice = Notice(kind: .failure, text: "type a name after the group, as in \(name)List")
            return []
        }
        guard let target = targetToSave(id) else { return [] }
        return write(target, to: .beside(name: name))
    }

    /// The target to write; nil while the catalog is working on its edits, if that failed, or if there is no file.
    private mutating func targetToSave(_ id: CatalogID) -> CatalogTarget? {
        let pasted = editedRequests.pasted.first { $0.target.id == id }?.target
        let edited = editedRequests[id]
        if let edited, edited.isApplying {
            editedRequests[id]?.then = .save
            say("it is saved as soon as the edit is taken in")
            return nil
        }
        if let problem = edited?.problem {
            notice = Notice(kind: .failure, text: problem.description)
            return nil
        }
        guard let target = edited?.applied ?? pasted, catalog?.source.isSavable == true else {
            notice = Notice(
                kind: .information,
                text: "there is no file to save to: \(sourceName) is built in"
            )
            return nil
        }
        return target
    }

    private mutating func takeSaved(
        _ id: CatalogID,
        _ destination: SaveDestination,
        _ result: Result<Catalog?, CatalogProblem>
    ) -> [Effect] {
        let saved: Catalog?
        switch result {
        case .success(let catalog): saved = catalog
        case .failure(let problem):
            editedRequests.namedFile = nil
            notice = Notice(kind: .failure, text: "not saved: \(problem.description)")
            return []
        }
        let base = editedRequests[id]?.base
        editedRequests[id] = nil
        requestPane.target = nil
        if let name = editedRequests.namedFile { sourceName = name }
        editedRequests.namedFile = nil
        var effects: [Effect] = []
        switch destination {
        case .inPlace: notice = Notice(kind: .information, text: "saved in \(sourceName)")
        case .beside(let name):
            let new = SavePath(name).target(beside: id)
            notice = Notice(kind: .information, text: "saved as \(new) in \(sourceName)")
            editedRequests.awaited = new
            if editedRequests.isNew(id) {
                editedRequests.pasted.removeAll { $0.target.id == id }
                catalog?.removeNew(id)
                if let catalog { list.arrange(catalog) }
            } else if let base {
                effects = put(base)
            }
        }
        if let saved { return effects + take(saved) }
        // Loads the files, because some file systems do not report changes.
        return effects + showRequest() + [.loadCatalog]
    }

    // MARK: A catalog that is read again

    /// Puts the edited and pasted requests into a catalog that was read again.
    mutating func reapplyEdits() -> [Effect] {
        guard let read = catalog else { return [] }
        var effects: [Effect] = []
        for pasted in editedRequests.pasted {
            catalog?.addNew(pasted.target)
            effects.append(.request(.make(name: pasted.name, pasted.draft, read.source)))
        }
        var lost = 0
        for (id, edited) in editedRequests.requests {
            guard case .target(let target)? = catalog?.node(id) else {
                lost += edited.edits.isEdited ? 1 : 0
                editedRequests[id] = nil
                continue
            }
            guard let rebased = rebased(edited, onto: target) else {
                editedRequests[id] = nil
                continue
            }
            editedRequests[id] = rebased
            effects += applying(rebased)
        }
        if lost > 0 {
            let text =
                lost == 1 ? "a request that was edited is gone" : "\(lost) edited requests are gone"
            notice = Notice(kind: .warning, text: "\(text) from \(sourceName)")
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
            let draft = try? catalog?.source.draft(of: target, in: environment)
        else { return nil }
        var new = EditedRequest(base: target, draft, environment: environment)
        new.edits = edited.edits.rebased(onto: draft)
        new.ticket = editedRequests.nextTicket()
        new.then = edited.then
        return new.edits.isEdited ? new : nil
    }

    /// Selects the target that was saved, as soon as the catalog has it.
    mutating func selectAwaited() {
        guard let id = editedRequests.awaited, let catalog, catalog.node(id) != nil else { return }
        editedRequests.awaited = nil
        list.reveal(id, in: catalog)
    }

    // MARK: Pasting

    /// Asks for a request as text.
    mutating func startPaste() -> [Effect] {
        guard catalog != nil else { return refuse("no request can be added to \(sourceName)") }
        prompt = LinePrompt(
            purpose: .request,
            field: TextField(placeholder: "a curl command, a URL, or raw HTTP")
        )
        return []
    }

    /// Takes a text as a new request.
    mutating func pasteRequest(_ text: String) -> [Effect] {
        guard let catalog, text.contains(where: { !$0.isWhitespace }) else { return [] }
        editedRequests.pasting = .init()
        return [.request(.paste(text, catalog))]
    }

    /// While a pasted text is being read, notes that a key has asked to send it; nil for other keys.
    mutating func handleWhilePasting(_ key: Key) -> [Effect]? {
        guard editedRequests.pasting != nil, key == Key(.enter) || key == Key("r") else {
            return nil
        }
        editedRequests.pasting?.isSent = true
        return []
    }

    private mutating func takePasted(
        _ pasted: EditedRequests.Pasted,
        _ notes: [String]
    ) -> [Effect] {
        let isSent = editedRequests.pasting?.isSent ?? false
        editedRequests.pasting = nil
        guard catalog != nil else { return [] }
        editedRequests.pasted.removeAll { $0.target.id == pasted.target.id }
        editedRequests.pasted.append(pasted)
        catalog?.addNew(pasted.target)
        list.filter = nil
        if let catalog { list.arrange(catalog) }
        list.unfold(EditedRequests.newGroup, in: catalog)
        if let row = list.rows.firstIndex(where: { $0.id == pasted.target.id }) {
            list.scroll.select(row)
        }
        if focus != .request { focus = .targets }
        if !notes.isEmpty {
            notice = Notice(kind: .warning, text: notes.joined(separator: "; "))
        }
        let effects = lookAtSelection()
        // A request that uses variables or a file of this machine is shown before it is sent.
        var isFilled = !pasted.draft.usedNames.isEmpty
        if case .file = pasted.draft.body { isFilled = true }
        return isSent && !isFilled ? effects + sendSelected() : effects
    }

    private mutating func takeMade(
        _ name: String,
        _ result: Result<CatalogTarget, CatalogProblem>
    ) -> [Effect] {
        // A request that the files no longer allow stays as it was.
        guard case .success(let target) = result,
            let index = editedRequests.pasted.firstIndex(where: { $0.name == name })
        else { return [] }
        editedRequests.pasted[index].target = target
        let id = target.id
        if let edited = editedRequests[id], let rebased = rebased(edited, onto: target) {
            editedRequests[id] = rebased
            return applying(rebased)
        }
        // The pane reads its draft again.
        editedRequests[id] = nil
        return put(target) + (requestPane.target == id ? showRequest() : [])
    }

    // MARK: The body in an editor

    /// Opens the body in the user's editor.
    mutating func openBody() -> [Effect] {
        guard let id = requestPane.target, let body = editedRequests[id]?.edits.body,
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
        guard let scratch = editedRequests.scratch else { return nil }
        editedRequests.scratch = nil
        return [.request(.endScratch(scratch.item, path: scratch.path))]
    }

    // MARK: Leaving and asking

    /// Quits; with unsaved edits, only at the second try.
    mutating func leave() -> [Effect] {
        let count = editedRequests.unsavedCount(isSavable: catalog?.source.isSavable ?? false)
        guard count > 0, !editedRequests.mayLeave else { return [.session(.quit(status: 0))] }
        editedRequests.mayLeave = true
        let requests = count == 1 ? "a request has" : "\(count) requests have"
        notice = Notice(
            kind: .warning,
            text: "\(requests) unsaved edits: q again quits, S saves"
        )
        return []
    }

    /// Asks for a missing value; returns false if none would help.
    mutating func ask(for problem: CatalogProblem) -> Bool {
        guard let missing = problem.missing else { return false }
        prompt = LinePrompt(
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
    mutating func takeText(_ text: String) {
        guard let old = body.text else { return }
        let hadFeed = old.hasSuffix("\n")
        body = body.with(!hadFeed && text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
