import Synchronization
import Testing

@testable import Documents

@Suite struct DocumentLookupTests {
    private static let item = #"{"id":1,"tags":["a",["b",{}]]},7,"#

    @Test("children of large containers are found by place, in any order, and know theirs")
    func findsByPlace() {
        let document = Document.make(
            "[[1,2]," + String(repeating: Self.item, count: 500) + "[]]"
        )
        let children = Array(document.children(of: .root))
        #expect(children.count == 1002)
        for index in [1001, 0, 64, 63, 7, 8, 9, 500, 999] + Array(0..<1002) {
            #expect(document.child(at: index, of: .root) == children[index])
            #expect(document.position(of: children[index], among: .root) == index)
            #expect(document.indexInParent(of: children[index]) == index)
        }
        #expect(document.child(at: 1002, of: .root) == nil)
    }

    @Test("places that were found stay right while the document grows")
    func findsWhileGrowing() {
        let text = "[" + String(repeating: Self.item, count: 3000) + "[]]"
        let whole = Document.make(text)
        let children = Array(whole.children(of: .root))
        let document = Document(.make(text))
        document.parseStart(with: FastestScanner.self, window: 500)
        var isFinished = false
        while !isFinished {
            isFinished = document.isFinished
            let count = document.childCount(of: .root)
            for index in [0, count / 2, count - 1] {
                #expect(document.child(at: index, of: .root) == children[index])
            }
            _ = document.parseSlice(with: FastestScanner.self, length: 1)
        }
        #expect(document.child(at: 6000, of: .root) == children[6000])
    }

    @Test("an array of scalars needs no index")
    func computesPlaces() {
        let document = Document.make("[" + String(repeating: "1,", count: 999) + "\"x\"]")
        #expect(document.child(at: 999, of: .root) == NodeIndex(1000))
        #expect(document.indexes.withLock { $0.children.isEmpty })
    }

    @Test("members of large objects are found by name, the last of equal ones, by code points")
    func findsByName() {
        var text = #"{"dup":0,"\u0064up":1,"é":2,"e\u0301":3,"#
        for index in 0..<200 { text += "\"key\(index)\":[\(index)]," }
        let document = Document.make(text + #""du\u0070":4}"#)
        for _ in 0..<3 {
            #expect(document.member("dup", of: .root).map { document.sourceText(of: $0) } == "4")
            #expect(document.member("\u{E9}", of: .root) == NodeIndex(3))
            #expect(document.member("e\u{301}", of: .root) == NodeIndex(4))
            #expect(document.member("nothing", of: .root) == nil)
            for index in 0..<200 {
                let node = document.member("key\(index)", of: .root)
                #expect(node.map { document.sourceText(of: $0) } == "[\(index)]")
            }
        }
    }

    @Test("an ordinal that is too large for the layout is counted")
    func countsLargeOrdinals() {
        let count = Container.largestOrdinal + 10
        let document = Document.make("[" + String(repeating: "[],", count: count) + "1]")
        for index in [0, count - 11, count - 10, count - 9, count - 1, count] {
            #expect(document.indexInParent(of: NodeIndex(index + 1)) == index)
        }
    }

    @Test("every byte belongs to the innermost value around it", arguments: 0..<20)
    func findsByOffset(seed: Int) {
        let document = Document.make(RandomJSON(seed: UInt64(seed), depth: 4).spaced)
        var expected = Array(repeating: NodePlace?.none, count: document.bytes.count)
        for node in document.allNodes {
            let range = document.valueRange(of: node)
            let key = document.keyRange(of: node)
            for offset in (key?.lowerBound ?? range.lowerBound + 1) - 1..<range.upperBound {
                let isInKey = key.map { offset <= $0.upperBound } ?? false
                expected[offset] = NodePlace(node: node, isInKey: isInKey)
            }
        }
        for offset in expected.indices {
            #expect(document.place(at: offset) == expected[offset])
        }
        #expect(document.node(at: -1) == nil)
        #expect(document.node(at: document.bytes.count + 5) == nil)
    }

    @Test("a partition point is the first number that fails, or the end", arguments: 0..<6)
    func findsPartitionPoint(point: Int) {
        #expect((1..<5).partitionPoint { $0 < point } == min(max(1, point), 5))
        #expect((3..<3).partitionPoint { _ in true } == 3)
    }

    @Test("long strings have their end beside the containers", arguments: ["", #"\""#, "é"])
    func findsLongStrings(extra: String) {
        let long = "\"" + String(repeating: "text ", count: 20_000) + extra + "\""
        let document = Document.make("[1,{\"a\":\(long),\"b\":[2]},\(long),3]")
        #expect(document.sourceText(of: NodeIndex(3)) == long)
        #expect(document.sourceText(of: NodeIndex(6)) == long)
        #expect(document.depth(of: NodeIndex(3)) == 2)
        #expect(document.parent(of: NodeIndex(6)) == .root)
        #expect(document.parent(of: NodeIndex(7)) == .root)
        #expect(document.key(of: NodeIndex(3)) == "a")
        #expect(
            document.allNodes.map { document.indexInParent(of: $0) } == [0, 0, 1, 0, 1, 0, 2, 3]
        )
        var rows = RowIndex(document)
        rows.fold(fromDepth: 1)
        #expect(rows.rowCount == 5)
        #expect(!rows.isFolded(NodeIndex(6)))
    }
}
