import TestSupport
import Testing

@testable import Documents

/// Folds as a set, rows counted one by one: slow and plain.
private struct NaiveRows {
    let document: Document
    var count: Int
    var folded: Set<Int> = []

    var rows: [Int] {
        var rows: [Int] = []
        var node = 0
        while node < count {
            rows.append(node)
            node += folded.contains(node) ? size(node) : 1
        }
        return rows
    }

    func size(_ node: Int) -> Int { document.subtreeSize(of: NodeIndex(node), within: count) }

    mutating func toggle(_ node: Int) {
        guard size(node) > 1 else { return }
        if folded.remove(node) == nil { folded.insert(node) }
    }
}

@Suite struct RowIndexTests {
    private static func text(_ count: Int) -> String {
        let item = #"{"a":[1,2,[3,{"b":4}],{}],"c":{"d":{"e":[[[5]]]}},"f":"text"}"#
        return "[" + String(repeating: item + ",", count: count) + "[]]"
    }

    private func expect(_ index: RowIndex, _ naive: NaiveRows) {
        let rows = naive.rows
        #expect(index.rowCount == rows.count)
        var shown = Array(repeating: Int?.none, count: naive.count)
        for (row, node) in rows.enumerated() {
            shown[node] = row
            if index.node(atRow: row)?.rawValue != node {
                Issue.record("row \(row) is not \(node)")
            }
        }
        for (node, row) in shown.enumerated() where index.row(of: NodeIndex(node)) != row {
            Issue.record("node \(node) is not at \(String(describing: row))")
        }
        #expect(index.node(atRow: rows.count) == nil)
        #expect(index.node(atRow: -1) == nil)
    }

    @Test("random folds, also of hidden containers, agree with a plain model", arguments: 0..<6)
    func agreesWithModel(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let document = Document.make(Self.text(seed.isMultiple(of: 2) ? 30 : 1500))
        var index = RowIndex(document)
        var naive = NaiveRows(document: document, count: document.nodeCount)
        for step in 0..<60 {
            // The first container of all more often than by chance.
            let random = Int.random(in: 0..<document.nodeCount, using: &generator)
            let node = step % 10 == 9 ? 0 : random
            index.toggle(NodeIndex(node))
            naive.toggle(node)
            if step % 4 == 3 { expect(index, naive) }
        }
        expect(index, naive)
    }

    @Test("folds hold while the document grows", arguments: 0..<4, [nil, 1, 2, 3])
    func growsWithFolds(seed: Int, depth: Int?) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let document = Document(.make(Self.text(2000)))
        document.parseStart(with: FastestScanner.self, window: 500)
        var index = RowIndex(document)
        if let depth { index.fold(fromDepth: depth) }
        var naive = NaiveRows(document: document, count: 0)
        var isFinished = false
        while !isFinished {
            let old = naive.count
            naive.count = document.nodeCount
            for node in old..<naive.count {
                let isDeep = document.depth(of: NodeIndex(node)) >= depth ?? .max
                if isDeep, document.kind(of: NodeIndex(node)).isContainer {
                    naive.folded.insert(node)
                }
            }
            index.synchronize()
            expect(index, naive)
            for _ in 0..<5 {
                let node = Int.random(in: 0..<naive.count, using: &generator)
                index.toggle(NodeIndex(node))
                naive.toggle(node)
            }
            index.toggle(.root)
            naive.toggle(0)
            isFinished = document.isFinished
            _ = document.parseSlice(with: FastestScanner.self, length: 1)
        }
        #expect(document.nodeCount == naive.count)
    }

    @Test("all folds leaves the outermost container open, none shows everything")
    func foldsAll() {
        let document = Document.make(Self.text(3))
        var index = RowIndex(document)
        index.foldAll()
        #expect(index.rowCount == 5)
        index.toggle(NodeIndex(1))
        #expect(index.rowCount == 8)
        index.unfoldAll()
        #expect(index.rowCount == document.nodeCount)
        index.fold(fromDepth: 0)
        #expect(index.rowCount == 1)
    }

    @Test("revealing unfolds only what is around a value")
    func reveals() throws {
        let document = Document.make(Self.text(3))
        var index = RowIndex(document)
        index.fold(fromDepth: 0)
        let five = try #require(document.allNodes.first { document.sourceText(of: $0) == "5" })
        #expect(index.row(of: five) == nil)
        #expect(index.nearestRow(of: five) == 0)
        index.reveal(five)
        let row = try #require(index.row(of: five))
        #expect(index.node(atRow: row) == five)
        let isSecondFolded = document.nextSibling(of: NodeIndex(1)).map { index.isFolded($0) }
        #expect(isSecondFolded == true)
    }

    @Test("leaves, empty containers and strangers cannot be folded")
    func ignoresLeaves() {
        var index = RowIndex(Document.make(#"[1,{},[]]"#))
        for node in [1, 2, 3, 99] { index.toggle(NodeIndex(node)) }
        #expect(index.rowCount == 4)
        #expect(!index.isFolded(NodeIndex(2)))
    }

    @Test("an empty text has no rows")
    func emptyTextHasNoRows() {
        var index = RowIndex(Document.make(""))
        index.foldAll()
        #expect(index.rowCount == 0)
        #expect(index.node(atRow: 0) == nil)
        #expect(index.rows(in: 0..<10, textLimit: 10).isEmpty)
    }
}
