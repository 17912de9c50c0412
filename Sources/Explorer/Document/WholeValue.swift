import Documents
import Terminal

/// One value, whole, in wrapped lines over the rows.
struct WholeValue {
    /// The short path of the value.
    let path: String
    /// What it is.
    let kind: ValueKind
    /// Bytes that it is written with.
    let sourceLength: Int
    /// The decoded text; nil while it is being decoded.
    private(set) var text: WrappedText?
    /// The first row in sight.
    private(set) var top = WrappedText.Place.start
    private(set) var room: Size

    /// Opens a value whose text is still to come.
    init(path: String, kind: ValueKind, sourceLength: Int, room: Size) {
        self.path = path
        self.kind = kind
        self.sourceLength = sourceLength
        self.room = room
    }

    /// Takes the decoded text.
    mutating func show(_ text: String) {
        self.text = WrappedText(text)
        top = .start
    }

    /// Takes the room there is; rows begin elsewhere when the columns change.
    mutating func fit(_ room: Size) {
        guard room != self.room else { return }
        let isNarrower = room.columns != self.room.columns
        self.room = room
        guard isNarrower, let text else { return }
        // The line in sight stays, laid out anew from its beginning to the old place.
        let old = top.offset
        var place = WrappedText.Place(offset: top.line, line: top.line)
        for _ in 0..<Self.refitLimit {
            guard let next = text.place(after: place, columns: room.columns), next.offset <= old
            else { break }
            place = next
        }
        top = place
    }

    /// Rows that are looked at to keep the place when the columns change.
    private static let refitLimit = 20_000

    /// The rows in sight.
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

    /// The bytes in sight.
    var visible: Range<Int> {
        guard let text else { return 0..<0 }
        var last = top
        for _ in 0..<max(0, room.rows - 1) {
            guard let next = text.place(after: last, columns: room.columns) else { break }
            last = next
        }
        return top.offset..<text.row(at: last, columns: room.columns).bytes.upperBound
    }

    /// Moves as an action says.
    mutating func move(_ action: Action) {
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

    /// Moves by rows, as far as the last row stays at the bottom.
    mutating func scroll(by rows: Int) {
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

/// One value alone, over the rows.
extension DocumentPane {
    /// Bytes that are decoded within a frame.
    private static let quickDecode = 256 << 10

    /// Shows the value of a row whole.
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
            value.show(document.plainText(of: row.node))
            layer = .value(value)
            return []
        }
        layer = .value(value)
        return [.decode(nextTicket(), document, row.node)]
    }

    /// Takes a string that was decoded outside.
    mutating func takeDecoded(_ text: String, ticket: Int) {
        guard isCurrent(ticket), case .value(var value) = layer else { return }
        value.show(text)
        layer = .value(value)
    }
}

extension Document {
    /// A string decoded, anything else as written.
    func plainText(of node: NodeIndex) -> String { string(of: node) ?? sourceText(of: node) }
}
