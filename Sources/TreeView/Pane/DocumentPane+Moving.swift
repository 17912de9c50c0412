package import Documents
import Glibc
package import Terminal

/// Moving, folding, and switching between forms.
extension DocumentPane {
    /// The bytes that `left` and `right` shift lines of text by: a third of the pane.
    private var textStep: Int { max(8, room.columns / 3) }

    /// Moves the cursor, or scrolls the open value.
    package mutating func move(_ action: Action) {
        if case .value(var value) = layer {
            value.move(action)
            layer = .value(value)
            return
        }
        if table != nil {
            table?.move(action)
            refit()
            return
        }
        if case .query(var query)? = findings, query.list != nil {
            query.list?.move(action)
            findings = .query(query)
            return
        }
        if showsWrapped { return moveWrapped(action) }
        switch action {
        case .left: stepOut()
        case .right: stepIn()
        default: scroll.move(action)
        }
    }

    /// Scrolls to the start or the end of the lines; says why if they are there.
    mutating func moveSideways(to end: Action) -> [DocumentPaneEffect] {
        guard body?.form == .text else { return say("only a text scrolls sideways") }
        guard !showsWrapped else { return say("these lines wrap, so nothing is out of sight") }
        let before = textOffset
        moveSideways(end)
        return textOffset == before ? say("nothing more of these lines is out of sight there") : []
    }

    /// Scrolls lines of text sideways, not further than the longest one on the screen.
    mutating func moveSideways(_ action: Action) {
        guard let body, body.form == .text, !showsWrapped else { return }
        let longest = scroll.visible.reduce(0) { longest, row in
            guard case .text(let line)? = body.row(at: row, textLimit: 1) else { return longest }
            return max(longest, line.range.count)
        }
        // Some columns of the end stay in sight.
        let end = max(0, longest - textStep)
        switch action {
        case .left: textOffset = max(0, min(textOffset, end) - textStep)
        case .right: textOffset = max(textOffset, min(end, textOffset + textStep))
        case .lineStart: textOffset = 0
        default: textOffset = end
        }
    }

    /// Scrolls without moving the cursor, as the mouse wheel does.
    package mutating func scroll(by rows: Int) {
        if case .value(var value) = layer {
            value.scroll(by: rows)
            layer = .value(value)
        } else if table != nil {
            table?.scroll.scroll(by: rows)
        } else if showsPicture {
            return
        } else if case .query(var query)? = findings, query.list != nil {
            query.list?.scroll(by: rows)
            findings = .query(query)
        } else if showsWrapped {
            moveWrapped(by: rows)
        } else {
            scroll.scroll(by: rows)
        }
    }

    /// Handles a click on a row, counted from the first visible one; a second click on the same row opens it.
    package mutating func click(
        row line: Int,
        column: Int,
        isSecond hadFocus: Bool
    ) -> [DocumentPaneEffect] {
        guard case .rows = layer, !showsPicture else { return [] }
        if table != nil { return clickTable(row: line, column: column) }
        if showsWrapped { return clickWrapped(row: line, isSecond: hadFocus) }
        let row = scroll.offset + line
        guard line >= 0, line < scroll.height, row < scroll.count else { return [] }
        let isSecond = hadFocus && row == scroll.selection
        scroll.select(row)
        return isSecond ? open() : []
    }

    /// Folds or unfolds the container under the cursor; a scalar is shown in full.
    mutating func open() -> [DocumentPaneEffect] {
        if leaveList() { return [] }
        if let fault = body?.fault(atRow: scroll.selection) { return showText(at: fault) }
        guard let row = currentRow, row.fold == .leaf, !row.kind.isContainer else {
            return fold(.toggleFold, Key(.enter))
        }
        return openValue(row)
    }

