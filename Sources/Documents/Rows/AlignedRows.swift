/// Two compared documents row by row, with equal values on the same row.
///
/// A value that one side lacks is an empty row there. Both sides share their folds.
///
/// A value type, like `RowIndex`. Lookups between rows, values and differences take O(log n); toggling a fold
/// takes a few microseconds. `foldAll`, `fold(fromDepth:)` and `showOnlyDifferences` visit every value once,
/// so call them off the main thread if there are millions.
package struct AlignedRows: Sendable {
    /// The comparison whose documents the rows show side by side.
    package let diff: DocumentDiff
    private var folds: FoldIndex<Alignment>

    /// Begins with every value shown.
    package init(_ diff: DocumentDiff) {
        self.diff = diff
        folds = FoldIndex(diff.alignment)
    }

    var alignment: Alignment { diff.alignment }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int { folds.rowCount }

    /// The entry on a row; nil if there is no such row.
    package func entry(atRow row: Int) -> AlignedEntry? {
        folds.node(atRow: row).map { entry($0) }
    }

    /// The row of a value; nil if it is hidden.
    package func row(of node: NodeIndex, in side: DocumentSide) -> Int? {
        alignment.entry(of: node, in: side).flatMap { folds.row(of: $0) }
    }

    /// The row of a value or of the container that hides it; 0 if there is neither.
    package func nearestRow(of node: NodeIndex, in side: DocumentSide) -> Int {
        alignment.entry(of: node, in: side).map { folds.nearestRow(of: $0) } ?? 0
    }

    func entry(_ number: Int) -> AlignedEntry {
        let values = alignment.values(at: number)
        let mark =
            values.left.map { diff.mark(of: $0, in: .left) }
            ?? values.right.map { diff.mark(of: $0, in: .right) }
        return AlignedEntry(
            number: number,
            left: values.left,
            right: values.right,
            mark: mark ?? .equal
        )
    }

    /// The existing rows in a range; no text is longer than `textLimit` bytes.
    package func rows(in range: Range<Int>, textLimit: Int) -> [AlignedRow] {
        let range = range.clamped(to: 0..<rowCount)
        guard !range.isEmpty else { return [] }
        var rows: [AlignedRow] = []
        rows.reserveCapacity(range.count)
        var expected = folds.node(atRow: range.lowerBound - 1).map { followingEntry($0) } ?? 0
        var number = folds.node(atRow: range.lowerBound)
        while let current = number, rows.count < range.count {
            let hidden = max(0, current - expected)
            rows.append(row(current, hiddenBefore: hidden, textLimit: textLimit))
            expected = followingEntry(current)
            number = folds.nextShown(after: current)
        }
        return rows
    }

    /// The next entry if none were left out.
    private func followingEntry(_ number: Int) -> Int {
        guard folds.isFolded(number) else { return number + 1 }
        return number + alignment.subtreeSize(of: number, within: alignment.entryCount)
    }

    private func row(_ number: Int, hiddenBefore: Int, textLimit: Int) -> AlignedRow {
        let entry = entry(number)
        let state: FoldState = folds.isFolded(number) ? .closed : .open
        func side(_ node: NodeIndex?, _ document: Document) -> TreeRow? {
            guard let node else { return nil }
            let fold = document.childCount(of: node) > 0 ? state : .leaf
            return TreeRow(node, of: document, fold: fold, textLimit: textLimit)
        }
        return AlignedRow(
            entry: entry,
            left: side(entry.left, diff.left),
            right: side(entry.right, diff.right),
            hiddenBefore: hiddenBefore
        )
    }

    // MARK: - Folding

    /// Whether the container on a row is folded.
    package func isFolded(row: Int) -> Bool {
        folds.node(atRow: row).map { folds.isFolded($0) } ?? false
    }

    /// Folds or unfolds the container on a row; containers inside it keep their own state.
    package mutating func toggle(row: Int) {
        if let number = folds.node(atRow: row) { folds.toggle(number) }
    }

    /// Folds every container except the outermost.
    package mutating func foldAll() { folds.foldAll() }

    /// Unfolds every container.
    package mutating func unfoldAll() { folds.unfoldAll() }

    /// Folds the containers at `depth` and deeper, and unfolds all others.
    package mutating func fold(fromDepth depth: Int) { folds.fold(fromDepth: depth) }

    /// Unfolds everything around a value so that it has a row; shows everything if the value was left out.
    package mutating func reveal(_ node: NodeIndex, in side: DocumentSide) {
        if let number = alignment.entry(of: node, in: side) { reveal(number) }
    }

    private mutating func reveal(_ number: Int) {
        if let filter = folds.filter, !filter[number] { showEverything() }
        folds.reveal(number)
    }
}

// MARK: - Differences

extension AlignedRows {
    /// Whether equal values are left out.
    package var isFiltered: Bool { folds.filter != nil }

    /// The row of a difference; nil if it is hidden.
    package func row(ofDifference index: Int) -> Int? {
        guard diff.differences.indices.contains(index) else { return nil }
        return folds.row(of: diff.entry(ofDifference: index))
    }

    /// The first difference after a row, including hidden ones; nil if there is none.
    ///
    /// A folded container's row stands for the container only, not for the values inside it.
    package func indexOfDifference(afterRow row: Int) -> Int? {
        guard let number = folds.node(atRow: row) else { return nil }
        return diff.indexOfDifference(afterEntry: number)
    }

    /// The last difference before a row, including hidden ones; nil if there is none.
    package func indexOfDifference(beforeRow row: Int) -> Int? {
        folds.node(atRow: row).flatMap { diff.indexOfDifference(beforeEntry: $0) }
    }

    /// Unfolds everything around a difference so that it has a row.
    package mutating func reveal(difference index: Int) {
        guard diff.differences.indices.contains(index) else { return }
        reveal(diff.entry(ofDifference: index))
    }

    /// Leaves out equal values, except for `context` neighbors before and after each difference, which are
    /// folded, and the containers around it.
    package mutating func showOnlyDifferences(context: Int = 3) {
        let surroundings = DifferenceContext(self, context: context)
        folds.show(only: surroundings.kept, folding: surroundings.folded)
    }

    /// Shows everything that was left out; folds stay.
    package mutating func showEverything() { folds.show(only: nil) }
}

/// A row of two documents side by side: two values that belong together, or one that the other side
/// lacks.
package struct AlignedEntry: Equatable, Sendable {
    /// The number of entries before this one, including hidden ones.
    package let number: Int
    /// The value of the left document; nil if it lacks one.
    package let left: NodeIndex?
    /// The value of the right document; nil if it lacks one.
    package let right: NodeIndex?
    /// The result of the comparison for the row.
    package let mark: DiffMark
}

/// One row of two trees, as shown in two panes.
package struct AlignedRow: Equatable, Sendable {
    /// The entry on the row.
    package let entry: AlignedEntry
    /// The left side; nil for an empty row.
    package let left: TreeRow?
    /// The right side; nil for an empty row.
    package let right: TreeRow?
    /// The number of equal values left out directly above the row.
    package let hiddenBefore: Int

    /// The result of the comparison for the row.
    package var mark: DiffMark { entry.mark }
}

/// The entries that stay when only differences and their context are shown.
struct DifferenceContext {
    /// The entries that stay.
    private(set) var kept: BitVector
    /// Context entries that stay but are folded.
    private(set) var folded: BitVector

    /// Examines the children of every container that has differences, in linear time.
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
        // The last equal neighbors, kept in case a difference follows.
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
                for neighbor in before.suffix(context) { keepClosed(neighbor, alignment) }
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
