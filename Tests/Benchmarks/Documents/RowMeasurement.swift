import Documents

/// Row to value, value to row, and folding any container of a tree that is unfolded, in
/// microseconds.
func measureRows(of file: String) throws {
    let document = Document.parse(try DocumentBytes.reading(file: file))
    var rows = RowIndex(document)
    var generator = Xorshift(state: 7)
    let count = 100_000
    // Two folds, so that the index exists.
    rows.fold(fromDepth: 2)
    rows.unfoldAll()
    let folded = (0..<count).map { _ in NodeIndex(generator.next(below: document.nodeCount)) }
        .filter { document.kind(of: $0).isContainer && $0 > .root }
    if let first = folded.first { rows.toggle(first) }
    print("rows \(rows.rowCount)")
    var sum = 0
    let toNode = seconds {
        for _ in 0..<count {
            sum += rows.node(atRow: generator.next(below: rows.rowCount))?.rawValue ?? 0
        }
    }
    print("row-to-node-us \(rounded(toNode / Double(count) * 1e6, 3))")
    let toRow = seconds {
        for _ in 0..<count {
            sum += rows.row(of: NodeIndex(generator.next(below: document.nodeCount))) ?? 0
        }
    }
    print("node-to-row-us \(rounded(toRow / Double(count) * 1e6, 3))")
    let toggle = seconds { for node in folded { rows.toggle(node) } }
    print("toggle-us \(rounded(toggle / Double(max(1, folded.count)) * 1e6, 3))")
    let middle = rows.rowCount / 2
    let screen = seconds { sum += rows.rows(in: middle..<middle + 50, textLimit: 200).count }
    print("screen-of-50-us \(rounded(screen * 1e6, 1))")
    precondition(sum > 0, "no rows")
}

/// Random numbers that cost next to nothing (Marsaglia's xorshift64).
struct Xorshift {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, limit)))
    }
}
