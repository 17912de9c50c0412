import Documents
import Terminal

extension Model {
    /// Moves the cursor of the pane with the focus.
    mutating func moveCursor(_ action: Action) -> [Effect] {
        if let side = focusedSide {
            moveInPane(side, action)
            return []
        }
        guard focus == .targets else { return [] }
        switch action {
        case .left, .right: return stepIntoGroup(isOpening: action == .right)
        default: list.scroll.move(action)
        }
        return lookAtSelection()
    }

    /// Which answer has the focus.
    var focusedSide: PaneSide? {
        switch focus {
        case .cache: .cache
        case .server: .server
        case .targets, .progress: nil
        }
    }

    private mutating func stepIntoGroup(isOpening: Bool) -> [Effect] {
        guard let catalog, let row = list.selected else { return [] }
        if case .group(let isFolded, _) = row.kind, isFolded == isOpening {
            list.toggle(row.id, in: catalog)
        } else if isOpening {
            if case .group = row.kind { list.scroll.move(by: 1) } else { focus = .server }
        } else if let parent = list.rows[..<list.scroll.selection].lastIndex(where: {
            $0.depth < row.depth
        }) {
            list.scroll.select(parent)
        }
        fitPanes()
        return lookAtSelection()
    }

    private mutating func moveInPane(_ side: PaneSide, _ action: Action) {
        changePane(side) { pane in
            switch action {
            case .left: pane.stepOut()
            case .right: pane.stepIn()
            default: pane.scroll.move(action)
            }
        }
    }

    /// Changes the pane of the selected target.
    mutating func changePane(_ side: PaneSide, _ change: (inout ResponsePane) -> Void) {
        guard let id = list.selected?.id, views[id] != nil else { return }
        views.update(id, environment: environment) { change(&$0[side]) }
    }

    /// Folds, unfolds, or shows the bytes in another form.
    mutating func changeForm(_ action: Action) -> [Effect] {
        guard let side = focusedSide else {
            if case .toggleFold = action, let row = list.selected, let catalog,
                case .group = row.kind
            {
                list.toggle(row.id, in: catalog)
                fitPanes()
            }
            return []
        }
        changePane(side) { pane in
            switch action {
            case .toggleFold: pane.body?.toggle(row: pane.scroll.selection)
            case .foldAll: pane.foldAll()
            case .unfoldAll: pane.unfoldAll()
            case .nextForm: pane.showNextForm()
            default: break
            }
        }
        fitPanes()
        return []
    }

    /// What the clipboard gets.
    mutating func copy(_ action: Action) -> [Effect] {
        guard let side = focusedSide, let pane = selectedView?[side], let body = pane.body,
            let text = action == .copyPath
                ? body.path(ofRow: pane.scroll.selection)
                : body.copyText(ofRow: pane.scroll.selection)
        else { return [] }
        notice = Notice(kind: .information, text: "copied: \(text)")
        return [.copy(text)]
    }
}

extension ListScroll {
    /// Moves as an action says.
    mutating func move(_ action: Action) {
        switch action {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: page(by: -1)
        case .pageDown: page(by: 1)
        case .first: moveToFirst()
        case .last: moveToLast()
        default: break
        }
    }
}

extension ResponsePane {
    /// Bytes that `left` and `right` shift lines of text by.
    private static let textStep = 8

    /// Folds the value under the cursor, or goes to the one that holds it.
    fileprivate mutating func stepOut() {
        guard var body else { return }
        if body.form == .text {
            textOffset = max(0, textOffset - Self.textStep)
        } else if case .tree(let row) = body.row(at: scroll.selection), row.fold == .open,
            row.childCount > 0
        {
            body.toggle(row: scroll.selection)
            self.body = body
            scroll.update(count: body.rowCount, height: scroll.height)
        } else if let parent = body.parentRow(of: scroll.selection) {
            scroll.select(parent)
        }
    }

    /// Unfolds the value under the cursor, or goes one row down.
    fileprivate mutating func stepIn() {
        guard var body else { return }
        if body.form == .text {
            textOffset += Self.textStep
        } else if case .tree(let row) = body.row(at: scroll.selection), row.fold == .closed {
            body.toggle(row: scroll.selection)
            self.body = body
            scroll.update(count: body.rowCount, height: scroll.height)
        } else {
            scroll.move(by: 1)
        }
    }

    fileprivate mutating func foldAll() {
        body?.foldAll()
        scroll.select(0)
    }

    fileprivate mutating func unfoldAll() { body?.unfoldAll() }

    fileprivate mutating func showNextForm() {
        guard let body else { return }
        let forms = body.availableForms
        let index = forms.firstIndex(of: body.form) ?? 0
        self.body?.show(forms[(index + 1) % forms.count])
        textOffset = 0
        scroll.select(0)
    }
}

extension BodyDocument {
    /// The longest text that goes to the clipboard.
    private static let copyLimit = 1 << 20

    /// What a row stands for, as written in the body.
    fileprivate func copyText(ofRow row: Int) -> String? {
        switch self.row(at: row, textLimit: Self.copyLimit) {
        case .tree(let tree):
            guard let document else { return nil }
            if let string = document.string(of: tree.node) { return string }
            let range = document.valueRange(of: tree.node)
            return document.bytes.string(in: range.prefix(Self.copyLimit))
        case .text(let text): return text.text
        case .hex(let hex): return hex.hex
        case nil: return nil
        }
    }
}
