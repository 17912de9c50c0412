/// Where the steps of a graph stand when it is drawn: columns from left to right,
/// each step to the right of all that it needs.
///
/// ```
/// column 0   1        2
/// row 0  a ─┬▶ b ───┬▶ d
/// row 1     └▶ c ───┘
/// ```
public struct ChainLayout: Sendable, Hashable {
    /// A step's place.
    public struct Node: Sendable, Hashable {
        /// The step, by its place in the plan.
        public let step: Int
        /// From 0, from left to right.
        public let column: Int
        /// From 0, from top to bottom.
        public let row: Int
    }

    /// A line from a step to one that needs it.
    public struct Edge: Sendable, Hashable {
        /// The step that is needed.
        public let from: Int
        /// The step that needs it.
        public let to: Int
        /// The row in each column from the one of `from` to the one of `to`; no step
        /// stands at those between.
        public let rows: [Int]
    }

    /// The steps, in the plan's order.
    public let nodes: [Node]
    /// The lines; one that follows from others (a to c beside a to b to c) is left out.
    public let edges: [Edge]
    /// How many columns there are.
    public let columns: Int
    /// How many rows there are.
    public let rows: Int
}

extension ChainLayout {
    /// Steps one behind the other, each needing the one before it.
    package static func line(of count: Int) -> ChainLayout {
        ChainLayout(
            nodes: (0..<count).map { Node(step: $0, column: $0, row: 0) },
            edges: (0..<max(0, count - 1)).map { Edge(from: $0, to: $0 + 1, rows: [0, 0]) },
            columns: count,
            rows: count == 0 ? 0 : 1
        )
    }
}

extension ChainGraph {
    /// Where the steps stand when the graph is drawn.
    ///
    /// Computed at each call, in time that grows with the steps times the columns.
    public var layout: ChainLayout { ChainArrangement(self).layout }
}
