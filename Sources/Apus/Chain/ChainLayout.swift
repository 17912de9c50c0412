import BitCollections

/// The positions of a graph's steps in a drawing: columns run from left to right, and each step is to the
/// right of all steps that it needs.
///
/// ```
/// column 0   1        2
/// row 0  a ─┬▶ b ───┬▶ d
/// row 1     └▶ c ───┘
/// ```
public struct ChainLayout: Sendable, Hashable {
    /// The position of a step.
    public struct Node: Sendable, Hashable {
        /// The step's index in the plan.
        public let step: Int
        /// The column, from 0 at the left.
        public let column: Int
        /// The row, from 0 at the top.
        public let row: Int
    }

    /// A line from a step to one that needs it.
    public struct Edge: Sendable, Hashable {
        /// The index of the step that is needed.
        public let from: Int
        /// The index of the step that needs it.
        public let to: Int
        /// The line's row in each column from that of `from` to that of `to`; in the columns between, no step
        /// is at that row.
        public let rows: [Int]
    }

    /// The steps, in the plan's order.
    public let nodes: [Node]
    /// The lines, without redundant ones: a to c is left out if there is a to b to c.
    public let edges: [Edge]
    /// How many columns there are.
    public let columns: Int
    /// How many rows there are.
    public let rows: Int
}

extension ChainLayout {
    /// A layout of steps in one row, each needing the one before it.
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
    /// The positions of the steps in a drawing.
    ///
    /// Computed at each call, in time proportional to the steps times the columns.
    public var layout: ChainLayout { ChainLayoutBuilder(self).layout }
}

/// Assigns the steps of a graph to columns and rows.
///
/// A line that passes through a column takes up a row there, as a step would; the lines from one step share a
/// row. Steps and lines are ordered by the mean row of those that lead to them, which keeps crossings few.
struct ChainLayoutBuilder {
    /// A step, or the lines from a step where they pass through a column.
    private struct Place: Hashable {
        let step: Int
        let column: Int
    }

    /// The maximum number of rows that lines may take up in the columns they pass through; nobody could follow
    /// a drawing with more.
    private static let maximumPassed = 1 << 20

    private let graph: ChainGraph
    private let columns: [Int]
    /// The needs to draw, by step.
    private let needs: [[Int]]
    private var rows: [Place: Int] = [:]

    init(_ graph: ChainGraph) {
        self.graph = graph
        var columns = Array(repeating: 0, count: graph.plan.steps.count)
        for step in graph.order {
            columns[step] = graph.needs(of: step).map { columns[$0] + 1 }.max() ?? 0
        }
        self.columns = columns
        needs = Self.drawn(graph, columns)
        arrange()
    }

    /// Returns the needs of each step without those implied by its other needs.
    ///
    /// If their lines take up more than `maximumPassed` rows, only needs in the previous column are kept.
    private static func drawn(_ graph: ChainGraph, _ columns: [Int]) -> [[Int]] {
        let needs = columns.indices.map { step in
            let all = graph.needs(of: step)
            var implied = BitSet()
            for need in all { implied.formUnion(graph.structure.ancestors[need]) }
            return all.filter { !implied.contains($0) }
        }
        var passed = 0
        for step in columns.indices {
            for need in needs[step] { passed += columns[step] - columns[need] - 1 }
        }
        guard passed > maximumPassed else { return needs }
        return needs.indices.map { step in
            needs[step].filter { columns[step] - columns[$0] == 1 }
        }
    }

    var layout: ChainLayout {
        let nodes = columns.indices.map { step in
            ChainLayout.Node(
                step: step,
                column: columns[step],
                row: row(of: step, in: columns[step])
            )
        }
        let edges = columns.indices.flatMap { step in
            needs[step].map { need in
                ChainLayout.Edge(
                    from: need,
                    to: step,
                    rows: (columns[need]..<columns[step]).map { row(of: need, in: $0) }
                        + [nodes[step].row]
                )
            }
        }
        return ChainLayout(
            nodes: nodes,
            edges: edges,
            columns: (columns.max() ?? -1) + 1,
            rows: (rows.values.max() ?? -1) + 1
        )
    }

    private func row(of step: Int, in column: Int) -> Int {
        rows[Place(step: step, column: column)] ?? 0
    }

    private mutating func arrange() {
        for (column, places) in placesByColumn.enumerated() {
            let wished = places.map { (place: $0, row: wish($0, column)) }
            var free = 0
            // Stable: those that want the same row keep the plan's order.
            for (place, wish) in wished.enumerated()
                .sorted(by: { ($0.element.row, $0.offset) < ($1.element.row, $1.offset) })
                .map(\.element)
            {
                rows[place] = max(free, Int(wish))
                free = max(free, Int(wish)) + 1
            }
        }
    }

    private var placesByColumn: [[Place]] {
        var places = Array(repeating: [Place](), count: (columns.max() ?? -1) + 1)
        var seen: Set<Place> = []
        func add(_ place: Place) {
            if seen.insert(place).inserted { places[place.column].append(place) }
        }
        for step in columns.indices { add(Place(step: step, column: columns[step])) }
        for step in columns.indices {
            for need in needs[step] {
                for column in (columns[need] + 1)..<max(columns[need] + 1, columns[step]) {
                    add(Place(step: need, column: column))
                }
            }
        }
        return places
    }

    /// The row that a step or line should be in: the mean row of those that lead to it; 0 for a step without needs.
    private func wish(_ place: Place, _ column: Int) -> Double {
        guard columns[place.step] == column else {
            return Double(row(of: place.step, in: column - 1))
        }
        let before = needs[place.step].map { row(of: $0, in: column - 1) }
        return before.isEmpty ? 0 : Double(before.reduce(0, +)) / Double(before.count)
    }
}
