/// Which rows of a tree's pane are faults: each stands behind the last value before it.
struct FaultRows: Sendable {
    private var faults: [DocumentFault] = []
    /// The row of each, in order.
    private var rows: [Int] = []

    init() {}

    /// Places the faults of a document among the rows that are shown.
    init(_ document: Document, among tree: RowIndex) {
        // A text that is too large is not wrong anywhere.
        faults = document.faults.filter { !$0.isLimit }
        rows = faults.enumerated().map { number, fault in
            guard let node = document.lastValue(before: fault.offset) else { return number }
            return tree.nearestRow(of: node) + 1 + number
        }
    }

    var count: Int { rows.count }

    /// The row of the fault with a number.
    func row(ofFault number: Int) -> Int? { rows.indices.contains(number) ? rows[number] : nil }

    /// The fault at a row; nil for the row of a value.
    func fault(atRow row: Int) -> DocumentFault? {
        let number = count(before: row)
        return number < rows.count && rows[number] == row ? faults[number] : nil
    }

    /// The tree's row at a row that is no fault's, or the next one behind a fault.
    func treeRow(at row: Int) -> Int { row - count(before: row) }

    /// The row where a row of the tree stands.
    func row(ofTreeRow treeRow: Int) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] - middle <= treeRow { low = middle + 1 } else { high = middle }
        }
        return treeRow + low
    }

    private func count(before row: Int) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < row { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A place where a text broke, as a row of its tree.
package struct FaultRow: Sendable, Equatable {
    /// What is wrong, and where.
    package let fault: DocumentFault
    /// How many containers were open there.
    package let depth: Int
    /// What stands there, to the end of its line, cut to the limit.
    package let text: String

    init(_ fault: DocumentFault, of document: Document, textLimit: Int) {
        self.fault = fault
        var around = document.node(at: fault.offset - 1)
        if let node = around, !document.kind(of: node).isContainer {
            around = document.parent(of: node)
        }
        depth = around.map { document.depth(of: $0) + 1 } ?? 0
        let end = min(document.bytes.count, fault.offset + textLimit)
        let line = document.bytes.array(in: min(fault.offset, end)..<end).prefix { $0 != 0x0A }
        text = String(decoding: line, as: UTF8.self)
    }
}
