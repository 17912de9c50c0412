/// The rows for a screen: text is made only for what is asked for.
extension RowIndex {
    /// The rows of a range, cut to what there is; no text is longer than `textLimit` bytes.
    package func rows(in range: Range<Int>, textLimit: Int) -> [TreeRow] {
        let range = range.clamped(to: 0..<rowCount)
        guard !range.isEmpty else { return [] }
        var rows: [TreeRow] = []
        rows.reserveCapacity(range.count)
        var node = node(atRow: range.lowerBound)
        while let current = node, rows.count < range.count {
            rows.append(row(for: current, textLimit: textLimit))
            node = nextShown(after: current)
        }
        return rows
    }

    private func row(for node: NodeIndex, textLimit: Int) -> TreeRow {
        let document = document
        let kind = document.kind(of: node)
        let keyRange = document.keyRange(of: node)
        let isElement = keyRange == nil && document.parent(of: node) != nil
        let key = keyRange.map { document.bytes.cutText($0, limit: textLimit) }
        let value =
            kind.isContainer
            ? (text: "", isCut: false)
            : document.bytes.cutText(document.valueRange(of: node), limit: textLimit)
        return TreeRow(
            node: node,
            depth: document.depth(of: node),
            fold: hasChildren(node) ? (isFolded(node) ? .closed : .open) : .leaf,
            kind: kind,
            key: key?.text,
            index: isElement ? document.indexInParent(of: node) : nil,
            value: value.text,
            isKeyCut: key?.isCut ?? false,
            isValueCut: value.isCut,
            childCount: document.childCount(of: node),
            isIncomplete: document.isIncomplete(node)
        )
    }
}
