import Documents
import Terminal

/// The cache's body and the server's, row by row beside each other.
struct Comparison {
    /// The rows below the compared ones.
    static let footRows = 1

    /// Which bodies it is about; others belong to another comparison.
    let address: ComparisonAddress
    /// The rows; nil while the bodies are being compared.
    var rows: AlignedRows?
    /// The row under the cursor and what is in sight, the same for both panes.
    var scroll = ListScroll()
    /// How many levels are unfolded, after a key said so.
    var depth: Int?
    /// The rows that the panes have for it.
    private(set) var height = 1

    /// Takes the rows that the smaller pane has.
    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: rows?.rowCount ?? 0, height: self.height)
    }

    /// Takes what was found, with the cursor on the first difference.
    mutating func show(_ rows: AlignedRows) {
        self.rows = rows
        fit(height: height)
        goTo(difference: 0)
    }

    /// The value under the cursor on one side; nil where that side has none.
    func node(in side: PaneSide) -> NodeIndex? {
        let entry = rows?.entry(atRow: scroll.selection)
        return side == .cache ? entry?.left : entry?.right
    }

    /// The place of the difference under the cursor, from 1.
    var currentDifference: Int? {
        guard let rows, let entry = rows.entry(atRow: scroll.selection),
            entry.mark.isDifference
        else { return nil }
        // The last difference that does not stand behind this row.
        let next = rows.indexOfDifference(afterRow: scroll.selection)
        return next ?? rows.diff.differences.count
    }

    /// To the next difference or the one before; tells whether that went over the end.
    mutating func step(forward: Bool) -> Bool {
        guard let rows, !rows.diff.isEqual else { return false }
        let found =
            forward
            ? rows.indexOfDifference(afterRow: scroll.selection)
            : rows.indexOfDifference(beforeRow: scroll.selection)
        goTo(difference: found ?? (forward ? 0 : rows.diff.differences.count - 1))
        return found == nil
    }

    private mutating func goTo(difference index: Int) {
        rows?.reveal(difference: index)
        fit(height: height)
        if let row = rows?.row(ofDifference: index) { scroll.select(row) }
    }

    // MARK: Folds

    /// Folds or unfolds the container under the cursor.
    mutating func toggle() {
        rows?.toggle(row: scroll.selection)
        fit(height: height)
    }

    /// Changes folds; the cursor stays on its value, or goes to the fold that hides it.
    mutating func keepingPlace(_ change: (inout AlignedRows) -> Void) {
        guard var rows else { return }
        let entry = rows.entry(atRow: scroll.selection)
        change(&rows)
        self.rows = rows
        fit(height: height)
        if let node = entry?.left {
            scroll.select(rows.nearestRow(of: node, in: .left))
        } else if let node = entry?.right {
            scroll.select(rows.nearestRow(of: node, in: .right))
        }
    }

    /// Unfolds so many levels and folds what is deeper.
    mutating func unfold(levels: Int) {
        let levels = max(1, levels)
        keepingPlace { $0.fold(fromDepth: levels) }
        depth = levels
    }

    /// Folds what is equal, or shows it again.
    mutating func toggleEqual() {
        keepingPlace { rows in
            if rows.isFiltered { rows.showEverything() } else { rows.showOnlyDifferences() }
        }
    }

    /// Folds the container under the cursor, or goes to the one around it.
    mutating func stepOut() {
        guard let row = row(at: scroll.selection) else { return }
        if row.fold == .open {
            toggle()
            return
        }
        var above = scroll.selection - 1
        while above >= 0, let other = self.row(at: above), other.depth >= row.depth { above -= 1 }
        if above >= 0 { scroll.select(above) }
    }

    /// Unfolds the container under the cursor, or goes one row down.
    mutating func stepIn() {
        if row(at: scroll.selection)?.fold == .closed { toggle() } else { scroll.move(by: 1) }
    }

    /// What stands on a row, on whichever side.
    func row(at row: Int) -> TreeRow? {
        let aligned = rows?.rows(in: row..<row + 1, textLimit: 1).first
        return aligned?.left ?? aligned?.right
    }
}

/// Which two bodies are compared.
struct ComparisonAddress: Hashable, Sendable {
    var item: CatalogID
    var environment: Int
    /// The generations of the two panes.
    var cache: Int
    var server: Int
}

extension DiffMark {
    /// Whether the row itself differs.
    var isDifference: Bool {
        switch self {
        case .added, .removed, .changed, .moved: true
        case .equal, .containsChanges, .ignored: false
        }
    }
}
