/// Where some lines begin: one of every few, so that a line is found by a short scan.
///
/// A mark is set at the first line after every 64 lines or 64 KiB: a million short lines cost
/// 250 KB, and no line is more than 64 KiB away from a mark, however long the lines are.
struct LineIndex: Sendable {
    static let linesPerMark = 64
    static let bytesPerMark = 64 << 10

    struct Mark: Sendable {
        let line: Int
        let offset: Int
    }

    private(set) var marks = [Mark(line: 0, offset: 0)]
    /// The line feeds before `scanned`.
    var feeds = 0
    /// The bytes that were looked at.
    var scanned = 0

    mutating func append(_ found: [Mark]) {
        marks.append(contentsOf: found)
    }

    /// The last mark at or before a line.
    func mark(before line: Int) -> Mark {
        var low = 0
        var high = marks.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if marks[middle].line <= line { low = middle } else { high = middle }
        }
        return marks[low]
    }

    /// Where a line begins, when a mark says so.
    func markedStart(of line: Int) -> Int? {
        let mark = mark(before: line)
        return mark.line == line ? mark.offset : nil
    }
}
