import Documents
import Terminal

/// One value in full, over the rows: decoded, or as written in wrapped lines.
package struct WholeValue {
    /// The short path of the value.
    let path: String
    let kind: ValueKind
    /// The length of its source text, in bytes.
    let sourceLength: Int
    /// The text that is shown; nil while it is being decoded.
    private(set) var text: WrappedText?
    /// Its decoded form; nil if there is none.
    private(set) var decoded: DecodedValue?
    /// Whether it is shown as written although it has a decoded form.
    private(set) var isWritten = false
    /// The pane of decoded content that has rows: none or one, in an array because a pane holds a `WholeValue`.
    private var inside: [DocumentPane] = []
    /// The text with escapes decoded, as opposed to the decoded form.
    private var written = ""
    /// The first visible row.
    private(set) var top = WrappedText.Place.start
    /// The size for the text, below the facts.
    private(set) var room: Size
    private var full: Size

    /// Opens a value whose text is still to come.
    init(path: String, kind: ValueKind, sourceLength: Int, room: Size) {
        self.path = path
        self.kind = kind
        self.sourceLength = sourceLength
        self.room = room
        full = room
    }

    /// Takes the text, its escapes decoded, and its decoded form.
    mutating func show(
        _ text: String,
        _ decoded: DecodedValue?,
        _ services: TreeServices
    ) {
        written = text
        self.decoded = decoded
        if case .body(let body)? = decoded?.content {
            var pane = DocumentPane(services)
            _ = pane.show(body)
            inside = [pane]
        }
        showContent()
    }

    /// Switches between the decoded form and the text as written.
    mutating func switchForm() {
        guard decoded != nil else { return }
        isWritten.toggle()
        showContent()
    }

    private mutating func showContent() {
        if case .text(let text)? = decoded?.content, !isWritten {
            self.text = WrappedText(text)
        } else {
            text = WrappedText(written)
        }
        top = .start
        fit(full)
    }

    /// The lines above the content.
    var facts: [DecodedValue.Fact] { isWritten ? [] : decoded?.facts ?? [] }

    /// The number of rows for the facts and the blank row below them.
    var factRows: Int { facts.isEmpty ? 0 : min(facts.count + 1, full.rows / 2) }

    /// The pane that is shown in place of the text; nil if there is none.
    var pane: DocumentPane? { isWritten ? nil : inside.first }

    /// The visible value: another value may have been opened in this one.
    var innermost: WholeValue { pane?.wholeValue?.innermost ?? self }

    /// Changes the pane in it; nil if that is not shown.
    mutating func inPane<Result>(_ change: (inout DocumentPane) -> Result) -> Result? {
        pane == nil ? nil : change(&inside[0])
    }

    /// Sets the size; if the columns change, rows are laid out anew.
    mutating func fit(_ whole: Size) {
        full = whole
        let room = Size(columns: whole.columns, rows: max(1, whole.rows - factRows))
        // A value in a value covers all of this one.
        if !inside.isEmpty { inside[0].fit(room, value: whole) }
        guard room != self.room else { return }
        let isNarrower = room.columns != self.room.columns
        self.room = room
        guard isNarrower, let text else { return }
        // Keeps the top line in place by laying it out anew from its beginning to the old offset.
        let old = top.offset
        var place = WrappedText.Place(offset: top.line, line: top.line)
        for _ in 0..<Self.refitLimit {
            guard let next = text.place(after: place, columns: room.columns), next.offset <= old
            else { break }
            place = next
        }
        top = place
    }

    /// The most rows that are laid out to keep the place when the columns change.
    private static let refitLimit = 20_000

    /// The visible rows.
    var rows: [String] {
        guard let text else { return [] }
        var rows: [String] = []
        var place: WrappedText.Place? = top
        while let current = place, rows.count < room.rows {
            rows.append(text.text(of: text.row(at: current, columns: room.columns)))
            place = text.place(after: current, columns: room.columns)
        }
        return rows
    }

    /// The range of the visible bytes.
    var visible: Range<Int> {
        guard let text else { return 0..<0 }
        var last = top
        for _ in 0..<max(0, room.rows - 1) {
            guard let next = text.place(after: last, columns: room.columns) else { break }
            last = next
        }
        let row = text.row(at: last, columns: room.columns)
        return top.offset..<(row.next == nil ? text.count : row.bytes.upperBound)
    }

    /// Performs an action that moves; ignores others.
    mutating func move(_ action: Action) {
        guard pane == nil else {
            inside[0].move(action)
            return
        }
        let page = max(1, room.rows - 1)
        switch action {
        case .up: scroll(by: -1)
        case .down: scroll(by: 1)
        case .pageUp: scroll(by: -page)
        case .pageDown: scroll(by: page)
        case .first: top = .start
        case .last: moveToEnd()
        default: break
        }
    }

    /// Scrolls by rows, until the last row is at the bottom.
    mutating func scroll(by rows: Int) {
        guard pane == nil else {
            inside[0].scroll(by: rows)
            return
        }
        guard let text else { return }
        for _ in 0..<abs(rows) {
            let next =
                rows < 0
                ? text.place(before: top, columns: room.columns)
                : visible.upperBound < text.count
                    ? text.place(after: top, columns: room.columns) : nil
            guard let next else { return }
            top = next
        }
    }

    private mutating func moveToEnd() {
        guard let text else { return }
        top = text.lastPlace(columns: room.columns)
        for _ in 0..<max(0, room.rows - 1) {
            guard let before = text.place(before: top, columns: room.columns) else { return }
            top = before
        }
    }
}

