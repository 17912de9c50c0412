import TestSupport
import Testing

@testable import Documents

@Suite struct AlignedRowsTests {
    private func make(_ left: String, _ right: String) -> AlignedRows {
        AlignedRows(DocumentDiff(between: .make(left), and: .make(right)))
    }

    /// Both sides of every row, as `key value | key value`.
    private func picture(_ rows: AlignedRows) -> [String] {
        func side(_ row: TreeRow?) -> String {
            guard let row else { return "" }
            let name = row.key ?? row.index.map { "\($0)" } ?? "$"
            let value = row.kind.isContainer ? (row.fold == .closed ? "…" : "") : " " + row.value
            return name + value
        }
        return rows.rows(in: 0..<rows.rowCount, textLimit: 20).map {
            let gap = $0.hiddenBefore > 0 ? "(\($0.hiddenBefore)) " : ""
            return gap + side($0.left) + " | " + side($0.right)
        }
    }

    @Test("equal things stand on equal rows, and what one side lacks is empty there")
    func alignsSides() {
        let rows = make(
            #"{"id":7,"balance":120.50,"roles":["admin","editor"],"zip":1}"#,
            #"{"id":7,"balance":98.00,"zip":1,"seen":"now","roles":["admin"]}"#
        )
        #expect(
            picture(rows) == [
                "$ | $", "id 7 | id 7", "balance 120.50 | balance 98.00", "roles | roles",
                #"0 "admin" | 0 "admin""#, #"1 "editor" | "#, "zip 1 | zip 1", #" | seen "now""#,
            ]
        )
        #expect(rows.row(of: NodeIndex(6), in: .left) == 6)
        #expect(rows.row(of: NodeIndex(3), in: .right) == 6)
        let marks = (0..<8).compactMap { rows.entry(atRow: $0)?.mark }
        #expect(
            marks == [
                .containsChanges, .equal, .changed, .containsChanges, .equal, .removed, .equal,
                .added,
            ]
        )
    }

    @Test("a value that became one of another kind shows both contents below its row")
    func alignsOtherKinds() {
        var rows = make(#"{"a":[1,2],"b":3}"#, #"{"a":{"x":4},"b":3}"#)
        #expect(picture(rows) == ["$ | $", "a | a", "0 1 | ", "1 2 | ", " | x 4", "b 3 | b 3"])
        rows.toggle(row: 1)
        #expect(picture(rows) == ["$ | $", "a… | a…", "b 3 | b 3"])
    }

    @Test("what was moved stands at both of its places")
    func alignsMoves() {
        let rows = make("[[1],2,3]", "[2,3,[1]]")
        #expect(
            picture(rows) == [
                "$ | $", "0 | ", "0 1 | ", "1 2 | 0 2", "2 3 | 1 3", " | 2", " | 0 1",
            ]
        )
        #expect(rows.diff.counts.total == 1)
    }

    @Test("every value of both sides is one entry, in a tree of its own", arguments: 0..<150)
    func isATree(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = DiffModel.random(4, &generator)
        let rows = make(model.text, model.edited(4, &generator).text)
        let alignment = rows.alignment
        var open: [(entry: Int, end: Int)] = []
        var lefts: [Int] = []
        var rights: Set<Int> = []
        for entry in 0..<alignment.entryCount {
            while let last = open.last, last.end <= entry { open.removeLast() }
            #expect(alignment.parent(of: entry) == open.last?.entry)
            let size = alignment.subtreeSize(of: entry, within: alignment.entryCount)
            #expect(entry + size <= open.last?.end ?? alignment.entryCount)
            open.append((entry, entry + size))
            let values = alignment.values(at: entry)
            if let left = values.left {
                lefts.append(left.rawValue)
                #expect(alignment.entry(of: left, in: .left) == entry)
            }
            if let right = values.right {
                #expect(rights.insert(right.rawValue).inserted)
                #expect(alignment.entry(of: right, in: .right) == entry)
            }
        }
        #expect(lefts == Array(0..<rows.diff.left.nodeCount))
        #expect(rights.count == rows.diff.right.nodeCount)
        #expect(rows.diff.differences.indices.map { rows.diff.entry(ofDifference: $0) }.isSorted)
    }

    @Test("folds are common to both sides", arguments: 0..<20)
    func folds(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = DiffModel.random(6, &generator)
        var rows = make(model.text, model.edited(6, &generator).text)
        var folded: Set<Int> = []
        let alignment = rows.alignment
        func size(_ entry: Int) -> Int {
            alignment.subtreeSize(of: entry, within: alignment.entryCount)
        }
        for _ in 0..<30 {
            let row = Int.random(in: 0..<rows.rowCount, using: &generator)
            if let entry = rows.entry(atRow: row)?.number, size(entry) > 1 {
                if folded.remove(entry) == nil { folded.insert(entry) }
            }
            rows.toggle(row: row)
            var expected: [Int] = []
            var entry = 0
            while entry < alignment.entryCount {
                expected.append(entry)
                entry += folded.contains(entry) ? size(entry) : 1
            }
            #expect((0..<rows.rowCount).compactMap { rows.entry(atRow: $0)?.number } == expected)
        }
    }

    @Test("folding to a depth and revealing work on the common tree")
    func foldsToDepth() {
        var rows = make(#"{"a":[[1]],"b":2}"#, #"{"c":[3],"a":[[1],4]}"#)
        #expect(
            picture(rows) == [
                "$ | $", " | c", " | 0 3", "a | a", "0 | 0", "0 1 | 0 1", " | 1 4", "b 2 | ",
            ]
        )
        rows.foldAll()
        #expect(picture(rows) == ["$ | $", " | c…", "a… | a…", "b 2 | "])
        rows.reveal(NodeIndex(6), in: .right)
        #expect(rows.row(of: NodeIndex(6), in: .right) == nil || rows.isFolded(row: 3))
        rows.reveal(difference: 1)
        #expect(rows.row(ofDifference: 1) != nil)
        rows.fold(fromDepth: 2)
        #expect(
            picture(rows) == ["$ | $", " | c", " | 0 3", "a | a", "0… | 0…", " | 1 4", "b 2 | "]
        )
        rows.unfoldAll()
        #expect(rows.rowCount == 8)
    }

    @Test("only the differences and their neighbors are shown when asked")
    func showsOnlyDifferences() {
        let left =
            "["
            + (0..<20).map { $0 == 9 ? "{\"v\":0,\"w\":[1]}" : "[\($0)]" }.joined(separator: ",")
            + "]"
        let right = left.replacing("\"v\":0", with: "\"v\":1")
        var rows = make(left, right)
        rows.showOnlyDifferences(context: 1)
        #expect(rows.isFiltered)
        #expect(
            picture(rows) == [
                "$ | $", "(16) 8… | 8…", "9 | 9", "v 0 | v 1", "w… | w…", "10… | 10…",
            ]
        )
        rows.toggle(row: 1)
        #expect(rows.rowCount == 7)
        rows.toggle(row: 0)
        #expect(rows.rowCount == 1)
        rows.toggle(row: 0)
        #expect(rows.rowCount == 7)
        rows.unfoldAll()
        #expect(rows.rowCount == 9)
        rows.reveal(.init(1), in: .left)
        #expect(!rows.isFiltered)
        #expect(rows.row(of: .init(1), in: .left) == 1)
        rows.showOnlyDifferences()
        rows.showEverything()
        #expect(rows.row(of: .init(30), in: .left) != nil)
    }

    @Test("equal documents show their folded root when only differences are asked for")
    func showsNothing() {
        var rows = make("[1,[2]]", "[1,[2]]")
        rows.showOnlyDifferences()
        #expect(picture(rows) == ["$… | $…"])
    }

    @Test("differences are found from rows")
    func navigates() {
        let rows = make(#"{"a":1,"b":[2,3],"c":4}"#, #"{"a":0,"b":[2],"c":5}"#)
        #expect(rows.indexOfDifference(afterRow: 0) == 0)
        #expect(rows.indexOfDifference(afterRow: 2) == 1)
        #expect(rows.indexOfDifference(beforeRow: 5) == 1)
        #expect(rows.indexOfDifference(beforeRow: 1) == nil)
        #expect(rows.indexOfDifference(afterRow: 5) == nil)
        #expect(rows.row(ofDifference: 2) == 5)
    }

    @Test("empty documents have no rows")
    func emptyHasNoRows() {
        var rows = make("", "")
        rows.showOnlyDifferences()
        rows.foldAll()
        #expect(rows.rowCount == 0)
        #expect(rows.rows(in: 0..<9, textLimit: 9).isEmpty)
        #expect(rows.entry(atRow: 0) == nil)
    }
}

extension [Int] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
