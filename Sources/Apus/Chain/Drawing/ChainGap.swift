/// The lines between two columns of a drawing.
package struct ChainGap {
    /// The lines that leave one place.
    package struct Line {
        /// The row that they leave.
        package let from: Int
        /// The rows that they go to, in order.
        package var to: [Int]
        /// The upright line that they share; nil if they go straight on.
        package var track: Int?
    }

    /// Those that leave each row.
    package let lines: [Line]
    /// The rows at which a step is reached.
    let arrows: [Int]
    /// How many squares wide: one to leave the box, the upright lines, and the arrow.
    package let width: Int

    /// The lines behind a column.
    package init(after column: Int, in layout: ChainLayout) {
        var targets: [Int: Set<Int>] = [:]
        var arrows: Set<Int> = []
        for edge in layout.edges {
            let offset = column - layout.nodes[edge.from].column
            guard offset >= 0, offset + 1 < edge.rows.count else { continue }
            targets[edge.rows[offset], default: []].insert(edge.rows[offset + 1])
            if offset + 2 == edge.rows.count { arrows.insert(edge.rows[offset + 1]) }
        }
        self.arrows = arrows.sorted()
        var lines = targets.sorted { $0.key < $1.key }
            .map { Line(from: $0.key, to: $0.value.sorted(), track: nil) }
        // The line that leaves a row turns off before another one comes into that row:
        // of those that go down the lowest is first, of those that go up the highest.
        let bent = lines.indices.filter { lines[$0].to != [lines[$0].from] }
        let down = bent.filter { lines[$0].to.last ?? 0 > lines[$0].from }.reversed()
        let up = bent.filter { lines[$0].to.last ?? 0 <= lines[$0].from }
        for (track, line) in (down + up).enumerated() { lines[line].track = track }
        self.lines = lines
        width = 2 + max(1, bent.count)
    }
}
