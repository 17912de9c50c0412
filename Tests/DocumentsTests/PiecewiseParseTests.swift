import TestSupport
import Testing

@testable import Documents

@Suite struct PiecewiseParseTests {
    @Test("a parse in a window and a rest gives the same tree", arguments: 0..<25)
    func windowsChangeNothing(seed: Int) {
        let bytes = DocumentBytes.make(RandomJSON(seed: UInt64(seed), depth: 4).spaced)
        let whole = Document.parse(bytes)
        for window in 1..<max(2, bytes.count) {
            let document = Document.make(bytes, window: window)
            #expect(document.fault == whole.fault)
            #expect(document.dump == whole.dump)
        }
    }

    @Test(
        "faults are the same in pieces",
        arguments: ["[1,2,x]", "{\"a\":tru1}", "[1] 2", "[\"\\u12x4\"]"]
    )
    func windowsKeepFaults(text: String) {
        let whole = Document.make(text)
        for window in 1..<text.utf8.count {
            let document = Document.make(.make(text), window: window)
            #expect(document.fault == whole.fault)
            #expect(document.dump == whole.dump)
        }
    }

    @Test("before the rest is parsed, the start is a tree")
    func startIsATree() {
        let bytes = DocumentBytes.make("[" + String(repeating: #"{"a":[1,2]},"#, count: 50) + "0]")
        for window in 1..<bytes.count {
            let document = Document(bytes)
            document.parseStart(with: FastestScanner.self, window: window)
            #expect(!document.isFinished)
            #expect(document.fault == nil)
            #expect(document.isIncomplete(.root))
            #expect(document.subtreeSize(of: .root) == document.nodeCount)
            for node in document.allNodes {
                #expect(document.valueRange(of: node).upperBound <= bytes.count)
            }
        }
    }

    @Test("begin finishes a small text and stops early in a large one")
    func beginStops() async {
        #expect(Document.begin(.make("[1]")).isFinished)
        let bytes = DocumentBytes.make("[" + String(repeating: "12345,", count: 100_000) + "0]")
        let document = Document.begin(bytes)
        #expect(!document.isFinished)
        #expect(document.progress.parsedBytes <= 64 << 10)
        #expect(document.nodeCount > 10_000)
        await document.finishParsing()
        #expect(document.isFinished)
        #expect(document.nodeCount == 100_002)
        #expect(
            document.progress == ParseProgress(parsedBytes: bytes.count, totalBytes: bytes.count)
        )
    }

    @Test("a cancelled parse stops, and goes on when it is asked again")
    func cancelledParseGoesOn() async {
        let text = "[" + String(repeating: #"{"a":1},"#, count: 2_000_000) + "0]"
        let document = Document.begin(.make(text))
        let task = Task { await document.finishParsing() }
        task.cancel()
        await task.value
        await document.finishParsing()
        #expect(document.isFinished)
        #expect(document.nodeCount == 4_000_002)
    }

    @Test("whoever reads during a parse sees only what is whole")
    func readersSeeWholeNodes() async {
        let item = #"{"key":[1,"two",{"three":3.0}],"other":null},"#
        let bytes = DocumentBytes.make("[" + String(repeating: item, count: 100_000) + "0]")
        let whole = Document.parse(bytes)
        let document = Document.begin(bytes)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while document.parseSlice(with: FastestScanner.self, length: 10_000) {}
            }
            for seed in 0..<2 {
                group.addTask { Self.read(document, comparedTo: whole, seed: UInt64(seed)) }
            }
        }
        #expect(document.isFinished)
        #expect(document.dump == whole.dump)
    }

    private static func read(_ document: Document, comparedTo whole: Document, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var last = 0
        repeat {
            let count = document.nodeCount
            #expect(count >= last)
            last = count
            for node in [0, count - 1, Int.random(in: 0..<count, using: &generator)] {
                let node = NodeIndex(node)
                #expect(document.kind(of: node) == whole.kind(of: node))
                #expect(document.parent(of: node) == whole.parent(of: node))
                #expect(document.keyRange(of: node) == whole.keyRange(of: node))
                #expect(document.indexInParent(of: node) == whole.indexInParent(of: node))
                if !document.isIncomplete(node) {
                    #expect(document.valueRange(of: node) == whole.valueRange(of: node))
                    #expect(document.childCount(of: node) == whole.childCount(of: node))
                }
            }
        } while !document.isFinished
    }
}
