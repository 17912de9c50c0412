import Documents
import Terminal

/// Moving, folding, and the forms.
extension TreePane {
    /// Bytes that `left` and `right` shift lines of text by.
    private static let textStep = 8

    /// Moves the cursor, or what is in sight of one value.
    mutating func move(_ action: Action) {
        if case .value(var value) = layer {
            value.move(action)
            layer = .value(value)
            return
        }
        if case .query(var query)? = findings, query.list != nil {
            query.list?.move(action)
            findings = .query(query)
            return
        }
        switch action {
        case .left: stepOut()
        case .right: stepIn()
        default: scroll.move(action)
        }
    }

    /// Scrolls without choosing, as the wheel does.
    mutating func scroll(by rows: Int) {
        if case .value(var value) = layer {
            value.scroll(by: rows)
            layer = .value(value)
        } else {
            scroll.scroll(by: rows)
        }
    }

    /// A click on a row below the first in sight; the second one on the same row opens it.
    mutating func click(row line: Int, isSecond hadFocus: Bool) -> [TreePaneEffect] {
        guard case .rows = layer else { return [] }
        let row = scroll.offset + line
        guard line >= 0, line < scroll.height, row < scroll.count else { return [] }
        let isSecond = hadFocus && row == scroll.selection
        scroll.select(row)
        return isSecond ? open() : []
    }

    /// Folds or unfolds what is under the cursor; a value without parts is shown whole.
    mutating func open() -> [TreePaneEffect] {
        if leaveList() { return [] }
        guard let row = currentRow, row.fold == .leaf, !row.kind.isContainer else {
            toggleFold()
            return []
        }
        return openValue(row)
    }

    /// Folds or unfolds the container under the cursor.
    mutating func toggleFold() {
        body?.toggle(row: scroll.selection)
        refit()
    }

    /// Folds every container but the outermost.
    mutating func foldAll() {
        keepingPlace { $0.foldAll() }
        depth = 1
    }

    /// Unfolds every container.
    mutating func unfoldAll() {
        keepingPlace { $0.unfoldAll() }
        depth = nil
    }

    /// Unfolds so many levels and folds what is deeper.
    mutating func unfold(levels: Int) {
        guard body?.form == .tree else { return }
        let levels = max(1, levels)
        keepingPlace { $0.fold(fromDepth: levels) }
        depth = levels
    }

    /// Unfolds a level more, or folds one more.
    mutating func changeDepth(by step: Int) {
        let shown = depth ?? (step > 0 ? 0 : (currentRow?.depth ?? 0) + 1)
        unfold(levels: shown + step)
    }

    /// Shows the tree, the text or the bytes.
    mutating func showNextForm() -> [TreePaneEffect] {
        guard let body else { return [] }
        let forms = body.availableForms
        let index = forms.firstIndex(of: body.form) ?? 0
        self.body?.show(forms[(index + 1) % forms.count])
        textOffset = 0
        scroll.select(0)
        refit()
        guard let body = self.body, isOpening else { return [] }
        return [.takeIn(body)]
    }

    /// Puts the cursor on a value and unfolds what hides it.
    mutating func reveal(_ node: NodeIndex) {
        guard var body else { return }
        if body.form != .tree { body.show(.tree) }
        body.reveal(node)
        self.body = body
        refit()
        if let row = body.row(of: node) { scroll.select(row) }
    }

    /// Changes folds; the cursor stays on its value, or goes to the fold that hides it.
    private mutating func keepingPlace(_ change: (inout BodyDocument) -> Void) {
        guard var body else { return }
        let node = body.node(atRow: scroll.selection)
        change(&body)
        self.body = body
        refit()
        if let node, let row = body.row(of: node) { scroll.select(row) }
    }

    /// Folds the value under the cursor, or goes to the one that holds it.
    private mutating func stepOut() {
        guard let body else { return }
        if body.form == .text {
            textOffset = max(0, textOffset - Self.textStep)
        } else if let row = currentRow, row.fold == .open {
            toggleFold()
        } else if let parent = body.parentRow(of: scroll.selection) {
            scroll.select(parent)
        }
    }

    /// Unfolds the value under the cursor, or goes one row down.
    private mutating func stepIn() {
        guard let body else { return }
        if body.form == .text {
            textOffset += Self.textStep
        } else if let row = currentRow, row.fold == .closed {
            toggleFold()
        } else {
            scroll.move(by: 1)
        }
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
