/// The rows of a tree's pane that are faults; each follows the last value before the fault.
struct FaultRows: Sendable {
    private var faults: [DocumentFault] = []
    /// The row of each fault, in order.
    private var rows: [Int] = []

    init() {}

    /// Places the faults of a document among the rows that are shown.
    init(_ document: Document, among tree: RowIndex) {
        // A text that exceeds a limit is not wrong anywhere.
        faults = document.faults.filter { !$0.isLimit }
        rows = faults.enumerated().map { number, fault in
            guard let node = document.lastValue(before: fault.offset) else { return number }
            return tree.nearestRow(of: node) + 1 + number
        }
    }

    var count: Int { rows.count }

    /// The row of the fault with a number; nil if there is none.
    func row(ofFault number: Int) -> Int? { rows.indices.contains(number) ? rows[number] : nil }

    /// The fault at a row; nil for the row of a value.
    func fault(atRow row: Int) -> DocumentFault? {
        let number = count(before: row)
        return number < rows.count && rows[number] == row ? faults[number] : nil
    }

    /// The tree's row that is shown at a row or, if that is a fault, at the next one.
    func treeRow(at row: Int) -> Int { row - count(before: row) }

    /// The row at which a row of the tree is shown.
    func row(ofTreeRow treeRow: Int) -> Int {
        treeRow + rows.indices.partitionPoint { rows[$0] - $0 <= treeRow }
    }

    private func count(before row: Int) -> Int {
        rows.indices.partitionPoint { rows[$0] < row }
    }
}

/// A fault in a text, as a row of its tree.
package struct FaultRow: Sendable, Equatable {
    /// What is wrong, and where.
    package let fault: DocumentFault
    /// The number of containers that were open there.
    package let depth: Int
    /// The text from there to the end of its line, cut to the limit.
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
