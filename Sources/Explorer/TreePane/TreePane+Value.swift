import Documents

/// One value alone, over the rows.
extension TreePane {
    /// Bytes that are decoded within a frame.
    private static let quickDecode = 256 << 10

    /// Shows the value of a row whole.
    mutating func openValue(_ row: TreeRow) -> [TreePaneEffect] {
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