/// One value in full, over the rows.
extension DocumentPane {
    /// The most bytes that can be decoded within a frame.
    private static let quickDecode = 256 << 10

    /// Shows the value of a row in full.
    mutating func openValue(_ row: TreeRow) -> [DocumentPaneEffect] {
        guard let document = body?.document else { return [] }
        let length = document.valueRange(of: row.node).count
        var value = WholeValue(
            path: document.dottedPath(of: row.node),
            kind: row.kind,
            sourceLength: length,
            room: valueRoom
        )
        guard length > Self.quickDecode else {
            let text = document.plainText(of: row.node)
            value.show(text, DecodedValue(text, kind: row.kind, services), services)
            layer = .value(value)
            return []
        }
        layer = .value(value)
        return [.decode(nextTicket(), document, row.node, services)]
    }

    /// Shows a string that an effect has decoded, and its decoded form.
    mutating func showDecoded(_ text: String, _ decoded: DecodedValue?, ticket: Int) {
        guard case .value(var value) = layer else { return }
        if value.text == nil, isCurrent(ticket) {
            value.show(text, decoded, services)
        } else {
            // A long value that was opened in this one.
            _ = value.inPane { $0.showDecoded(text, decoded, ticket: ticket) }
        }
        layer = .value(value)
    }

    /// Performs an action in the value over the rows; nil if none is shown, or it has no such action.
    mutating func performInValue(_ action: Action, key: Key) -> [DocumentPaneEffect]? {
        guard case .value(var value) = layer else { return nil }
        defer { if case .value = layer { layer = .value(value) } }
        if value.pane?.wholeValue != nil {
            return value.inPane { $0.perform(action, key: key, history: PromptHistory()) } ?? nil
        }
        switch action {
        case .nextForm:
            guard value.decoded != nil else { return say("this is all of it, as written") }
            value.switchForm()
            return []
        case .open:
            guard let pane = value.pane, pane.body?.form == .tree else {
                layer = .rows
                return []
            }
            return value.inPane { $0.open() }
        case .copyText:
            if case .text(let text)? = value.decoded?.content, !value.isWritten {
                return send(text, called: "the decoded text")
            }
            return value.inPane { $0.perform(action, key: key, history: PromptHistory()) } ?? nil
        case .toggleFold, .foldAll, .unfoldAll, .copyPath, .copyValue:
            return value.inPane { $0.perform(action, key: key, history: PromptHistory()) } ?? nil
        default: return nil
        }
    }
}

extension Document {
    /// A string decoded, anything else as written.
    func plainText(of node: NodeIndex) -> String { string(of: node) ?? sourceText(of: node) }
}
