import Documents
import Terminal

/// Copying to the clipboard.
extension DocumentPane {
    /// The most bytes that are copied; terminals refuse more, and some of them much less.
    package static let copyLimit = 1 << 20

    /// Copies the part of the row under the cursor that an action names.
    mutating func copy(_ action: Action) -> [DocumentPaneEffect] {
        if case .copying = layer { layer = .rows }
        refit()
        guard let body else { return say("there is nothing to copy") }
        if let table, let node = table.current { return copy(action, of: node, in: table.document) }
        switch body.row(at: scroll.selection, textLimit: Self.copyLimit + 4) {
        case .tree(let row):
            guard let document = body.document else { return [] }
            return copy(action, of: row.node, in: document)
        case .fault(let row): return send(words(of: row.fault), called: "the error")
        case .text(let row): return send(row.text, called: "the line", bytes: row.range.count)
        case .hex(let row):
            let count = row.bytes.count
            return send(row.hex.trimmed, called: count == 1 ? "1 byte" : "\(count) bytes")
        case nil: return say("there is nothing to copy")
        }
    }

    private func copy(
        _ action: Action,
        of node: NodeIndex,
        in document: Document
    ) -> [DocumentPaneEffect] {
        switch action {
        case .copyPath, .copyShortPath:
            guard let path = document.path(of: node, maximumLength: Self.copyLimit) else {
                return say("the path is longer than \(Readable.bytes(Self.copyLimit))", .warning)
            }
            // The short path is never longer.
            let short = document.dottedPath(of: node, maximumLength: .max)
            return send(action == .copyPath ? path : short, called: "the path")
        case .copyKey:
            let length = document.keyRange(of: node)?.count ?? 0
            guard length <= Self.copyLimit else { return refuse("the key", length) }
            if let key = document.key(of: node) { return send(key, called: "the key") }
            guard document.parent(of: node) != nil else {
                return say("the outermost value has no key", .warning)
            }
            return send(String(document.indexInParent(of: node)), called: "the index")
        case .copyText:
            let length = document.valueRange(of: node).count
            guard length <= Self.copyLimit else { return refuse("the value", length) }
            return send(document.plainText(of: node), called: "the text")
        default:
            let length = document.valueRange(of: node).count
            guard length <= Self.copyLimit else { return refuse("the value", length) }
            return send(document.sourceText(of: node), called: "the value")
        }
    }

    /// Copies a text, with a notice that names it.
    func send(_ text: String, called name: String, bytes: Int? = nil) -> [DocumentPaneEffect] {
        let count = bytes ?? text.utf8.count
        guard count <= Self.copyLimit else { return refuse(name, count) }
        let size = count < 1000 ? "" : " (\(Readable.bytes(count)))"
        let shown = String(text.prefix(200))
        return [
            .copy(text),
            .say(Notice(kind: .information, text: "copied \(name)\(size): \(shown)")),
        ]
    }

    private func refuse(_ name: String, _ count: Int) -> [DocumentPaneEffect] {
        let limit = Readable.bytes(Self.copyLimit)
        return say(
            "\(name) is \(Readable.bytes(count)); the clipboard takes at most \(limit)",
            .warning
        )
    }
}
