extension ChainGraph {
    /// The graph in box characters, with the names of its steps.
    public var drawing: String { drawing { [plan.steps[$0].name] } }

    /// The graph in box characters.
    ///
    /// - Parameter label: The lines in a step's box, each cut at 32 characters.
    /// - Returns: the rows, without blanks at their ends; of a graph that would take more than 16
    ///   million squares a row for each step, with what it needs.
    public func drawing(_ label: (_ step: Int) -> [String]) -> String {
        let labels = plan.steps.indices.map(label)
        return ChainDrawing(layout: layout, labels: labels).text ?? list(labels)
    }

    private func list(_ labels: [[String]]) -> String {
        order.map { step in
            let needs = needs(of: step).map { labels[$0].first ?? "" }.joined(separator: ", ")
            return labels[step].joined(separator: " ") + (needs.isEmpty ? "" : " ◀ \(needs)")
        }
        .joined(separator: "\n")
    }
}

/// A layout in box characters.
///
/// ```
/// ╭───╮  ╭───╮
/// │ a │─┬▶│ b │
/// ```
struct ChainDrawing {
    private static let longest = 32
    private static let maximumSquares = 1 << 24

    private let layout: ChainLayout
    private let labels: [[String]]
    private let height: Int
    private let widths: [Int]
    private let gaps: [ChainGap]

    init(layout: ChainLayout, labels: [[String]]) {
        self.layout = layout
        self.labels = labels.map { lines in
            lines.map { $0.count > Self.longest ? $0.prefix(Self.longest - 1) + "…" : $0 }
        }
        height = 2 + max(1, labels.map(\.count).max() ?? 1)
        var widths = Array(repeating: 5, count: layout.columns)
        for node in layout.nodes {
            let longest = self.labels[node.step].map(\.count).max() ?? 0
            widths[node.column] = max(widths[node.column], longest + 4)
        }
        self.widths = widths
        gaps = (0..<max(0, layout.columns - 1)).map { ChainGap(after: $0, in: layout) }
    }

    /// The rows; nil if there were too many squares.
    var text: String? {
        var starts: [Int] = []
        var x = 0
        for column in widths.indices {
            starts.append(x)
            x += widths[column] + (column < gaps.count ? gaps[column].width : 0)
        }
        guard x * layout.rows * height <= Self.maximumSquares else { return nil }
        var canvas = BoxCanvas(columns: x, rows: layout.rows * height)
        drawPassing(starts, into: &canvas)
        for (column, gap) in gaps.enumerated() {
            draw(gap, at: starts[column] + widths[column], into: &canvas)
        }
        for node in layout.nodes { draw(node, at: starts[node.column], into: &canvas) }
        return canvas.text
    }

    private func draw(_ node: ChainLayout.Node, at x: Int, into canvas: inout BoxCanvas) {
        let y = node.row * height
        canvas.drawBox(row: y, column: x, width: widths[node.column], height: height)
        for (line, text) in labels[node.step].enumerated() {
            canvas.draw(text, row: y + 1 + line, column: x + 2)
        }
    }

    /// The lines of long edges through the columns that they pass.
    private func drawPassing(_ starts: [Int], into canvas: inout BoxCanvas) {
        for edge in layout.edges {
            let first = layout.nodes[edge.from].column
            for (offset, row) in edge.rows.enumerated().dropFirst().dropLast() {
                let start = starts[first + offset]
                canvas.drawLine(
                    row: row * height + 1,
                    from: start - 1,
                    to: start + widths[first + offset]
                )
            }
        }
    }

    private func draw(_ gap: ChainGap, at x: Int, into canvas: inout BoxCanvas) {
        let end = x + gap.width - 1
        for line in gap.lines {
            let y = line.from * height + 1
            guard let track = line.track else {
                canvas.drawLine(row: y, from: x, to: end)
                continue
            }
            let middle = x + 1 + track
            canvas.drawLine(row: y, from: x, to: middle)
            let rows = line.to.map { $0 * height + 1 }
            canvas.drawLine(
                column: middle,
                from: min(y, rows.min() ?? y),
                to: max(y, rows.max() ?? y)
            )
            for row in rows { canvas.drawLine(row: row, from: middle, to: end) }
        }
        for row in gap.arrows { canvas.draw("▶", row: row * height + 1, column: end) }
    }
}
