/// Which values of any tree are rows, with folds: row to value and back in O(log n).
///
/// A value's bit in `shown` says that it is a row. Rows are counted per block of 4096 values, and
/// the counts are summed in a Fenwick tree. While nothing is folded, rows are values and none of
/// it exists. It looks only at the values that were published when it last took some in, so that
/// it stays consistent while the document grows.
struct FoldIndex<Tree: RowTree>: Sendable {
    let tree: Tree
    private var nodeCount = 0
    /// New containers at this depth and below begin folded.
    private var foldDepth: Int?
    private var folded: BitVector?
    private var shown = BitVector()
    private var blocks = BlockCounts()
    /// The only values that may be shown, folds aside; nil: all.
    private(set) var filter: BitVector?

    /// Shows everything that is published.
    init(_ tree: Tree) {
        self.tree = tree
        synchronize()
    }

    // MARK: - Rows

    /// The number of rows.
    var rowCount: Int { folded == nil ? nodeCount : blocks.total }

    /// The value that is shown at a row.
    func node(atRow row: Int) -> Int? {
        guard row >= 0 && row < rowCount else { return nil }
        guard folded != nil else { return row }
        let (block, rest) = blocks.find(row)
        return shown.select(rest, fromWord: block * BlockCounts.words)
    }

    /// The row that shows a value, nil when it is hidden.
    func row(of node: Int) -> Int? {
        guard node >= 0 && node < nodeCount else { return nil }
        guard folded != nil else { return node }
        guard shown[node] else { return nil }
        let block = node / BlockCounts.nodes
        let inside = shown.count(from: block * BlockCounts.nodes, to: node)
        return blocks.sum(before: block) + inside
    }

    /// The row of a value, or of the folded container that hides it.
    func nearestRow(of node: Int) -> Int {
        var node: Int? = node
        while let current = node {
            if let row = row(of: current) { return row }
            node = tree.parent(of: current)
        }
        return 0
    }

    /// The next value that is shown.
    func nextShown(after node: Int) -> Int? {
        let next = node + 1
        guard next < nodeCount else { return nil }
        guard folded != nil else { return next }
        return shown.first(in: next..<nodeCount)
    }

    /// Whether a container is folded, shown or not.
    func isFolded(_ node: Int) -> Bool {
        guard let folded, node < nodeCount else { return false }
        return folded[node]
    }

    func hasChildren(_ node: Int) -> Bool { size(node) > 1 }

    private func size(_ node: Int) -> Int {
        tree.subtreeSize(of: node, within: nodeCount)
    }

    // MARK: - Folding

    /// Folds a container or unfolds it; what lies in it keeps its own folds.
    mutating func toggle(_ node: Int) {
        if isFolded(node) { unfold(node) } else { fold(node) }
    }

    /// Hides what lies in a container.
    mutating func fold(_ node: Int) {
        guard node < nodeCount, hasChildren(node), !isFolded(node) else { return }
        buildIfNeeded()
        folded?[node] = true
        // In a hidden part the fold is only remembered.
        guard shown[node] else { return }
        let inside = node + 1..<node + size(node)
        shown.clear(inside)
        recount(inside)
    }

    /// Shows what lies in a container.
    mutating func unfold(_ node: Int) {
        guard isFolded(node) else { return }
        folded?[node] = false
        guard shown[node] else { return }
        let inside = node + 1..<node + size(node)
        show(inside)
        recount(inside)
    }

    /// Folds every container but the outermost.
    mutating func foldAll() { fold(fromDepth: 1) }

    /// Unfolds every container.
    mutating func unfoldAll() {
        foldDepth = nil
        folded = nil
        shown = BitVector()
        blocks = BlockCounts()
        if filter != nil { buildIfNeeded() }
    }

    /// Shows only the values of a set and folds those of another one; nil shows all again.
    ///
    /// A set holds the containers of its values too.
    mutating func show(only filter: BitVector?, folding newFolds: BitVector? = nil) {
        self.filter = filter
        foldDepth = nil
        folded = newFolds ?? folded ?? BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    /// Folds exactly the containers at a depth and below; containers that come later begin so too.
    mutating func fold(fromDepth depth: Int) {
        foldDepth = depth
        folded = BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        foldNew(0..<nodeCount)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    /// Unfolds everything around a value, so that it is a row.
    mutating func reveal(_ node: Int) {
        guard node < nodeCount else { return }
        var ancestors: [Int] = []
        var current = tree.parent(of: node)
        while let ancestor = current {
            if isFolded(ancestor) { ancestors.append(ancestor) }
            current = tree.parent(of: ancestor)
        }
        // From the inside, while it is hidden and costs nothing; the last one shows it all.
        for ancestor in ancestors { unfold(ancestor) }
    }

    /// Takes in the values that were published since the last time.
    mutating func synchronize() {
        let old = nodeCount
        nodeCount = tree.nodeCount
        guard nodeCount > old else { return }
        guard folded != nil else { return }
        folded?.grow(to: nodeCount)
        shown.grow(to: nodeCount)
        foldNew(old..<nodeCount)
        let hidden = hiddenEnd(at: old)
        if hidden < nodeCount { show(hidden..<nodeCount) }
        recount(old..<nodeCount)
    }

    // MARK: - Parts

    private mutating func buildIfNeeded() {
        guard folded == nil else { return }
        folded = BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    private mutating func foldNew(_ nodes: Range<Int>) {
        guard let foldDepth, var folded else { return }
        self.folded = nil
        tree.visitContainers(in: nodes, fromDepth: foldDepth) { folded[$0] = true }
        self.folded = folded
    }

    /// The end of the folded part that a new value falls into, or the value itself.
    private func hiddenEnd(at node: Int) -> Int {
        var end = node
        var current = tree.parent(of: node)
        while let ancestor = current {
            if isFolded(ancestor) { end = ancestor + size(ancestor) }
            current = tree.parent(of: ancestor)
        }
        return end
    }

    /// Shows a range that begins outside of every fold, hopping over what is folded in it.
    private mutating func show(_ range: Range<Int>) {
        unhide(range)
        if let filter { shown.intersect(filter, in: range) }
    }

    private mutating func unhide(_ range: Range<Int>) {
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

/// Whether there is something to fold at a row.
package enum FoldState: Sendable {
    /// Nothing lies in it.
    case leaf
    /// What lies in it is shown.
    case open
    /// What lies in it is hidden.
    case closed
}

/// A tree whose values have numbers in the order of its rows, so that a subtree is a range.
protocol RowTree: Sendable {
    /// The values that may be shown; it only grows.
    var nodeCount: Int { get }

    /// The values in a subtree, itself included, when only the first `count` are looked at.
    func subtreeSize(of node: Int, within count: Int) -> Int

    /// The container that holds a value.
    func parent(of node: Int) -> Int?

    /// Calls `body` with every container of a range that lies at a depth or below.
    func visitContainers(in nodes: Range<Int>, fromDepth depth: Int, _ body: (Int) -> Void)
}
