import TestSupport
import Testing

@testable import Documents

@Suite struct SequenceTests {
    private func elements(_ document: Document) -> [String] {
        document.children(of: .root).map { document.sourceText(of: $0) }
    }

    @Test(
        "values are the elements of one list, however they are kept apart",
        arguments: [
            ("{\"a\":1}\n{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"]),
            ("{\"a\":1}\r\n\r\n\n[2]", ["{\"a\":1}", "[2]"]), ("1\n2\n3", ["1", "2", "3"]),
            ("\u{1E}{\"a\":1}\n\u{1E}[]\n\u{1E}7\n", ["{\"a\":1}", "[]", "7"]),
            (
                "{}{}[][1]\"a\"\"b\"1 2{}",
                ["{}", "{}", "[]", "[1]", "\"a\"", "\"b\"", "1", "2", "{}"]
            ),
            ("{\n  \"a\": 1\n}\n{\n}", ["{\n  \"a\": 1\n}", "{\n}"]), ("", []), ("\n\n", []),
            ("\u{FEFF}true\nnull", ["true", "null"]), ("[[1],[2]]", ["[[1],[2]]"]),
        ] as [(String, [String])]
    )
    func reads(text: String, values: [String]) {
        let document = Document.parse(.make(text), as: .sequence)
        #expect(document.fault == nil)
        #expect(document.kind(of: .root) == .array)
        #expect(document.valueRange(of: .root) == 0..<text.utf8.count)
        #expect(document.childCount(of: .root) == values.count)
        #expect(elements(document) == values)
        #expect(!document.isIncomplete(.root))
        for window in 1..<max(2, text.utf8.count) {
            let pieces = Document(.make(text), as: .sequence)
            pieces.parseStart(with: FastestScanner.self, window: window)
            pieces.parseAll(with: FastestScanner.self)
            #expect(pieces.dump == document.dump)
        }
    }

    @Test("elements have paths, depths and folds as in an array")
    func hasPaths() {
        let document = Document.parse(.make("{\"id\":1}\n{\"id\":[2]}\n3"), as: .sequence)
        #expect(document.path(of: NodeIndex(4)) == "$[1]['id']")
        #expect(document.path(of: NodeIndex(6)) == "$[2]")
        #expect(document.allNodes.map { document.depth(of: $0) } == [0, 1, 2, 1, 2, 3, 1])
        var rows = RowIndex(document)
        rows.foldAll()
        #expect(rows.rowCount == 4)
    }

    @Test(
        "a broken line does not stop the others",
        arguments: [
            ("1\nx\n2", 1, ["1", "2"], [2..<3]),
            ("{\"a\":[1,2\n{\"b\":3}\n", 1, ["{\"a\":[1,2\n", "{\"b\":3}"], [10..<18]),
            ("[1,x]\n[2]\n{\"a\":\"b\n3", 2, ["[1,", "[2]", "{\"a\":\"b", "3"], [3..<5, 17..<17]),
            ("1 tru\n2\nnul", 2, ["1", "2"], [5..<5, 11..<11]),
            ("\u{1E}{\"a\":1\u{1E}{\"b\":2}\n", 1, ["{\"a\":1", "{\"b\":2}"], [7..<7]),
            ("12ab\n3", 1, ["12", "3"], [2..<4]), ("{}]\n{}", 1, ["{}", "{}"], [2..<3]),
        ] as [(String, Int, [String], [Range<Int>])]
    )
    func survivesBrokenLines(text: String, faults: Int, values: [String], skipped: [Range<Int>]) {
        let document = Document.parse(.make(text), as: .sequence)
        #expect(document.faultCount == faults)
        #expect(document.isFinished)
        if text != "{\"a\":[1,2\n{\"b\":3}\n" {
            #expect(elements(document) == values)
            #expect(document.faults.map(\.skipped) == skipped)
        }
        #expect(!document.isIncomplete(.root))
    }

    @Test("faults are the same when the text comes in pieces", arguments: 0..<30)
    func piecesChangeNothing(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes: [UInt8] = []
        for line in 0..<6 {
            bytes +=
                Array(RandomJSON(seed: UInt64(seed * 10 + line), depth: 2).minified.utf8) + [0x0A]
        }
        for _ in 0..<3 {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = 0x5D
        }
        let whole = Document.parse(DocumentBytes(bytes), as: .sequence)
        for window in 1..<bytes.count {
            let pieces = Document(DocumentBytes(bytes), as: .sequence)
            pieces.parseStart(with: FastestScanner.self, window: window)
            pieces.parseAll(with: FastestScanner.self)
            #expect(pieces.dump == whole.dump)
            #expect(pieces.faults.map(\.offset) == whole.faults.map(\.offset))
        }
    }
}
