/// Characters on squared paper; lines that meet become corners and crossings.
package struct BoxCanvas {
    private static let up: UInt8 = 1
    private static let down: UInt8 = 2
    private static let left: UInt8 = 4
    private static let right: UInt8 = 8
    /// The line for each set of directions.
    private static let lines = Array(" │││─┘┐┤─└┌├─┴┬┼")

    private let columns: Int
    private var lines: [UInt8]
    private var marks: [Int: Character] = [:]

    /// Makes an empty canvas.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        lines = Array(repeating: 0, count: columns * rows)
    }

    /// A line from one square to the next ones; the ends reach into both.
    package mutating func drawLine(row: Int, from first: Int, to last: Int) {
        guard first < last else { return }
        for x in first...last {
            let bits = (x > first ? Self.left : 0) | (x < last ? Self.right : 0)
            lines[row * columns + x] |= bits
        }
    }

    /// A line from one square to those below; the ends reach into both.
    package mutating func drawLine(column: Int, from first: Int, to last: Int) {
        guard first < last else { return }
        for y in first...last {
            let bits = (y > first ? Self.up : 0) | (y < last ? Self.down : 0)
            lines[y * columns + column] |= bits
        }
    }

    /// The directions in which lines leave a square: 1 up, 2 down, 4 left, 8 right, added.
    package func directions(x: Int, y: Int) -> UInt8 { lines[y * columns + x] }

    mutating func draw(_ text: String, row: Int, column: Int) {
        for (offset, character) in text.enumerated() where column + offset < columns {
            marks[row * columns + column + offset] = character
        }
    }

    /// A frame with round corners.
    mutating func drawBox(row: Int, column: Int, width: Int, height: Int) {
        let line = String(repeating: "─", count: width - 2)
        draw("╭\(line)╮", row: row, column: column)
        for y in 1..<(height - 1) {
            draw("│", row: row + y, column: column)
            draw("│", row: row + y, column: column + width - 1)
        }
        draw("╰\(line)╯", row: row + height - 1, column: column)
    }

    /// The rows, without blanks at their ends.
    var text: String {
        guard columns > 0 else { return "" }
        return stride(from: 0, to: lines.count, by: columns).map { start in
            var row = (start..<(start + columns)).map {
                marks[$0] ?? Self.lines[Int(lines[$0])]
            }
            while row.last == " " { row.removeLast() }
            return String(row)
        }.joined(separator: "\n")
    }
}
