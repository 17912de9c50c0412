import Apus
import Documents
import Interchange
import Terminal
import TreeView
import Workspaces

/// The request pane: opening it, its lines, and what its keys do.
extension Model {
    /// Whether the request pane is on the screen; it belongs to the line under the list's cursor.
    var showsRequestPane: Bool {
        guard request.isOpen, responses.opened == nil, responses.watched == nil,
            layers.pastValues == nil
        else { return false }
        if case .target? = targets.selected?.kind { return true }
        return false
    }

    /// The target that the pane shows, as it would be sent.
    private var requestTarget: CatalogTarget? {
        guard let id = targets.selected?.id,
            case .target(let target)? = workspace.catalog?.nodes.node(with: id)
        else {
            return nil
        }
        return target
    }

    /// Opens the pane, at a tab or at its last one; without a tab, closes it if it already has the keys.
    mutating func openRequest(at tab: RequestTab?) -> [Effect] {
        guard case .target? = targets.selected?.kind else {
            return say("select a target to edit its request")
        }
        if tab == nil, request.isOpen, panes.focus == .request { return closeRequest() }
        closeOpened()
        layers.pastValues = nil
        (request.isOpen, request.isPassed) = (true, false)
        if let tab { request.tab = tab }
        request.target = nil
        move(to: .request)
        return showRequest()
    }

    /// Closes the pane; edits stay.
    mutating func closeRequest() -> [Effect] {
        request.isOpen = false
        request.field = nil
        move(to: .targets)
        return []
    }

    // MARK: Lines

    /// Shows the request of the line under the list's cursor in the pane.
    mutating func showRequest() -> [Effect] {
        guard showsRequestPane, let target = requestTarget else {
            if panes.focus == .request { move(to: .targets) }
            return []
        }
        let isOther = request.target != target.id
        request.target = target.id
        if isOther { request.startAnew() }
        loadDraft(target)
        arrangeRequest()
        if isOther { request.moveToStart() }
        return previewRequest()
    }

    /// Reads the draft of a target if that has not been done, and drops the drafts of others that are not edited.
    private mutating func loadDraft(_ target: CatalogTarget) {
        request.edited.requests = request.edited.requests.filter {
            $0.key == target.id || $0.value.edits.isEdited
        }
        request.problem = nil
        if let edited = request.edited[target.id], edited.environment == workspace.environment {
            return
        }
        let base = request.edited[target.id]?.base ?? target
        guard let source = workspace.catalog?.source else { return }
        do throws(CatalogError) {
            let draft = try source.draft(of: base, in: workspace.environment)
            guard var edited = request.edited[target.id] else {
                request.edited[target.id] = EditedRequest(
                    base: base,
                    draft,
                    environment: workspace.environment
                )
                return
            }
            edited.edits = edited.edits.rebased(onto: draft)
            edited.environment = workspace.environment
            request.edited[target.id] = edited
        } catch {
            request.problem = error.description
        }
    }

    /// Makes the lines of the tab again.
    mutating func arrangeRequest() {
        let tab = request.tab
        if tab == .preview || tab == .cookies {
            request.show(preparedLines(of: tab))
        } else if let problem = request.problem {
            request.show([.note(problem)])
        } else if let edited = request.shownEdits {
            let lines = RequestLines(
                edited.edits,
                variables: workspace.variables,
                signIn: signInWords
            )
            request.show(lines.lines(of: tab))
        } else {
            request.show([])
        }
        request.fit(height: layout.requestRows)
    }

    /// The lines that show what would be sent.
    private func preparedLines(of tab: RequestTab) -> [RequestLine] {
        if case .failure(let problem)? = selectedView?.request {
            return [.note(problem.description)]
        }
        if let problem = request.shownEdits?.problem { return [.note(problem.description)] }
        guard let preview = request.preview else { return [] }
        if let problem = preview.problem { return [.note(problem)] }
        if tab == .preview { return preview.lines.map { .note($0) } }
        guard preview.cookies.isEmpty else {
            return preview.cookies.map {
                RequestLine(subject: .note, name: $0.name, value: $0.value, remark: $0.remark)
            }
        }
        return [
            .note(
                preview.hasJar
                    ? "No cookies are sent: the environment has none for this URL."
                    : preview.sendsCookies
                        ? "This request has no cookie jar: only a Cookie field of its own is sent."
                        : "Cookies are switched off: only a Cookie field of its own is sent."
            )
        ]
    }

    /// Has a preview made of what would be sent, if the tab shows one.
    mutating func previewRequest() -> [Effect] {
        guard showsRequestPane, request.tab.isOfPrepared, let id = request.target,
            case .success(let resolved)? = view(of: id)?.request,
            request.edited[id]?.isApplying != true
        else { return [] }
        let ticket = request.edited.nextTicket()
        request.previewTicket = ticket
        return [.request(.preview(id, ticket: ticket, resolved))]
    }

    // MARK: Keys

