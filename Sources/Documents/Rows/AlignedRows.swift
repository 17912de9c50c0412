/// Two compared documents row by row: equal things stand on equal rows.
///
/// What one side lacks is an empty row there. Folds are common to both sides.
///
/// A value, like `RowIndex`. Row to value, value to row and the next difference cost O(log n),
/// toggling what is folded a few microseconds; `foldAll`, `fold(fromDepth:)` and
/// `showOnlyDifferences` look at every value once and belong off the main thread when there are
/// millions.
package struct AlignedRows: Sendable {
    /// The comparison.
    package let diff: DocumentDiff
    private var folds: FoldIndex<Alignment>

    /// Shows everything.
    package init(_ diff: DocumentDiff) {
        self.diff = diff
        folds = FoldIndex(diff.alignment)
    }

    var alignment: Alignment { diff.alignment }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int { folds.rowCount }

    /// What stands on a row.
    package func entry(atRow row: Int) -> AlignedEntry? {
        folds.node(atRow: row).map { entry($0) }
    }

    /// The row of a value; nil when it is hidden.
    package func row(of node: NodeIndex, in side: DocumentSide) -> Int? {
        alignment.entry(of: node, in: side).flatMap { folds.row(of: $0) }
    }

    /// The row of a value, or of the container that hides it.
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

    /// The rows of a range, cut to what there is; no text is longer than `textLimit` bytes.
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

    /// The entry that comes next when nothing is left out.
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

    /// Folds the container on a row or unfolds it; what lies in it keeps its own folds.
    package mutating func toggle(row: Int) {
        if let number = folds.node(atRow: row) { folds.toggle(number) }
    }

    /// Folds every container but the outermost.
    package mutating func foldAll() { folds.foldAll() }

    /// Unfolds every container.
    package mutating func unfoldAll() { folds.unfoldAll() }

    /// Folds exactly the containers at a depth and below.
    package mutating func fold(fromDepth depth: Int) { folds.fold(fromDepth: depth) }

    /// Unfolds everything around a value, so that it is a row; what was left out comes back.
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

    /// The row of a difference; nil when it is hidden.
    package func row(ofDifference index: Int) -> Int? {
        guard diff.differences.indices.contains(index) else { return nil }
        return folds.row(of: diff.entry(ofDifference: index))
    }

    /// The first difference behind a row, hidden ones too.
    ///
    /// A folded container's row counts as all that lies in it.
    package func indexOfDifference(afterRow row: Int) -> Int? {
        guard let number = folds.node(atRow: row) else { return nil }
        return diff.indexOfDifference(afterEntry: number)
    }

    /// The last difference before a row, hidden ones too.
    package func indexOfDifference(beforeRow row: Int) -> Int? {
        folds.node(atRow: row).flatMap { diff.indexOfDifference(beforeEntry: $0) }
    }

    /// Unfolds everything around a difference, so that it is a row.
    package mutating func reveal(difference index: Int) {
        guard diff.differences.indices.contains(index) else { return }
        reveal(diff.entry(ofDifference: index))
    }

    /// Leaves out what is equal, but for `context` neighbours before and after each difference,
    /// folded, and the containers around it.
    package mutating func showOnlyDifferences(context: Int = 3) {
        let surroundings = DifferenceContext(self, context: context)
        folds.show(only: surroundings.kept, folding: surroundings.folded)
    }

    /// Shows again what was left out; folds stay.
    package mutating func showEverything() { folds.show(only: nil) }
}

/// A row of two documents next to each other: values that belong together, or one that the other side
/// lacks.
package struct AlignedEntry: Equatable, Sendable {
    /// How many entries come before this one, hidden ones too.
    package let number: Int
    /// The value of the left document; nil where it lacks one.
    package let left: NodeIndex?
    /// The value of the right document; nil where it lacks one.
    package let right: NodeIndex?
    /// What the comparison says of it.
    package let mark: DiffMark
}

/// One row of two trees as two panes show it.
package struct AlignedRow: Equatable, Sendable {
    /// What stands on it.
    package let entry: AlignedEntry
    /// The left side; nil is an empty row.
    package let left: TreeRow?
    /// The right side; nil is an empty row.
    package let right: TreeRow?
    /// How many equal values were left out directly above it.
    package let hiddenBefore: Int

    /// What the comparison says of it.
    package var mark: DiffMark { entry.mark }
}

/// Which rows stay when only differences and what is around them are shown.
struct DifferenceContext {
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
