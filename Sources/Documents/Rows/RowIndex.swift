/// Which values of a document are rows, with folds: row to value and back in O(log n).
///
/// Only values published at the last call of `synchronize` are used, so that the index stays consistent while
/// the document grows.
package struct RowIndex: Sendable {
    private var folds: FoldIndex<DocumentTree>

    /// Begins with every published value shown.
    package init(_ document: Document) {
        folds = FoldIndex(DocumentTree(document: document))
    }

    var document: Document { folds.tree.document }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int { folds.rowCount }

    /// The value at a row; nil if there is no such row.
    package func node(atRow row: Int) -> NodeIndex? { folds.node(atRow: row).map { NodeIndex($0) } }

    /// The row of a value; nil if it is hidden.
    package func row(of node: NodeIndex) -> Int? { folds.row(of: node.rawValue) }

    /// The row of a value, or of the folded container that hides it.
    package func nearestRow(of node: NodeIndex) -> Int { folds.nearestRow(of: node.rawValue) }

    func nextShown(after node: NodeIndex) -> NodeIndex? {
        folds.nextShown(after: node.rawValue).map { NodeIndex($0) }
    }

    /// Whether a container is folded; it may itself be hidden.
    package func isFolded(_ node: NodeIndex) -> Bool { folds.isFolded(node.rawValue) }

    func hasChildren(_ node: NodeIndex) -> Bool { folds.hasChildren(node.rawValue) }

    // MARK: - Folding

    /// Folds or unfolds a container; containers inside it keep their own state.
    package mutating func toggle(_ node: NodeIndex) { folds.toggle(node.rawValue) }

    /// Hides the contents of a container.
    package mutating func fold(_ node: NodeIndex) { folds.fold(node.rawValue) }

    /// Shows the contents of a container.
    package mutating func unfold(_ node: NodeIndex) { folds.unfold(node.rawValue) }

    /// Folds every container except the outermost.
    package mutating func foldAll() { folds.foldAll() }

    /// Unfolds every container.
    package mutating func unfoldAll() { folds.unfoldAll() }

    /// Folds the containers at `depth` and deeper, including new ones, and unfolds all others.
    package mutating func fold(fromDepth depth: Int) { folds.fold(fromDepth: depth) }

    /// Unfolds everything around a value so that it has a row.
    package mutating func reveal(_ node: NodeIndex) { folds.reveal(node.rawValue) }

    /// Takes in the values that were published since the last call.
    package mutating func synchronize() { folds.synchronize() }
}

/// The rows for a screen; text is made only for the requested rows.
extension RowIndex {
    /// The existing rows in a range; no text is longer than `textLimit` bytes.
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

/// A document as a tree of rows.
struct DocumentTree: RowTree {
    let document: Document

    var nodeCount: Int { document.nodeCount }

    func subtreeSize(of node: Int, within count: Int) -> Int {
        document.subtreeSize(of: NodeIndex(node), within: count)
    }

    func parent(of node: Int) -> Int? { document.parent(of: NodeIndex(node))?.rawValue }

    func visitContainers(in nodes: Range<Int>, fromDepth depth: Int, _ body: (Int) -> Void) {
        let first = document.containerCount(under: nodes.lowerBound)
        let end = document.containerCount(under: nodes.upperBound)
        for index in first..<max(first, end) {
            let container = document.containers.read(index)
            // Long strings have entries in the table too.
            if container.depth >= depth && !container.isString { body(Int(container.node)) }
        }
    }
}

/// One row of a tree, as shown in a pane.
package struct TreeRow: Sendable, Equatable {
    /// The number of the value in its document.
    package let node: NodeIndex
    /// The number of containers around the value.
    package let depth: Int
    /// Whether the value is folded.
    package let fold: FoldState
    /// The kind of the value.
    package let kind: ValueKind
    /// A member's key as written, without quotes, cut to the limit; nil if the value is not a member.
    package let key: String?
    /// The index in the array, from 0; nil for members and the root.
    package let index: Int?
    /// A scalar as written, strings with their quotes, cut to the limit; empty for containers.
    package var value: String
    /// Whether the key was cut.
    package let isKeyCut: Bool
    /// Whether the value was cut.
    package let isValueCut: Bool
    /// The number of children; for an incomplete container, the number so far.
    package let childCount: Int
    /// Whether the value is a container without its end.
    package let isIncomplete: Bool
}

extension TreeRow {
    /// Creates the row of a value; no text is longer than `textLimit` bytes.
    init(_ node: NodeIndex, of document: Document, fold: FoldState, textLimit: Int) {
        let kind = document.kind(of: node)
        let keyRange = document.keyRange(of: node)
        let isElement = keyRange == nil && document.parent(of: node) != nil
        let key = keyRange.map { document.bytes.cutText($0, limit: textLimit) }
        let value =
            kind.isContainer
            ? (text: "", isCut: false)
            : document.cutValue(of: node, limit: textLimit)
        self.init(
            node: node,
            depth: document.depth(of: node),
            fold: fold,
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
