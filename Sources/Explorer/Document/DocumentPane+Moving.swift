import Documents
import Glibc
import Terminal

/// Moving, folding, and the forms.
extension DocumentPane {
    /// Bytes that `left` and `right` shift lines of text by.
    private static let textStep = 8

    /// Moves the cursor, or what is in sight of one value.
    mutating func move(_ action: Action) {
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
        } else if table != nil {
            table?.scroll.scroll(by: rows)
        } else if showsPicture {
            return
        } else if case .query(var query)? = findings, query.list != nil {
            query.list?.scroll(by: rows)
            findings = .query(query)
        } else {
            scroll.scroll(by: rows)
        }
    }

    /// A click on a row below the first in sight; the second one on the same row opens it.
    mutating func click(
        row line: Int,
        column: Int,
        isSecond hadFocus: Bool
    ) -> [DocumentPaneEffect] {
        guard case .rows = layer, !showsPicture else { return [] }
        if table != nil { return clickTable(row: line, column: column) }
        let row = scroll.offset + line
        guard line >= 0, line < scroll.height, row < scroll.count else { return [] }
        let isSecond = hadFocus && row == scroll.selection
        scroll.select(row)
        return isSecond ? open() : []
    }

    /// Folds or unfolds what is under the cursor; a value without parts is shown whole.
    mutating func open() -> [DocumentPaneEffect] {
        if leaveList() { return [] }
        if let fault = body?.fault(atRow: scroll.selection) { return showText(at: fault) }
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
    mutating func showNextForm() -> [DocumentPaneEffect] {
        guard let body else { return [] }
        let forms = body.availableForms
        let index = forms.firstIndex(of: body.form) ?? 0
        self.body?.show(forms[(index + 1) % forms.count])
        hidesPicture = false
        textOffset = 0
        scroll.select(0)
        refit()
        guard let body = self.body, isOpening else { return [] }
        return [.takeIn(body)]
    }

    /// Puts the cursor on a value and unfolds what hides it.
    mutating func reveal(_ node: NodeIndex) {
        guard var body else { return }
        if table?.select(node) == true { return refit() }
        table = nil
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

/// What is wrong with a document, and going on behind it.
extension DocumentPane {
    /// Bytes whose lines are counted within a frame.
    private static let quickCount = 4 << 20
    /// The same for each fault in sight.
    private static let quickRowCount = 256 << 10

    /// Has the place of a fault counted, once there is one.
    mutating func noteFault() -> [DocumentPaneEffect] {
        guard faultPosition == nil, let body, let document = body.document, let fault = body.fault
        else { return [] }
        // Lines are counted from the start: in a long text that is not for the screen's thread.
        guard fault.offset <= Self.quickCount else { return [.place(fault, document)] }
        faultPosition = document.position(of: fault.offset)
        return []
    }

    /// Says that reading ended early, when it did.
    func noteLoadError() -> [DocumentPaneEffect] {
        guard let body, body.isFinished, let error = body.bytes.loadError else { return [] }
        return say(error.description, .failure)
    }

    /// From a fault's row in the tree to its line in the text.
    private mutating func showText(at fault: DocumentFault) -> [DocumentPaneEffect] {
        body?.show(.text)
        textOffset = 0
        refit()
        if let row = body?.row(atOffset: fault.offset) { scroll.select(row) }
        guard let body, isOpening else { return [] }
        return [.takeIn(body)]
    }

    /// Goes to the first fault, and from there to the next.
    mutating func showFault() -> [DocumentPaneEffect] {
        if let fault = body?.breakingFault {
            if body?.form != .text { body?.show(.text) }
            refit()
            if let row = body?.row(atOffset: fault.offset) { scroll.select(row) }
            return (isOpening ? [body.map { .takeIn($0) }].compactMap(\.self) : [])
                + say(faultWords ?? fault.description, .warning)
        }
        guard let body, let document = body.document, !document.faults.isEmpty else {
            return say(isOpening ? "no syntax error so far" : "there is no syntax error")
        }
        let faults = document.faults
        let next = shownFault.map { ($0 + 1) % faults.count } ?? 0
        shownFault = next
        let fault = faults[next]
        if body.form == .tree {
            if let node = document.node(around: fault.offset) { reveal(node) }
            if let row = self.body?.row(ofFault: next) { scroll.select(row) }
        } else if let row = body.row(atOffset: fault.offset) {
            scroll.select(row)
        }
        let number = faults.count > 1 ? "\(next + 1) of \(document.faultCount): " : ""
        return say(number + words(of: fault), .warning)
    }

    /// What a fault is and where, in one line; lines are counted for one near the beginning, and for
    /// the first.
    func words(of fault: DocumentFault) -> String {
        let isNear = fault.offset <= Self.quickRowCount
        let counted = isNear ? body?.document?.position(of: fault.offset) : nil
        let place = fault == body?.fault ? faultPosition ?? counted : counted
        let words = place.map { "line \($0.line), column \($0.column)" }
        return "\(words ?? "byte \(Readable.count(fault.offset))"): \(fault.description)"
    }

    /// Reads on behind the fault, to the end.
    mutating func resumeAfterFault() -> [DocumentPaneEffect] {
        guard let body, let document = body.document, document.fault != nil, !isOpening,
            document.resume(toEnd: true)
        else {
            return [
                .say(Notice(kind: .information, text: "there is no syntax error to continue after"))
            ]
        }
        return [
            .takeIn(body),
            .say(Notice(kind: .information, text: "parsing continues after the error")),
        ]
    }

    /// What broke the document and where, in one line.
    var faultWords: String? {
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

/// From places in the text to values.
extension Document {
    /// The byte at a line and a column; nil when there is no such line.
    ///
    /// Columns count characters; beyond the line's end it is its last byte.
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

    /// The last value that begins at a byte or before it; O(log n).
    func node(around offset: Int) -> NodeIndex? {
        var (low, high) = (0, nodeCount)
        while low < high {
            let middle = (low + high) / 2
            let node = NodeIndex(middle)
            let start = keyRange(of: node)?.lowerBound ?? valueStart(of: node)
            // The key's quote belongs to it.
            if start - 1 <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? NodeIndex(low - 1) : nil
    }
}
