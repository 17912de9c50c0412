/// Which values of a tree are rows, with folds: row to value and back in O(log n).
///
/// A bit in `shown` says that a value is a row. Rows are counted per block of 4096 values, and the counts are
/// summed in a Fenwick tree. While nothing is folded, every value is a row and none of these exist. Only values
/// published at the last call of `synchronize` are used, so that the index stays consistent while the document
/// grows.
struct FoldIndex<Tree: RowTree>: Sendable {
    let tree: Tree
    private var nodeCount = 0
    /// New containers at this depth and deeper begin folded; nil for none.
    private var foldDepth: Int?
    private var folded: BitVector?
    private var shown = BitVector()
    private var blocks = BlockCounts()
    /// The only values that may be shown, apart from folds; nil for all.
    private(set) var filter: BitVector?

    /// Begins with every published value shown.
    init(_ tree: Tree) {
        self.tree = tree
        synchronize()
    }

    // MARK: - Rows

    /// The number of rows.
    var rowCount: Int { folded == nil ? nodeCount : blocks.total }

    /// The value at a row; nil if there is no such row.
    func node(atRow row: Int) -> Int? {
        guard row >= 0 && row < rowCount else { return nil }
        guard folded != nil else { return row }
        let (block, rest) = blocks.find(row)
        return shown.select(rest, fromWord: block * BlockCounts.words)
    }

    /// The row of a value; nil if it is hidden.
    func row(of node: Int) -> Int? {
        guard node >= 0 && node < nodeCount else { return nil }
        guard folded != nil else { return node }
        guard shown[node] else { return nil }
        let block = node / BlockCounts.nodes
        let inside = shown.count(from: block * BlockCounts.nodes, to: node)
        return blocks.sum(before: block) + inside
    }

    /// The row of a value or of the container that hides it; 0 if there is neither.
    func nearestRow(of node: Int) -> Int {
        var node: Int? = node
        while let current = node {
            if let row = row(of: current) { return row }
            node = tree.parent(of: current)
        }
        return 0
    }

    /// The next value that is shown; nil if there are no more.
    func nextShown(after node: Int) -> Int? {
        let next = node + 1
        guard next < nodeCount else { return nil }
        guard folded != nil else { return next }
        return shown.first(in: next..<nodeCount)
    }

    /// Whether a container is folded; it may itself be hidden.
    func isFolded(_ node: Int) -> Bool {
        guard let folded, node < nodeCount else { return false }
        return folded[node]
    }

    func hasChildren(_ node: Int) -> Bool { size(node) > 1 }

    private func size(_ node: Int) -> Int {
        tree.subtreeSize(of: node, within: nodeCount)
    }

    // MARK: - Folding

    /// Folds or unfolds a container; containers inside it keep their own state.
    mutating func toggle(_ node: Int) {
        if isFolded(node) { unfold(node) } else { fold(node) }
    }

    /// Hides the contents of a container.
    mutating func fold(_ node: Int) {
        guard node < nodeCount, hasChildren(node), !isFolded(node) else { return }
        buildIfNeeded()
        folded?[node] = true
        // The contents are hidden already; only the fold is remembered.
        guard shown[node] else { return }
        let inside = node + 1..<node + size(node)
        shown.clear(inside)
        recount(inside)
    }

    /// Shows the contents of a container.
    mutating func unfold(_ node: Int) {
        guard isFolded(node) else { return }
        folded?[node] = false
        guard shown[node] else { return }
        let inside = node + 1..<node + size(node)
        show(inside)
        recount(inside)
    }

    /// Folds every container except the outermost.
    mutating func foldAll() { fold(fromDepth: 1) }

    /// Unfolds every container.
    mutating func unfoldAll() {
        foldDepth = nil
        folded = nil
        shown = BitVector()
        blocks = BlockCounts()
        if filter != nil { buildIfNeeded() }
    }

    /// Shows only the values in `filter`, nil for all, and folds those in `newFolds`.
    ///
    /// `filter` must include the containers of its values.
    mutating func show(only filter: BitVector?, folding newFolds: BitVector? = nil) {
        self.filter = filter
        foldDepth = nil
        folded = newFolds ?? folded ?? BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    /// Folds the containers at `depth` and deeper, including new ones, and unfolds all others.
    mutating func fold(fromDepth depth: Int) {
        foldDepth = depth
        folded = BitVector(count: nodeCount)
        shown = BitVector(count: nodeCount)
        foldNew(0..<nodeCount)
        show(0..<nodeCount)
        recount(0..<nodeCount)
    }

    /// Unfolds everything around a value so that it has a row.
    mutating func reveal(_ node: Int) {
        guard node < nodeCount else { return }
        var ancestors: [Int] = []
        var current = tree.parent(of: node)
        while let ancestor = current {
            if isFolded(ancestor) { ancestors.append(ancestor) }
            current = tree.parent(of: ancestor)
        }
        // From the inside out: inner containers are hidden and unfold at no cost, the last one shows all.
        for ancestor in ancestors { unfold(ancestor) }
    }

    /// Takes in the values that were published since the last call.
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

    /// The end of the fold that a new value belongs to; the value itself if there is none.
    private func hiddenEnd(at node: Int) -> Int {
        var end = node
        var current = tree.parent(of: node)
        while let ancestor = current {
            if isFolded(ancestor) { end = ancestor + size(ancestor) }
            current = tree.parent(of: ancestor)
        }
        return end
    }

    /// Shows a range that begins outside every fold, except what is folded inside it.
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
            // The row of the folded container itself is shown.
            shown.set(node..<fold + 1)
            node = fold + size(fold)
        }
    }

    private mutating func recount(_ range: Range<Int>) {
        blocks.recount(range, of: shown)
    }
}

/// Whether a row can be folded or unfolded.
package enum FoldState: Sendable {
    /// The value has no children.
    case leaf
    /// The children are shown.
    case open
    /// The children are hidden.
    case closed
}

/// A tree whose values are numbered in the order of its rows, so that a subtree is a range.
protocol RowTree: Sendable {
    /// The number of values that may be shown; never decreases.
    var nodeCount: Int { get }

    /// The number of values in a subtree, including its root, within the first `count` values.
    func subtreeSize(of node: Int, within count: Int) -> Int

    /// The container of a value; nil for the root.
    func parent(of node: Int) -> Int?

    /// Calls `body` with every container in a range at `depth` or deeper.
    func visitContainers(in nodes: Range<Int>, fromDepth depth: Int, _ body: (Int) -> Void)
}
