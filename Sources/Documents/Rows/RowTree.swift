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
