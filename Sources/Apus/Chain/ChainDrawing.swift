extension ChainGraph {
    /// The graph in box characters, labeled with the names of its steps.
    public var drawing: String { drawing { [plan.steps[$0].name] } }

    /// The graph in box characters.
    ///
    /// - Parameters:
    ///   - label: the lines in a step's box, each cut at 32 characters.
    ///   - width: how many cells of a terminal a line takes; by default, one for each character.
    /// - Returns: the rows without trailing blanks. A graph that would take more than 16 million cells is
    ///   returned as a list: a row for each step, with the steps that it needs.
    public func drawing(
        _ label: (_ step: Int) -> [String],
        width: (_ line: String) -> Int = { $0.count }
    ) -> String {
        let labels = plan.steps.indices.map(label)
        return ChainDrawing(layout: layout, labels: labels, width: width).text ?? list(labels)
    }

    private func list(_ labels: [[String]]) -> String {
        order.map { step in
            let needs = needs(of: step).map { labels[$0].first ?? "" }.joined(separator: ", ")
            return labels[step].joined(separator: " ") + (needs.isEmpty ? "" : " ◀ \(needs)")
        }
        .joined(separator: "\n")
    }
}

/// Draws a layout in box characters.
///
/// ```
/// ╭───╮  ╭───╮
/// │ a │─┬▶│ b │
/// ```
struct ChainDrawing {
    private static let longest = 32
    private static let maximumSquares = 1 << 24

    private struct Line {
        let text: String
        let width: Int
    }

    private let layout: ChainLayout
    private let labels: [[Line]]
    private let height: Int
    private let widths: [Int]
    private let gaps: [ChainGap]

    init(layout: ChainLayout, labels: [[String]], width: (String) -> Int) {
        self.layout = layout
        self.labels = labels.map { lines in
            lines.map { line in
                let text: String =
                    line.count > Self.longest ? line.prefix(Self.longest - 1) + "…" : line
                return Line(text: text, width: width(text))
            }
        }
        height = 2 + max(1, labels.map(\.count).max() ?? 1)
        var widths = Array(repeating: 5, count: layout.columns)
        for node in layout.nodes {
            let longest = self.labels[node.step].map(\.width).max() ?? 0
            widths[node.column] = max(widths[node.column], longest + 4)
        }
        self.widths = widths
        gaps = (0..<max(0, layout.columns - 1)).map { ChainGap(after: $0, in: layout) }
    }

    /// The rows; nil if there were too many cells.
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
        for (offset, line) in labels[node.step].enumerated() {
            canvas.draw(line.text, width: line.width, row: y + 1 + offset, column: x + 2)
        }
    }

    /// Draws long edges through the columns that they pass.
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
        for row in gap.arrows { canvas.draw("▶", width: 1, row: row * height + 1, column: end) }
    }
}

/// The lines between two columns of a drawing.
package struct ChainGap {
    /// The lines that leave one row.
    package struct Line {
        /// The row that they leave.
        package let from: Int
        /// The rows that they lead to, in order.
        package var to: [Int]
        /// The index of the vertical line that they share; nil if they go straight on.
        package var track: Int?
    }

    /// The lines, one for each row that lines leave.
    package let lines: [Line]
    /// The rows at which a line reaches a step.
    let arrows: [Int]
    /// The width in cells: one to leave the box, the vertical lines, and the arrow.
    package let width: Int

    /// Collects the lines to the right of a column.
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
        // A line must turn off its row before another line enters that row. So the lowest of the lines that go
        // down comes first, and the highest of those that go up.
        let bent = lines.indices.filter { lines[$0].to != [lines[$0].from] }
        let down = bent.filter { lines[$0].to.last ?? 0 > lines[$0].from }.reversed()
        let up = bent.filter { lines[$0].to.last ?? 0 <= lines[$0].from }
        for (track, line) in (down + up).enumerated() { lines[line].track = track }
        self.lines = lines
        width = 2 + max(1, bent.count)
    }
}

/// A grid of cells; lines that meet become corners and crossings.
package struct BoxCanvas {
    private static let up: UInt8 = 1
    private static let down: UInt8 = 2
    private static let left: UInt8 = 4
    private static let right: UInt8 = 8
    /// The character for each set of directions.
    private static let lines = " │││─┘┐┤─└┌├─┴┬┼".map { String($0) }

    private let columns: Int
    private var lines: [UInt8]
    /// The texts by the cell in which they begin, and an empty text for each other cell that they cover.
    private var marks: [Int: String] = [:]

    /// Makes an empty canvas.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        lines = Array(repeating: 0, count: columns * rows)
    }

    /// Draws a horizontal line, whose ends reach into the first and the last cell.
    package mutating func drawLine(row: Int, from first: Int, to last: Int) {
        guard first < last else { return }
        for x in first...last {
            let bits = (x > first ? Self.left : 0) | (x < last ? Self.right : 0)
            lines[row * columns + x] |= bits
        }
    }

    /// Draws a vertical line, whose ends reach into the first and the last cell.
    package mutating func drawLine(column: Int, from first: Int, to last: Int) {
        guard first < last else { return }
        for y in first...last {
            let bits = (y > first ? Self.up : 0) | (y < last ? Self.down : 0)
            lines[y * columns + column] |= bits
        }
    }

    /// The directions in which lines leave a cell, added up: 1 up, 2 down, 4 left, 8 right.
    package func directions(x: Int, y: Int) -> UInt8 { lines[y * columns + x] }

    /// Draws a text that takes `width` cells.
    mutating func draw(_ text: String, width: Int, row: Int, column: Int) {
        let first = row * columns + column
        for offset in 0..<width { marks[first + offset] = offset == 0 ? text : "" }
    }

    /// Draws a frame with rounded corners.
    mutating func drawBox(row: Int, column: Int, width: Int, height: Int) {
        let line = String(repeating: "─", count: width - 2)
        draw("╭\(line)╮", width: width, row: row, column: column)
        for y in 1..<(height - 1) {
            draw("│", width: 1, row: row + y, column: column)
            draw("│", width: 1, row: row + y, column: column + width - 1)
        }
        draw("╰\(line)╯", width: width, row: row + height - 1, column: column)
    }

    /// The rows without trailing blanks.
    var text: String {
        guard columns > 0 else { return "" }
        return stride(from: 0, to: lines.count, by: columns).map { start in
            var row = (start..<(start + columns)).map {
                marks[$0] ?? Self.lines[Int(lines[$0])]
            }
            while row.last == " " { row.removeLast() }
            return row.joined()
        }.joined(separator: "\n")
    }
}
