import Documents
import Terminal

/// Where the rows of wrapped lines begin on the screen, and which one has the cursor.
///
/// The rows of a text are not counted, because a text may be a gigabyte, or one line: like those of a value in
/// full, they are laid out only where they are shown. `ListScroll` has the line under the cursor.
struct WrappedCursor: Equatable {
    var top = WrappedText.Place.start
    var row = WrappedText.Place.start
    /// The columns that both were laid out for.
    var columns = 0
}

/// Lines of text wrapped to the pane.
extension DocumentPane {
    /// Whether the rows are those of wrapped lines.
    var showsWrapped: Bool { wraps && body?.form == .text && table == nil }

    /// The text whose lines are shown.
    var wrappedText: WrappedText? { body.map { WrappedText($0.textBytes) } }

    /// The columns of a line's number and the blank after it; 0 if there is no room for it.
    func numberColumns(in columns: Int) -> Int {
        let digits = max(3, String(body?.rowCount ?? 0).utf8.count)
        return columns >= digits * 4 ? digits + 1 : 0
    }

    /// The columns for the text of a row.
    private var wrappedColumns: Int {
        let inside = max(1, room.columns - 2)
        return max(1, inside - numberColumns(in: inside))
    }

    /// A row of a wrapped line; `number` is nil if the line begins in another row.
    struct WrappedRow {
        var place: WrappedText.Place
        var number: Int?
        var row: TextRow
    }

    /// The visible rows.
    func wrappedRows(height: Int) -> [WrappedRow] {
        guard let body, let text = wrappedText, body.rowCount > 0 else { return [] }
        var rows: [WrappedRow] = []
        var place: WrappedText.Place? = wrapped.top
        var line = body.line(at: wrapped.top.offset) ?? 0
        while let at = place, rows.count < height {
            let row = text.row(at: at, columns: wrapped.columns)
            let isFirst = at.offset == at.line
            if isFirst, !rows.isEmpty { line += 1 }
            guard line < body.rowCount else { break }
            rows.append(
                WrappedRow(
                    place: at,
                    number: isFirst ? line + 1 : nil,
                    row: TextRow(
                        number: line + 1,
                        range: row.bytes,
                        text: text.text(of: row),
                        isCut: false
                    )
                )
            )
            place = text.place(after: at, columns: wrapped.columns)
        }
        return rows
    }

    /// Lays out again after the size, the text or the line under the cursor changed.
    mutating func fitWrapped() {
        guard showsWrapped, let text = wrappedText, let line = lineRange(scroll.selection) else {
            return
        }
        let columns = wrappedColumns
        if wrapped.columns != columns {
            wrapped.columns = columns
            wrapped.row = text.place(containing: wrapped.row, columns: columns)
            wrapped.top = text.place(containing: wrapped.top, columns: columns)
        }
        if wrapped.row.line != line.lowerBound {
            wrapped.row = WrappedText.Place(offset: line.lowerBound, line: line.lowerBound)
        }
        showWrappedRow(of: text)
    }

    /// Scrolls as little as shows the row with the cursor.
    private mutating func showWrappedRow(of text: WrappedText) {
        guard wrapped.row.offset >= wrapped.top.offset else {
            wrapped.top = wrapped.row
            return
        }
        var place = wrapped.top
        for _ in 0..<max(1, scroll.height) {
            if place.offset >= wrapped.row.offset { return }
            guard let next = text.place(after: place, columns: wrapped.columns) else { return }
            place = next
        }
        var top = wrapped.row
        for _ in 1..<max(1, scroll.height) {
            guard let before = text.place(before: top, columns: wrapped.columns) else { break }
            top = before
        }
        wrapped.top = top
    }

    private func lineRange(_ line: Int) -> Range<Int>? {
        guard case .text(let row)? = body?.row(at: line, textLimit: 1) else { return nil }
        return row.range
    }

    // MARK: Moving

    /// Performs an action that moves; ignores others.
    mutating func moveWrapped(_ action: Action) {
        let page = max(1, scroll.height - 1)
        switch action {
        case .up: moveWrapped(by: -1)
        case .down: moveWrapped(by: 1)
        case .pageUp: moveWrapped(by: -page)
        case .pageDown: moveWrapped(by: page)
        case .first: return showOffset(0)
        case .last:
            scroll.moveToLast()
            if let end = lineRange(scroll.selection)?.last { return showOffset(end) }
        default: return
        }
        refit()
    }

