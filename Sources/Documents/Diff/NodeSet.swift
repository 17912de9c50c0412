/// A set of values of one document, one bit for each.
public struct NodeSet: Sendable {
    private var bits = BitVector()

    /// An empty set.
    public init() {}

    /// The values of a list, such as the result of a query.
    public init(_ nodes: some Sequence<NodeIndex>) {
        for node in nodes { insert(node) }
    }

    /// Whether there is nothing in it.
    public private(set) var isEmpty = true

    /// Adds a value.
    public mutating func insert(_ node: NodeIndex) {
        bits.grow(to: max(node.rawValue + 1, bits.words.count * 64))
        bits[node.rawValue] = true
        isEmpty = false
    }

    /// Whether a value is in it.
    public func contains(_ node: NodeIndex) -> Bool { contains(node.rawValue) }

    @inline(__always) func contains(_ node: Int) -> Bool {
        node >> 6 < bits.words.count && bits[node]
    }
}
