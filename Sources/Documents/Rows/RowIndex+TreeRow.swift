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
        let fold: FoldState = hasChildren(node) ? (isFolded(node) ? .closed : .open) : .leaf
        return TreeRow(node, of: document, fold: fold, textLimit: textLimit)
    }
}
