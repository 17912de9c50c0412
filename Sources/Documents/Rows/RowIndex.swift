/// Which values of a document are rows, with folds: row to value and back in O(log n).
///
/// It looks only at the values that were published when it last took some in, so that it stays
/// consistent while the document grows.
package struct RowIndex: Sendable {
    private var folds: FoldIndex<DocumentTree>

    /// Shows everything that is published.
    package init(_ document: Document) {
        folds = FoldIndex(DocumentTree(document: document))
    }

    var document: Document { folds.tree.document }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int { folds.rowCount }

    /// The value that is shown at a row.
    package func node(atRow row: Int) -> NodeIndex? { folds.node(atRow: row).map { NodeIndex($0) } }

    /// The row that shows a value, nil when it is hidden.
    package func row(of node: NodeIndex) -> Int? { folds.row(of: node.rawValue) }

    /// The row of a value, or of the folded container that hides it.
    package func nearestRow(of node: NodeIndex) -> Int { folds.nearestRow(of: node.rawValue) }

    /// The next value that is shown.
    func nextShown(after node: NodeIndex) -> NodeIndex? {
        folds.nextShown(after: node.rawValue).map { NodeIndex($0) }
    }

    /// Whether a container is folded, shown or not.
    package func isFolded(_ node: NodeIndex) -> Bool { folds.isFolded(node.rawValue) }

    func hasChildren(_ node: NodeIndex) -> Bool { folds.hasChildren(node.rawValue) }

    // MARK: - Folding

    /// Folds a container or unfolds it; what lies in it keeps its own folds.
    package mutating func toggle(_ node: NodeIndex) { folds.toggle(node.rawValue) }

    /// Hides what lies in a container.
    package mutating func fold(_ node: NodeIndex) { folds.fold(node.rawValue) }

    /// Shows what lies in a container.
    package mutating func unfold(_ node: NodeIndex) { folds.unfold(node.rawValue) }

    /// Folds every container but the outermost.
    package mutating func foldAll() { folds.foldAll() }

    /// Unfolds every container.
    package mutating func unfoldAll() { folds.unfoldAll() }

    /// Folds exactly the containers at a depth and below; containers that come later begin so too.
    package mutating func fold(fromDepth depth: Int) { folds.fold(fromDepth: depth) }

    /// Unfolds everything around a value, so that it is a row.
    package mutating func reveal(_ node: NodeIndex) { folds.reveal(node.rawValue) }

    /// Takes in the values that were published since the last time.
    package mutating func synchronize() { folds.synchronize() }
}