    /// Moves the cursor by rows of the screen.
    mutating func moveWrapped(by rows: Int) {
        guard let text = wrappedText else { return }
        for _ in 0..<abs(rows) {
            let next =
                rows < 0
                ? text.place(before: wrapped.row, columns: wrapped.columns)
                : text.place(after: wrapped.row, columns: wrapped.columns)
            guard let next, next.offset < text.count else { break }
            let step = next.line == wrapped.row.line ? 0 : rows.signum()
            guard (0..<scroll.count).contains(scroll.selection + step) else { break }
            wrapped.row = next
            if step != 0 { scroll.select(scroll.selection + step) }
        }
        refit()
    }

    /// Moves the cursor to the row that shows a byte of the text.
    mutating func showOffset(_ offset: Int) {
        guard let line = body?.row(atOffset: offset) else { return }
        scroll.select(line)
        if showsWrapped, let text = wrappedText, let range = lineRange(line) {
            let place = WrappedText.Place(offset: offset, line: range.lowerBound)
            wrapped.row = text.place(containing: place, columns: max(1, wrapped.columns))
        }
        showColumn(of: offset)
        refit()
    }

    /// Scrolls sideways until a byte is on the screen.
    private mutating func showColumn(of offset: Int) {
        guard !showsWrapped, body?.form == .text, let line = lineRange(scroll.selection) else {
            return
        }
        let (place, width) = (offset - line.lowerBound, max(8, room.columns - 12))
        if !(textOffset..<textOffset + width).contains(place) {
            textOffset = place < width ? 0 : place - width / 2
        }
    }

    /// Moves the cursor to a row of the screen.
    mutating func clickWrapped(row: Int, isSecond: Bool) -> [DocumentPaneEffect] {
        let rows = wrappedRows(height: scroll.height)
        guard rows.indices.contains(row) else { return [] }
        scroll.select(rows[row].row.number - 1)
        wrapped.row = rows[row].place
        refit()
        return []
    }

    // MARK: Choosing

    /// Wraps lines, or shows them in one row each.
    mutating func toggleWrap() -> [DocumentPaneEffect] {
        guard body?.form == .text else { return say("only a text wraps: t shows the body as text") }
        wraps.toggle()
        textOffset = 0
        refit()
        let words = wraps ? "long lines wrap" : "long lines are cut: left and right scroll"
        return [.keepWrap(wraps)] + say(words)
    }

    /// Shows the text laid out anew, or as it was sent; the cursor stays at its place.
    mutating func togglePretty() -> [DocumentPaneEffect] {
        guard let body else { return say("there is no body") }
        guard body.form == .text else {
            return say("only a text can be pretty: t shows the body as text")
        }
        guard body.hasPretty else { return say("only JSON, XML and HTML can be laid out") }
        if let problem = body.prettyProblem { return say("not laid out: \(problem)") }
        prefersPretty = !body.wantsPretty
        return showPretty(prefersPretty)
    }

    /// Shows the text laid out anew, or as it was sent.
    mutating func showPretty(_ isWanted: Bool) -> [DocumentPaneEffect] {
        guard let body, body.hasPretty, body.wantsPretty != isWanted else { return [] }
        let (before, offset) = (body.textBytes, lineRange(scroll.selection)?.lowerBound ?? 0)
        self.body?.showPretty(isWanted)
        wrapped = WrappedCursor()
        textOffset = 0
        refit()
        if let after = self.body?.textBytes, after !== before {
            showOffset(offset > 0 ? before.offset(offset, in: after) : 0)
        }
        return rowEffects + searchAgain()
    }

    /// Searches the text that is shown now, if the hits are those of another.
    mutating func searchAgain() -> [DocumentPaneEffect] {
        guard let search = findings?.search, let body, search.engine.bytes !== body.searchedBytes
        else {
            return []
        }
        return self.search(search.request)
    }
}

extension BodyDocument {
    /// The bytes that a search looks through: those of the tree, unless others are shown.
    var searchedBytes: DocumentBytes {
        guard let document else { return form == .text ? textBytes : bytes }
        switch form {
        case .tree: return document.bytes
        case .text: return textBytes
        case .hex: return bytes
        }
    }
}
