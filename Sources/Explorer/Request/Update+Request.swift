import Apus
import Documents
import Terminal
import TreeView
import Workspaces

/// The request pane: opening it, its lines, and what its keys do.
extension Model {
    /// Whether the request pane is on the screen; it belongs to the line under the list's cursor.
    var showsRequestPane: Bool {
        guard isRequestOpen, opened == nil, watched == nil, pastValues == nil else { return false }
        if case .target? = list.selected?.kind { return true }
        return false
    }

    /// The target that the pane shows, as it would be sent.
    private var requestTarget: CatalogTarget? {
        guard let id = list.selected?.id, case .target(let target)? = catalog?.node(id) else {
            return nil
        }
        return target
    }

    /// The variables that can be used in braces.
    var requestVariables: [CatalogVariable] { catalog?.source.variables(in: environment) ?? [] }

    /// Opens the pane, at a tab or at its last one; without a tab, closes it if it already has the keys.
    mutating func openRequest(at tab: RequestTab?) -> [Effect] {
        guard case .target? = list.selected?.kind else {
            notice = Notice(kind: .information, text: "select a target to edit its request")
            return []
        }
        if tab == nil, isRequestOpen, focus == .request { return closeRequest() }
        closeOpened()
        pastValues = nil
        (isRequestOpen, isRequestPassed) = (true, false)
        if let tab { requestPane.tab = tab }
        requestPane.target = nil
        move(to: .request)
        return showRequest()
    }

    /// Closes the pane; edits stay.
    mutating func closeRequest() -> [Effect] {
        isRequestOpen = false
        requestPane.field = nil
        move(to: .targets)
        return []
    }

    // MARK: Lines

    /// Shows the request of the line under the list's cursor in the pane.
    mutating func showRequest() -> [Effect] {
        guard showsRequestPane, let target = requestTarget else {
            if focus == .request { move(to: .targets) }
            return []
        }
        let isOther = requestPane.target != target.id
        requestPane.target = target.id
        if isOther { requestPane.startAnew() }
        loadDraft(target)
        arrangeRequest()
        if isOther { requestPane.moveToStart() }
        return previewRequest()
    }

    /// Reads the draft of a target if that has not been done, and drops the drafts of others that are not edited.
    private mutating func loadDraft(_ target: CatalogTarget) {
        editedRequests.requests = editedRequests.requests.filter {
            $0.key == target.id || $0.value.edits.isEdited
        }
        requestPane.problem = nil
        if let edited = editedRequests[target.id], edited.environment == environment { return }
        let base = editedRequests[target.id]?.base ?? target
        guard let source = catalog?.source else { return }
        do throws(CatalogProblem) {
            let draft = try source.draft(of: base, in: environment)
            guard var edited = editedRequests[target.id] else {
                editedRequests[target.id] = EditedRequest(
                    base: base,
                    draft,
                    environment: environment
                )
                return
            }
            edited.edits = edited.edits.rebased(onto: draft)
            edited.environment = environment
            editedRequests[target.id] = edited
        } catch {
            requestPane.problem = error.description
        }
    }

    /// The edits of the request that the pane shows.
    var shownEdits: EditedRequest? { requestPane.target.flatMap { editedRequests[$0] } }

    /// Makes the lines of the tab again.
    mutating func arrangeRequest() {
        let tab = requestPane.tab
        if tab == .preview || tab == .cookies {
            requestPane.show(preparedLines(of: tab))
        } else if let problem = requestPane.problem {
            requestPane.show([.note(problem)])
        } else if let edited = shownEdits {
            let lines = RequestLines(edited.edits, variables: requestVariables)
            requestPane.show(lines.lines(of: tab))
        } else {
            requestPane.show([])
        }
        requestPane.fit(height: layout.requestRows)
    }

    /// The lines that show what would be sent.
    private func preparedLines(of tab: RequestTab) -> [RequestLine] {
        if case .failure(let problem)? = selectedView?.request {
            return [.note(problem.description)]
        }
        if let problem = shownEdits?.problem { return [.note(problem.description)] }
        guard let preview = requestPane.preview else { return [] }
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
        guard showsRequestPane, requestPane.tab.isOfPrepared, let id = requestPane.target,
            case .success(let resolved)? = views[id]?.request,
            editedRequests[id]?.isApplying != true
        else { return [] }
        let ticket = editedRequests.nextTicket()
        requestPane.previewTicket = ticket
        return [.request(.preview(id, ticket: ticket, resolved))]
    }

    // MARK: Keys