    /// Folds or unfolds; says why if there is nothing to fold, or if all is folded so already.
    mutating func fold(_ action: Action, _ key: Key) -> [DocumentPaneEffect] {
        guard let body else { return say("there is no body") }
        guard body.form == .tree else { return say("only a tree has folds: t shows the tree") }
        if action == .toggleFold, currentRow?.fold ?? .leaf == .leaf {
            let isEmpty = currentRow?.kind.isContainer == true
            return say(
                isEmpty ? "this is empty" : "this has nothing to fold: enter shows it in full"
            )
        }
        let before = body.rowCount
        switch action {
        case .toggleFold: toggleFold()
        case .foldAll: foldAll()
        case .unfoldAll: unfoldAll()
        case .unfoldMore: changeDepth(by: 1)
        case .unfoldLess: changeDepth(by: -1)
        default: unfold(levels: key.text.flatMap { Int($0) } ?? 1)
        }
        guard self.body?.rowCount == before, action != .toggleFold else { return [] }
        let isFolding = action == .foldAll || action == .unfoldLess
        return say(isFolding ? "nothing more to fold" : "nothing more to unfold")
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

    /// Unfolds a number of levels and folds everything deeper.
    package mutating func unfold(levels: Int) {
        guard body?.form == .tree else { return }
        let levels = max(1, levels)
        keepingPlace { $0.fold(fromDepth: levels) }
        depth = levels
    }

    /// Unfolds one more level, or one fewer.
    mutating func changeDepth(by step: Int) {
        let shown = depth ?? (step > 0 ? 0 : (currentRow?.depth ?? 0) + 1)
        unfold(levels: shown + step)
    }

    /// Switches to the next form: tree, text or bytes.
    mutating func showNextForm() -> [DocumentPaneEffect] {
        guard let body else { return say("there is no body") }
        let forms = body.availableForms
        let index = forms.firstIndex(of: body.form) ?? 0
        let form = forms[(index + 1) % forms.count]
        self.body?.show(form)
        if form == .text { self.body?.showPretty(prefersPretty) }
        hidesPicture = false
        textOffset = 0
        wrapped = WrappedCursor()
        scroll.select(0)
        refit()
        return rowEffects + searchAgain()
    }

    /// Puts the cursor on a value and unfolds what hides it.
    package mutating func reveal(_ node: NodeIndex) {
        guard var body else { return }
        if table?.select(node) == true { return refit() }
        table = nil
        if body.form != .tree { body.show(.tree) }
        body.reveal(node)
        self.body = body
        refit()
        if let row = body.row(of: node) { scroll.select(row) }
    }

    /// Changes folds, with the cursor kept on its value, or moved to the fold that hides it.
    private mutating func keepingPlace(_ change: (inout BodyDocument) -> Void) {
        guard var body else { return }
        let node = body.node(atRow: scroll.selection)
        change(&body)
        self.body = body
        refit()
        if let node, let row = body.row(of: node) { scroll.select(row) }
    }

    /// Folds the value under the cursor, or goes to its parent; text scrolls left.
    private mutating func stepOut() {
        guard let body else { return }
        if body.form == .text {
            moveSideways(.left)
        } else if let row = currentRow, row.fold == .open {
            toggleFold()
        } else if let parent = body.parentRow(of: scroll.selection) {
            scroll.select(parent)
        }
    }

    /// Unfolds the value under the cursor, or goes one row down; text scrolls right.
    private mutating func stepIn() {
        guard let body else { return }
        if body.form == .text {
            moveSideways(.right)
        } else if let row = currentRow, row.fold == .closed {
            toggleFold()
        } else {
            scroll.move(by: 1)
        }
    }
}

extension ListScroll {
    /// Performs an action that moves the selection; ignores others.
    package mutating func move(_ action: Action) {
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

/// Syntax errors of a document, and parsing on after them.
extension DocumentPane {
    /// The most bytes whose lines can be counted within a frame.
    private static let quickCount = 4 << 20
    /// The most bytes whose lines can be counted for each fault in sight.
    private static let quickRowCount = 256 << 10

    /// Finds the line and column of the first fault, once there is one.
    mutating func locateFault() -> [DocumentPaneEffect] {
        guard faultPosition == nil, let body, let document = body.document, let fault = body.fault
        else { return [] }
        // Lines are counted from the start, which takes too long for the main thread in a long text.
        guard fault.offset <= Self.quickCount else { return [.place(fault, document)] }
        faultPosition = document.position(of: fault.offset)
        return []
    }

    /// Reports an error that ended reading early.
    func sayLoadError() -> [DocumentPaneEffect] {
        guard let body, body.isFinished, let error = body.bytes.loadError else { return [] }
        return say(error.description, .failure)
    }

    /// Goes from a fault's row in the tree to its line in the text.
    private mutating func showText(at fault: DocumentFault) -> [DocumentPaneEffect] {
        body?.show(.text)
        let effects = showPretty(false)
        textOffset = 0
        refit()
        showOffset(fault.offset)
        return rowEffects + effects
    }

    /// Goes to the first fault, or from there to the next.
    mutating func showFault() -> [DocumentPaneEffect] {
        if let fault = body?.breakingFault {
            if body?.form != .text { body?.show(.text) }
            let effects = showPretty(false)
            refit()
            showOffset(fault.offset)
            return rowEffects + effects + say(faultWords ?? fault.description, .warning)
        }
        guard let body, let document = body.document, !document.faults.isEmpty else {
            return say(isOpening ? "no syntax error so far" : "there is no syntax error")
        }
        let faults = document.faults
        let next = shownFault.map { ($0 + 1) % faults.count } ?? 0
        shownFault = next
        let fault = faults[next]
        if body.form == .tree {
            if let node = document.lastValue(before: fault.offset + 1) { reveal(node) }
            if let row = self.body?.row(ofFault: next) { scroll.select(row) }
        } else if body.form == .text {
            let effects = showPretty(false)
            showOffset(fault.offset)
            let number = faults.count > 1 ? "\(next + 1) of \(document.faultCount): " : ""
            return effects + say(number + words(of: fault), .warning)
        } else if let row = body.row(atOffset: fault.offset) {
            scroll.select(row)
        }
        let number = faults.count > 1 ? "\(next + 1) of \(document.faultCount): " : ""
        return say(number + words(of: fault), .warning)
    }

    /// A fault and its position, in one line.
    ///
    /// The position is a line and a column for the first fault and for those near the beginning, else an offset.
    func words(of fault: DocumentFault) -> String {
        let isNear = fault.offset <= Self.quickRowCount
        let counted = isNear ? body?.document?.position(of: fault.offset) : nil
        let place = fault == body?.fault ? faultPosition ?? counted : counted
        let words = place.map { "line \($0.line), column \($0.column)" }
        return "\(words ?? "byte \(Readable.count(fault.offset))"): \(fault.description)"
    }

    /// Parses on after the fault, to the end.
    mutating func resumeAfterFault() -> [DocumentPaneEffect] {
        guard let body, let document = body.document, document.fault != nil, !isOpening,
            document.resume(toEnd: true)
        else {
            return say("there is no syntax error to continue after")
        }
        return [.findRows(body)] + say("parsing continues after the error")
    }

    /// What is wrong with the document and where, in one line; nil if nothing is.
    package var faultWords: String? {
        if let problem = body?.treeProblem { return problem }
        if let fault = body?.breakingFault {
            let place = fault.position
            return "line \(place.line), column \(place.column): \(fault.description)"
        }
        guard let document = body?.document, let fault = body?.fault else { return nil }
        let more = document.faultCount - 1
        let others = more > 0 ? ", and \(Readable.count(more)) more" : ""
        guard let place = faultPosition else { return fault.description + others }
        return "line \(place.line), column \(place.column): \(fault.description)\(others)"
    }
}

extension Document {
    /// The offset of a line and a column; nil if it is past the end of the text.
    ///
    /// Columns count Unicode scalars; past the end of a line, the offset is that of its line feed.
    func offset(of position: TextPosition) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var at = 0
            for _ in 1..<max(1, position.line) {
                guard let feed = memchr(base + at, 0x0A, bytes.count - at) else { return nil }
                at = UnsafeRawPointer(feed) - base + 1
            }
            var column = 1
            while column < position.column, at < bytes.count, bytes[at] != 0x0A {
                at += 1
                while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
                column += 1
            }
            return at < bytes.count ? at : nil
        }
    }
}