    /// Performs an action of the pane; nil if it has no such action.
    mutating func performInRequest(_ action: Action) -> [Effect]? {
        guard panes.focus == .request, showsRequestPane else { return nil }
        if action != .takeBack { request.takesBackAll = false }
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last: request.scroll.move(action)
        case .nextTab: return show(request.tab.after(1))
        case .previousTab: return show(request.tab.after(-1))
        case .editValue: return editLine(replacing: false)
        case .replaceValue: return editLine(replacing: true)
        case .addRow: request.startRow()
        case .copy: layers.open(.copyLetter)
        case .toggleFold: request.toggleFold()
        case .foldAll: request.foldAll()
        case .unfoldAll: request.unfoldAll()
        case .search: startFinding()
        case .nextMatch, .previousMatch: stepMatch(forward: action == .nextMatch)
        case .back where !request.needle.isEmpty: request.stopFinding()
        case .removeRow: return removeLine()
        case .changeKind: return changeKind()
        case .editURL: request.startURL()
        case .edit where request.tab == .body && request.shownEdits?.edits.body.text != nil:
            return openBody()
        case .back: return closeRequest()
        default: return nil
        }
        return []
    }

    mutating func show(_ tab: RequestTab) -> [Effect] {
        request.tab = tab
        request.stopFinding()
        arrangeRequest()
        request.moveToStart()
        return previewRequest()
    }

    private mutating func startFinding() {
        layers.prompt = LinePrompt(
            purpose: .find,
            field: TextField(request.needle, placeholder: "text in this tab", limit: 1024)
        )
        request.beginFinding()
    }

    private mutating func stepMatch(forward: Bool) {
        let isWrapped = request.step(forward: forward)
        if isWrapped == true { notice = DocumentPane.wrapped(forward: forward) }
        guard isWrapped == nil else { return }
        say("no matches for \(request.needle)")
    }

    /// Handles the letter that selects the format of a copy, a capital to include secrets.
    mutating func handleCopyLetter(_ key: Key) -> [Effect] {
        layers.close(.copyLetter)
        guard let letter = key.text,
            let format = CopyFormat.all.first(where: { $0.key == letter.lowercased() })
        else { return [] }
        return copyRequest(
            as: format.exporter.name,
            keepsSecrets: letter != letter.lowercased()
        )
    }

    /// Starts to edit the line under the cursor; for credentials of another kind, switches to that.
    private mutating func editLine(replacing: Bool) -> [Effect] {
        if case .authorization? = request.selected?.subject { return changeKind() }
        request.editLine(replacing: replacing)
        return []
    }

    private mutating func removeLine() -> [Effect] {
        guard let line = request.selected else { return [] }
        return changeRequest { $0.remove(line) }
    }

    /// Switches to the next kind of body or credentials.
    private mutating func changeKind() -> [Effect] {
        switch request.tab {
        case .authorization: return changeRequest { $0.authorization = $0.authorization.next }
        case .body: return changeRequest { $0.body = $0.nextBody }
        case .headers, .query, .options, .cookies, .preview: return []
        }
    }

    /// Takes back the edit of the row under the cursor; pressed again, all edits of the request.
    mutating func takeBack() -> [Effect] {
        let isInPane = panes.focus == .request && showsRequestPane
        guard let id = targets.selected?.id, request.edited.isEdited(id) else {
            return say("nothing has been edited here")
        }
        if request.takesBackAll {
            request.takesBackAll = false
            return takeBackAll(id)
        }
        request.takesBackAll = true
        say("ctrl+r again takes back all edits of this request")
        guard isInPane, let line = request.selected else { return [] }
        return changeRequest { $0.takeBack(line) }
    }

    private mutating func takeBackAll(_ id: CatalogID) -> [Effect] {
        guard var edited = request.edited[id] else { return [] }
        notice = nil
        edited.edits = RequestEdits(edited.edits.original)
        request.edited[id] = edited
        return applyEdits(of: id)
    }

    // MARK: Typing

    /// Handles a key while a value is typed; nil if none is.
    mutating func handleInRequestField(_ key: Key) -> [Effect]? {
        guard panes.focus == .request, showsRequestPane, request.field != nil else { return nil }
        switch (key.code, key.modifiers) {
        case (.enter, let modifiers): return acceptField(sending: modifiers.contains(.alt))
        case (.escape, []): request.field = nil
        case (.tab, []):
            let variables = workspace.variables
            if request.field?.complete(variables) == false, request.field?.part == .name {
                request.field?.goOn()
            }
        case (.tab, .shift): request.field?.goBack()
        case (.up, []), (.down, []):
            request.field?.recall(request.typed, older: key.code == .up)
        case (.character("s"), .alt): request.field?.value.isMasked.toggle()
        default:
            let isTaken = request.field?.handle(key) ?? false
            if !isTaken, key == Key("ctrl+c") { return leave() }
        }
        return []
    }

    /// Takes the input into the request; after the name of a new row, goes on to its value.
    private mutating func acceptField(sending: Bool) -> [Effect] {
        guard var field = request.field else { return [] }
        if field.isNew, field.part == .name, !sending {
            guard !field.name.isEmpty else {
                request.field = nil
                return []
            }
            field.goOn()
            request.field = field
            return []
        }
        request.field = nil
        let (name, value) = (field.name.text, field.value.text)
        if !field.value.isMasked { request.keep(typed: value) }
        var index: Int?
        let effects = changeRequest { index = $0.accept(field, name: name, value: value) }
        if field.isNew {
            let subject = field.subjectOfNew(at: index)
            let added = request.lines.firstIndex { $0.subject == subject }
            request.scroll.select(added ?? request.scroll.selection + 1)
        }
        return effects + (sending ? sendSelected() : [])
    }
}

extension RequestField {
    /// The line that a new field becomes; for a row, at an index of its table.
    func subjectOfNew(at index: Int?) -> RequestLine.Subject? {
        switch subject {
        case .row(let table, let old): .row(table, index ?? old + 1)
        case .text(let index): .text(index + 1)
        default: nil
        }
    }
}