    /// Performs an action of the pane; nil if it has no such action.
    mutating func performInRequest(_ action: Action) -> [Effect]? {
        guard focus == .request, showsRequestPane else { return nil }
        if action != .takeBack { requestPane.takesBackAll = false }
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last: requestPane.scroll.move(action)
        case .nextTab: return show(requestPane.tab.after(1))
        case .previousTab: return show(requestPane.tab.after(-1))
        case .editValue: return editLine(replacing: false)
        case .replaceValue: return editLine(replacing: true)
        case .addRow: startRow()
        case .copy: requestPane.isCopying = true
        case .toggleFold: requestPane.toggleFold()
        case .foldAll: requestPane.foldAll()
        case .unfoldAll: requestPane.unfoldAll()
        case .search: startFinding()
        case .nextMatch, .previousMatch: stepMatch(forward: action == .nextMatch)
        case .back where !requestPane.needle.isEmpty: requestPane.stopFinding()
        case .removeRow: return removeLine()
        case .changeKind: return changeKind()
        case .editURL: startURL()
        case .edit where requestPane.tab == .body && shownEdits?.edits.body.text != nil:
            return openBody()
        case .back: return closeRequest()
        default: return nil
        }
        return []
    }

    mutating func show(_ tab: RequestTab) -> [Effect] {
        requestPane.tab = tab
        requestPane.stopFinding()
        arrangeRequest()
        requestPane.moveToStart()
        return previewRequest()
    }

    private mutating func startFinding() {
        prompt = LinePrompt(
            purpose: .find,
            field: TextField(requestPane.needle, placeholder: "text in this tab", limit: 1024)
        )
        requestPane.beginFinding()
    }

    private mutating func stepMatch(forward: Bool) {
        let isWrapped = requestPane.step(forward: forward)
        if isWrapped == true { notice = DocumentPane.wrapped(forward: forward) }
        guard isWrapped == nil else { return }
        notice = Notice(kind: .information, text: "no matches for \(requestPane.needle)")
    }

    /// Handles the letter that selects the format of a copy, a capital to include secrets; nil if none is due.
    mutating func handleInRequestCopy(_ key: Key) -> [Effect]? {
        guard focus == .request, requestPane.isCopying else { return nil }
        requestPane.isCopying = false
        guard let letter = key.text, case .success(let resolved)? = selectedView?.request,
            let language = RequestCode.Language.allCases.first(where: {
                $0.key == letter.lowercased()
            })
        else { return [] }
        let showsSecrets = letter != letter.lowercased()
        return [.request(.copy(resolved, language, showsSecrets: showsSecrets))]
    }

    /// Starts to edit the line under the cursor.
    private mutating func editLine(replacing: Bool) -> [Effect] {
        guard let edited = shownEdits, let line = requestPane.selected else { return [] }
        let edits = edited.edits
        func begin(_ name: String?, _ value: String) {
            requestPane.field = RequestField(
                line.subject,
                name: name,
                value: replacing ? "" : value,
                isMasked: line.isSecret
            )
        }
        switch line.subject {
        case .row(let table, let index):
            let row = edits[table][index].shown
            begin(table == .options ? nil : row.name, row.value ?? "")
        case .value(let node):
            guard line.kind?.isContainer == false else {
                if !replacing { requestPane.toggleFold() }
                return []
            }
            guard let tree = edits.body.json.flatMap(JSONBody.init) else { return [] }
            begin(nil, tree.editable(node))
        case .text(let index): begin(nil, edits.body.textLines[index])
        case .file: if case .file(let path) = edits.body { begin(nil, path) }
        case .authorization: return changeKind()
        case .token: if case .bearer(let token) = edits.authorization { begin(nil, token) }
        case .user: if let pair = edits.authorization.pair { begin(nil, pair.user) }
        case .password: if let pair = edits.authorization.pair { begin(nil, pair.password) }
        case .request, .note: break
        }
        return []
    }

    /// Starts a new row after the cursor's.
    private mutating func startRow() {
        guard let edited = shownEdits else { return }
        let index = requestPane.scroll.selection
        switch requestPane.tab {
        case .headers, .query:
            // The parameters in the URL and the others are in one list.
            guard case .row(let table, let index)? = requestPane.selected?.subject else {
                return startRow(requestPane.tab == .headers ? .headers : .query, -1)
            }
            startRow(table, index)
        case .body:
            switch edited.edits.body {
            case .form, .multipart: startRow(.form, index)
            case .graphQL:
                guard case .value? = requestPane.selected?.subject else {
                    if case .text(let line)? = requestPane.selected?.subject {
                        requestPane.field = RequestField(.text(line), isNew: true)
                    }
                    return
                }
                startValue(in: edited.edits.body)
            case .text: requestPane.field = RequestField(.text(index), isNew: true)
            case .json: startValue(in: edited.edits.body)
            case .none, .file: break
            }
        case .authorization, .options, .cookies, .preview: break
        }
    }

    private mutating func startValue(in body: TargetDraft.Body) {
        guard let line = requestPane.selected, case .value(let node) = line.subject,
            let tree = body.json.flatMap(JSONBody.init)
        else { return }
        // The new value goes into the outermost value, but behind any other.
        if line.depth == 0, line.fold == .closed { requestPane.toggleFold() }
        let name = tree.takesName(behind: node) ? "" : nil
        requestPane.field = RequestField(line.subject, name: name, isNew: true)
    }

    private mutating func startRow(_ table: RequestTable, _ index: Int) {
        let place = min(index, (shownEdits?.edits[table].count ?? 0) - 1)
        requestPane.field = RequestField(.row(table, place), name: "", isNew: true)
    }

    private mutating func startURL() {
        guard let edits = shownEdits?.edits else { return }
        requestPane.field = RequestField(.request, value: "\(edits.method) \(edits.url)")
    }

    private mutating func removeLine() -> [Effect] {
        guard let line = requestPane.selected else { return [] }
        return changeRequest { edits in
            switch line.subject {
            case .row(let table, let index): edits.remove(at: index, of: table)
            case .value(let node):
                guard let text = edits.body.json, let new = JSONBody(text)?.removing(node) else {
                    return
                }
                edits.body = edits.body.with(json: new)
            case .text(let index):
                var lines = edits.body.textLines
                lines.remove(at: index)
                edits.body = edits.body.with(lines.joined(separator: "\n"))
            case .token, .user, .password, .authorization: edits.authorization = .inherited
            case .request, .file, .note: break
            }
        }
    }

    /// Switches to the next kind of body or credentials.
    private mutating func changeKind() -> [Effect] {
        switch requestPane.tab {
        case .authorization:
            return changeRequest { $0.authorization = $0.authorization.next }
        case .body: return changeRequest { $0.body = $0.nextBody }
        case .headers, .query, .options, .cookies, .preview: return []
        }
    }

    /// Takes back the edit of the row under the cursor; pressed again, all edits of the request.
    mutating func takeBack() -> [Effect] {
        let isInPane = focus == .request && showsRequestPane
        guard let id = list.selected?.id, editedRequests.isEdited(id) else {
            notice = Notice(kind: .information, text: "nothing has been edited here")
            return []
        }
        if requestPane.takesBackAll {
            requestPane.takesBackAll = false
            return takeBackAll(id)
        }
        requestPane.takesBackAll = true
        notice = Notice(
            kind: .information,
            text: "ctrl+r again takes back all edits of this request"
        )
        guard isInPane, let line = requestPane.selected else { return [] }
        return changeRequest { edits in
            switch line.subject {
            case .row(let table, let index): edits.takeBack(index, of: table)
            case .authorization, .token, .user, .password:
                edits.authorization = edits.original.authorization
            case .file: edits.body = edits.original.body
            case .value(let node):
                guard line.mark == .changed, let text = edits.body.json, let tree = JSONBody(text),
                    let old = edits.original.body.json.flatMap(JSONBody.init),
                    let source = old.source(at: line.path)
                else { return }
                edits.body = edits.body.with(json: tree.replacing(node, with: source))
            case .text, .request, .note: break
            }
        }
    }

    private mutating func takeBackAll(_ id: CatalogID) -> [Effect] {
        guard var edited = editedRequests[id] else { return [] }
        notice = nil
        edited.edits = RequestEdits(edited.edits.original)
        editedRequests[id] = edited
        return applyEdits(of: id)
    }

    // MARK: Typing

    /// Handles a key while a value is typed; nil if none is.
    mutating func handleInRequestField(_ key: Key) -> [Effect]? {
        guard focus == .request, showsRequestPane, requestPane.field != nil else { return nil }
        switch (key.code, key.modifiers) {
        case (.enter, let modifiers): return acceptField(sending: modifiers.contains(.alt))
        case (.escape, []): requestPane.field = nil
        case (.tab, []):
            let variables = requestVariables
            if requestPane.field?.complete(variables) == false, requestPane.field?.part == .name {
                requestPane.field?.goOn()
            }
        case (.tab, .shift): requestPane.field?.goBack()
        case (.up, []), (.down, []):
            requestPane.field?.recall(requestPane.typed, older: key.code == .up)
        case (.character("s"), .alt): requestPane.field?.value.isMasked.toggle()
        default:
            let isTaken = requestPane.field?.handle(key) ?? false
            if !isTaken, key == Key("ctrl+c") { return leave() }
        }
        return []
    }

    /// Takes the input into the request; after the name of a new row, goes on to its value.
    private mutating func acceptField(sending: Bool) -> [Effect] {
        guard var field = requestPane.field else { return [] }
        if field.isNew, field.part == .name, !sending {
            guard !field.name.isEmpty else {
                requestPane.field = nil
                return []
            }
            field.goOn()
            requestPane.field = field
            return []
        }
        requestPane.field = nil
        let (name, value) = (field.name.text, field.value.text)
        if !field.value.isMasked { requestPane.note(typed: value) }
        var index: Int?
        let effects = changeRequest { index = $0.take(field, name, value) }
        if field.isNew {
            let subject = field.subjectOfNew(at: index)
            let added = requestPane.lines.firstIndex { $0.subject == subject }
            requestPane.scroll.select(added ?? requestPane.scroll.selection + 1)
        }
        return effects + (sending ? sendSelected() : [])
    }
}

extension RequestCode.Language {
    /// The letter that selects it.
    var key: String {
        switch self {
        case .curl: "c"
        case .httpie: "h"
        case .http: "r"
        case .swift: "s"
        case .python: "p"
        }
    }
}

extension RequestField {
    /// The line that a new field becomes; for a row, at an index of its table.
    func subjectOfNew(at place: Int?) -> RequestLine.Subject? {
        switch subject {
        case .row(let table, let index): .row(table, place ?? index + 1)
        case .text(let index): .text(index + 1)
        default: nil
        }
    }
}
