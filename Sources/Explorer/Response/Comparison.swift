import Documents
import Terminal
import TreeView

/// The cache's body and the server's, compared row by row, side by side.
struct Comparison {
    /// The number of rows below the compared ones.
    static let footRows = 1

    /// The two bodies that are compared.
    let address: ComparisonAddress
    /// The rows; nil while the bodies are being compared.
    var rows: AlignedRows?
    /// The cursor and the visible rows, the same for both panes.
    var scroll = ListScroll()
    /// The number of unfolded levels; nil until a key sets it.
    var depth: Int?
    /// The height that the panes have for it, in rows.
    private(set) var height = 1

    /// Sets the height, which is that of the smaller pane.
    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: rows?.rowCount ?? 0, height: self.height)
    }

    /// Shows the compared rows, with the cursor on the first difference.
    mutating func show(_ rows: AlignedRows) {
        self.rows = rows
        fit(height: height)
        goTo(difference: 0)
    }

    /// The value under the cursor on one side; nil if that side has none.
    func node(in side: PaneSide) -> NodeIndex? {
        let entry = rows?.entry(atRow: scroll.selection)
        return side == .cache ? entry?.left : entry?.right
    }

    /// The number of the difference under the cursor, from 1; nil if the row does not differ.
    var currentDifference: Int? {
        guard let rows, let entry = rows.entry(atRow: scroll.selection),
            entry.mark.isDifference
        else { return nil }
        // The index of the next difference is the number of this one.
        let next = rows.indexOfDifference(afterRow: scroll.selection)
        return next ?? rows.diff.differences.count
    }

    /// Goes to the next or previous difference; returns whether it wrapped around.
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

    /// Changes folds, with the cursor kept on its value, or moved to the fold that hides it.
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

    /// Unfolds a number of levels and folds everything deeper.
    mutating func unfold(levels: Int) {
        let levels = max(1, levels)
        keepingPlace { $0.fold(fromDepth: levels) }
        depth = levels
    }

    /// Shows only the differences, or everything again.
    mutating func toggleEqual() {
        keepingPlace { rows in
            if rows.isFiltered { rows.showEverything() } else { rows.showOnlyDifferences() }
        }
    }

    /// Folds the container under the cursor, or goes to its parent.
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

    /// The content of a row, from the left side if it has any there.
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

extension Comparison {
    /// Moves, folds or unfolds; returns false if the action is for none of these.
    mutating func perform(_ action: Action) -> Bool {
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last: scroll.move(action)
        case .left: stepOut()
        case .right: stepIn()
        case .open, .toggleFold: toggle()
        case .foldAll: keepingPlace { $0.foldAll() }
        case .unfoldAll: keepingPlace { $0.unfoldAll() }
        case .unfoldMore: unfold(levels: (depth ?? 0) + 1)
        case .unfoldLess: unfold(levels: (depth ?? 2) - 1)
        case .listMatches: toggleEqual()
        default: return false
        }
        return true
    }
}
