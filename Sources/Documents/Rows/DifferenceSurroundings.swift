/// Which rows stay when only differences and what is around them are shown.
struct DifferenceSurroundings {
    /// What stays.
    private(set) var kept: BitVector
    /// Neighbours that stay, but closed.
    private(set) var folded: BitVector

    /// Looks at the values directly in every container in which something differs: linear.
    init(_ rows: AlignedRows, context: Int) {
        let alignment = rows.alignment
        let count = alignment.entryCount
        kept = BitVector(count: count)
        folded = BitVector(count: count)
        guard count > 0 else { return }
        guard !rows.diff.isEqual else {
            keepClosed(0, alignment)
            return
        }
        kept[0] = true
        var pending = [0]
        while let container = pending.popLast() {
            let size = alignment.subtreeSize(of: container, within: count)
            guard rows.entry(container).mark == .containsChanges else {
                kept.set(container..<container + size)
                continue
            }
            keepChildren(of: container..<container + size, rows, context, &pending)
        }
    }

    private mutating func keepChildren(
        of container: Range<Int>,
        _ rows: AlignedRows,
        _ context: Int,
        _ pending: inout [Int]
    ) {
        let alignment = rows.alignment
        // The last equal neighbours, in case a difference follows.
        var before: [Int] = []
        var after = 0
        var child = container.lowerBound + 1
        while child < container.upperBound {
            switch rows.entry(child).mark {
            case .equal, .ignored:
                if after > 0 { keepClosed(child, alignment) } else { before.append(child) }
                if before.count > max(2 * context, 16) {
                    before.removeFirst(before.count - context)
                }
                after = max(0, after - 1)
            default:
                for neighbour in before.suffix(context) { keepClosed(neighbour, alignment) }
                before = []
                after = context
                kept[child] = true
                pending.append(child)
            }
            child += alignment.subtreeSize(of: child, within: alignment.entryCount)
        }
    }

    private mutating func keepClosed(_ entry: Int, _ alignment: Alignment) {
        let size = alignment.subtreeSize(of: entry, within: alignment.entryCount)
        kept.set(entry..<entry + size)
        if size > 1 { folded[entry] = true }
    }
}
