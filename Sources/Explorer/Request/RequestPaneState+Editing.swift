import Documents
import Terminal
import Workspaces

/// Starting to type in the request pane: which field a line, or a new one, gets.
extension RequestPaneState {
    /// The edits of the request that the pane shows.
    var shownEdits: EditedRequest? { target.flatMap { edited[$0] } }

    /// Starts to edit the line under the cursor; folds or unfolds a container.
    mutating func editLine(replacing: Bool) {
        guard let edits = shownEdits?.edits, let line = selected else { return }
        func begin(_ name: String?, _ value: String) {
            field = RequestField(
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
            if table == .options { field?.name.text = row.name }
        case .value(let node):
            guard line.kind?.isContainer == false else {
                if !replacing { toggleFold() }
                return
            }
            guard let tree = edits.body.json.flatMap(JSONBody.init) else { return }
            begin(nil, tree.editable(node))
        case .text(let index): begin(nil, edits.body.textLines[index])
        case .file: if case .file(let path) = edits.body { begin(nil, path) }
        case .token: if case .bearer(let token) = edits.authorization { begin(nil, token) }
        case .user: if let pair = edits.authorization.pair { begin(nil, pair.user) }
        case .password: if let pair = edits.authorization.pair { begin(nil, pair.password) }
        case .authorization, .request, .note: break
        }
    }

    /// Starts to edit the method and the URL.
    mutating func startURL() {
        guard let edits = shownEdits?.edits else { return }
        field = RequestField(.request, value: "\(edits.method) \(edits.url)")
    }

    /// Starts a new row after the cursor's.
    mutating func startRow() {
        guard let body = shownEdits?.edits.body else { return }
        let index = scroll.selection
        switch tab {
        case .headers, .query:
            // The parameters in the URL and the others are in one list.
            guard case .row(let table, let index)? = selected?.subject else {
                return startRow(tab == .headers ? .headers : .query, -1)
            }
            startRow(table, index)
        case .body:
            switch body {
            case .form, .multipart: startRow(.form, index)
            case .graphQL:
                if case .value? = selected?.subject { return startValue(in: body) }
                if case .text(let line)? = selected?.subject {
                    field = RequestField(.text(line), isNew: true)
                }
            case .text: field = RequestField(.text(index), isNew: true)
            case .json: startValue(in: body)
            case .none, .file: break
            }
        case .authorization, .options, .cookies, .preview: break
        }
    }

    private mutating func startValue(in body: TargetDraft.Body) {
        guard let line = selected, case .value(let node) = line.subject,
            let tree = body.json.flatMap(JSONBody.init)
        else { return }
        // The new value goes into the outermost value, but after any other.
        if line.depth == 0, line.fold == .closed { toggleFold() }
        let name = tree.takesName(after: node) ? "" : nil
        field = RequestField(line.subject, name: name, isNew: true)
    }

    private mutating func startRow(_ table: RequestTable, _ index: Int) {
        let last = min(index, (shownEdits?.edits[table].count ?? 0) - 1)
        field = RequestField(.row(table, last), name: "", isNew: true)
    }
}

extension RequestEdits {
    /// Removes what a line of the pane shows.
    mutating func remove(_ line: RequestLine) {
        switch line.subject {
        case .row(let table, let index): remove(at: index, of: table)
        case .value(let node):
            guard let text = body.json, let new = JSONBody(text)?.removing(node) else { return }
            body = body.with(json: new)
        case .text(let index):
            var lines = body.textLines
            lines.remove(at: index)
            body = body.with(lines.joined(separator: "\n"))
        case .token, .user, .password, .authorization: authorization = .inherited
        case .request, .file, .note: break
        }
    }

    /// Takes back the edit of what a line of the pane shows.
    mutating func takeBack(_ line: RequestLine) {
        switch line.subject {
        case .row(let table, let index): takeBack(index, of: table)
        case .authorization, .token, .user, .password: authorization = original.authorization
        case .file: body = original.body
        case .value(let node):
            guard line.mark == .changed, let text = body.json, let tree = JSONBody(text),
                let old = original.body.json.flatMap(JSONBody.init),
                let source = old.source(at: line.path)
            else { return }
            body = body.with(json: tree.replacing(node, with: source))
        case .text, .request, .note: break
        }
    }
}
