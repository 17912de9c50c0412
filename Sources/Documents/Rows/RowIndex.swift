/// Which values of a tree are rows, with folds: row to value and back in O(log n).
///
/// A value's bit in `shown` says that it is a row. Rows are counted per block of 4096 values, and
/// the counts are summed in a Fenwick tree. While nothing is folded, rows are values and none of
/// it exists. It looks only at the values that were published when it last took some in, so that
/// it stays consistent while the document grows.
package struct RowIndex: Sendable {
    let document: Document
    private var nodeCount = 0
    private var containerCount = 0
    /// New containers at this depth and below begin folded.
    private var foldDepth: Int?
    private var folded: BitVector?
    private var shown = BitVector()
    private var blocks = BlockCounts()

    /// Shows everything that is published.
    package init(_ document: Document) {
        self.document = document
        synchronize()
    }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int { folded == nil ? nodeCount : blocks.total }

    /// The value that is shown at a row.
    package func node(atRow row: Int) -> NodeIndex? {
        guard row >= 0 && row < rowCount else { return nil }
        guard folded != nil else { return NodeIndex(row) }
        let (block, rest) = blocks.find(row)
        return NodeIndex(shown.select(rest, fromWord: block * BlockCounts.words))
    }

    /// The row that shows a value, nil when it is hidden.
    package func row(of node: NodeIndex) -> Int? {
        guard node.rawValue >= 0 && node.rawValue < nodeCount else { return nil }
        guard folded != nil else { return node.rawValue }
        guard shown[node.rawValue] else { return nil }
        let block = node.rawValue / BlockCounts.nodes
        let inside = shown.count(from: block * BlockCounts.nodes, to: node.rawValue)
        return blocks.sum(before: block) + inside
    }

    /// The row of a value, or of the folded container that hides it.
    package func nearestRow(of node: NodeIndex) -> Int {
        var node: NodeIndex? = node
        while let current = node {
            if let row = row(of: current) { return row }
            node = document.parent(of: current)
        }
        return 0
    }

    /// The next value that is shown.
    func nextShown(after node: NodeIndex) -> NodeIndex? {
        let next = node.rawValue + 1
        guard next < nodeCount else { return nil }
        guard folded != nil else { return NodeIndex(next) }
        return shown.first(in: next..<nodeCount).map { NodeIndex($0) }
    }

    /// Whether a container is folded, shown or not.
    package func isFolded(_ node: NodeIndex) -> Bool {
        guard let folded, node.rawValue < nodeCount else { return false }
        return folded[node.rawValue]
    }

    func hasChildren(_ node: NodeIndex) -> Bool { size(node.rawValue) > 1 }

    private func size(_ node: Int) -> Int {
        document.subtreeSize(of: NodeIndex(node), within: nodeCount)
    }

    // MARK: - Folding

    /// Folds a container or unfolds it; what lies in it keeps its own folds.
    package mutating func toggle(_ node: NodeIndex) {
        if isFolded(node) { unfold(node) } else { fold(node) }
    }

    /// Hides what lies in a container.
    package mutating func fold(_ node: NodeIndex) {
        guard node.rawValue < nodeCount, hasChildren(node), !isFolded(node) else { return }
        buildIfNeeded()
        folded?[node.rawValue] = true
        // In a hidden part the fold is only remembered.
        guard shown[node.rawValue] else { return }
        let inside = node.rawValue + 1..<node.rawValue + size(node.rawValue)
        shown.clear(inside)
        recount(inside)
    }

    /// Shows what lies in a container.
    package mutating func unfold(_ node: NodeIndex) {
        guard isFolded(node) else { return }
        folded?[node.rawValue] = false
        guard shown[node.rawValue] else { return }
        let inside = node.rawValue + 1..<node.rawValue + size(node.rawValue)
        show(inside)
        recount(inside)
    }

    /// Folds every container but the outermost.
    package mutating func foldAll() { fold(fromDepth: 1) }

    /// Unfolds every container.
    package mutating func unfoldAll() {
        foldDepth = nil
        folded = nil
        shown = BitVector()
        blocks = BlockCounts()
    }

    /// Folds exactly the containers at a depth and below; containers that come later begin so too.
    package mutating func fold(fromDepth depth: Int) {
        foldDepth = depth
        folded = BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        foldNew(fromContainer: 0)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    /// Unfolds everything around a value, so that it is a row.
    package mutating func reveal(_ node: NodeIndex) {
        guard node.rawValue < nodeCount else { return }
        var ancestors: [NodeIndex] = []
        var current = document.parent(of: node)
        while let ancestor = current {
            if isFolded(ancestor) { ancestors.append(ancestor) }
            current = document.parent(of: ancestor)
        }
        // From the inside, while it is hidden and costs nothing; the last one shows it all.
        for ancestor in ancestors { unfold(ancestor) }
    }

    /// Takes in the values that were published since the last time.
    package mutating func synchronize() {
        let old = nodeCount
        nodeCount = document.nodeCount
        let firstContainer = containerCount
        guard nodeCount > old else { return }
        containerCount = document.containerCount(under: nodeCount)
        guard folded != nil else { return }
        folded?.grow(to: nodeCount)
        shown.grow(to: nodeCount)
        foldNew(fromContainer: firstContainer)
        let hidden = hiddenEnd(at: old)
        if hidden < nodeCount { show(hidden..<nodeCount) }
        recount(old..<nodeCount)
    }

    // MARK: - Parts

    private mutating func buildIfNeeded() {
        guard folded == nil else { return }
        folded = BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        shown.set(0..<nodeCount)
        recount(0..<nodeCount)
    }

    private mutating func foldNew(fromContainer first: Int) {
        guard let foldDepth else { return }
        for index in first..<max(first, containerCount) {
            let container = document.containers.read(index)
            if container.depth >= foldDepth && !container.isString {
                folded?[Int(container.node)] = true
            }
        }
    }

    /// The end of the folded part that a new value falls into, or the value itself.
    private func hiddenEnd(at node: Int) -> Int {
        var end = node
        var current = document.parent(of: NodeIndex(node))
        while let ancestor = current {
            if isFolded(ancestor) { end = ancestor.rawValue + size(ancestor.rawValue) }
            current = document.parent(of: ancestor)
        }
        return end
    }

    /// Shows a range that begins outside of every fold, hopping over what is folded in it.
    private mutating func show(_ range: Range<Int>) {
        var node = range.lowerBound
        while node < range.upperBound {
            guard let fold = folded?.first(in: node..<range.upperBound) else {
                shown.set(node..<range.upperBound)
                return
            }
            // The folded container's own row is shown.
            shown.set(node..<fold + 1)
            node = fold + size(fold)
        }
    }

    private mutating func recount(_ range: Range<Int>) {
        blocks.recount(range, of: shown)
    }
}
