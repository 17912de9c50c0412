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
            // A long string has an entry in the table too.
            if container.depth >= depth && !container.isString { body(Int(container.node)) }
        }
    }
}

/// One row of a tree as a pane shows it.
package struct TreeRow: Sendable, Equatable {
    /// The value.
    package let node: NodeIndex
    /// How many containers it lies in.
    package let depth: Int
    /// Whether it is folded.
    package let fold: FoldState
    /// What the value is.
    package let kind: ValueKind
    /// A member's key as written, without quotes, cut to the limit.
    package let key: String?
    /// The place in its array, from 0; nil for members and the root.
    package let index: Int?
    /// A scalar as written, strings with their quotes, cut to the limit; empty for containers.
    package let value: String
    /// Whether the key was cut.
    package let isKeyCut: Bool
    /// Whether the value was cut.
    package let isValueCut: Bool
    /// The values directly in it; so far, when it is incomplete.
    package let childCount: Int
    /// Whether it is a container without its end.
    package let isIncomplete: Bool
}

extension TreeRow {
    /// A value of a document as a row; no text is longer than `textLimit` bytes.
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
