import TestSupport
import Testing

@testable import Documents

@Suite struct ResumeTests {
    /// What the tree holds, as JSON would be written; irregular values as in the text.
    private func outline(_ document: Document) -> String {
        var text = document.minified
        text = String(text.map { $0 == "\n" ? "↵" : $0 })
        return text
    }

    @Test(
        "what a person expects is found behind a fault",
        arguments: [
            // Commas.
            ("[1 2]", "[1,2]"), ("[1,2,]", "[1,2]"), ("[1,,2]", "[1,2]"), ("[,1]", "[1]"),
            ("{\"a\":1 \"b\":2}", #"{"a":1,"b":2}"#), ("{\"a\":1,}", #"{"a":1}"#),
            ("{,\"a\":1}", #"{"a":1}"#), ("[[1][2]]", "[[1],[2]]"), ("[{} {}]", "[{},{}]"),
            ("[\"a\" \"b\"]", #"["a","b"]"#), ("[true false]", "[true,false]"), ("[,]", "[]"),
            // Missing values, keys, colons.
            ("{\"a\":,\"b\":2}", #"{"b":2}"#), ("{\"a\":}", "{}"), ("{\"a\"}", "{}"),
            ("{\"a\",\"b\":2}", #"{"b":2}"#), ("{\"a\" 1,\"b\":2}", #"{"a":1,"b":2}"#),
            ("{\"a\"=1}", #"{"a":1}"#), ("{\"a\"=>1}", #"{"a":1}"#), ("{:1,\"b\":2}", #"{"b":2}"#),
            ("{\"x\":1,{\"y\":2}}", #"{"x":1,{"y":2}}"#), ("{\"a\" {\"b\":1}}", #"{"a":{"b":1}}"#),
            // Literals.
            ("[NaN,1]", "[NaN,1]"), ("{\"a\":NaN,\"b\":2}", #"{"a":NaN,"b":2}"#),
            ("[undefined,None,True,nul,2]", "[undefined,None,True,nul,2]"),
            ("[+1,.5,1.,0x1F,01,-,2]", "[+1,.5,1.,0x1F,01,-,2]"),
            ("[1.2.3,2024-01-02,12ab,2]", "[1.2.3,2024-01-02,12ab,2]"), ("[truex,2]", "[truex,2]"),
            ("['a',2]", "['a',2]"), ("{'a':'b',\"c\":2}", #"{"a":'b',"c":2}"#),
            ("['it's',2]", "['it's',2]"), ("{a:1,b_2:[x]}", #"{"a":1,"b_2":[x]}"#),
            ("[don't,2]", "[don't,2]"), ("NaN", "NaN"), ("01", "01"), ("'a'", "'a'"),
            // Strings.
            ("[\"a\nb\",2]", "[\"a↵b\",2]"), ("[\"a\tb\",2]", "[\"a\tb\",2]"),
            ("[\"a\\xb\",2]", "[\"a\\xb\",2]"), ("[\"\\u12\",2]", "[\"\\u12\",2]"),
            ("{\"a\tb\":1}", "{\"a\tb\":1}"),
            ("[\"he said \"hi\" to me\",2]", "[\"he said \"hi\" to me\",2]"),
            ("{\"a\"b\":1,\"c\":2}", "{\"a\"b\":1,\"c\":2}"),
            ("{\"a\":\"x\n\"b\":1}", "{\"a\":\"x,\"b\":1}"), ("\"a\tb\"", "\"a\tb\""),
            // Brackets.
            ("{\"a\":[1,2}", #"{"a":[1,2]}"#),
            ("{\"a\":[1,{\"b\":2],\"c\":3}", #"{"a":[1,{"b":2}],"c":3}"#),
            ("[1,}2]", "[1,2]"), ("[{\"a\":1]", #"[{"a":1}]"#), ("{\"a\":1]}", #"{"a":1}"#),
            // Comments and text around.
            ("[1,//c\n2]", "[1,2]"), ("[1/*,\"x\"*/,2]", "[1,2]"),
            ("{\"a\"/*\"q\"*/:1}", #"{"a":1}"#),
            ("{\"a\":/*\"q\"*/1,#x\n\"b\":2}", #"{"a":1,"b":2}"#),
            ("callback({\"a\":1});", #"{"a":1}"#), ("INFO 12 [x]: {\"a\":[1]} done", #"{"a":[1]}"#),
            ("{\"a\":1}}", #"{"a":1}"#), ("[1]x[2]", "[1]"), ("// c\n[1]", "[1]"),
            ("\u{FEFF}x [1]", "[1]"),
        ]
    )
    func findsWhatIsExpected(text: String, expected: String) {
        let document = Document.make(text)
        #expect(document.fault != nil)
        #expect(document.resume(toEnd: true))
        #expect(!document.isFinished)
        document.parseToEnd()
        #expect(document.isFinished)
        #expect(outline(document) == expected)
        check(document)
    }

    @Test("values that are kept are marked, and keep their text")
    func marksIrregular() throws {
        let document = Document.make(#"{"ok":1,'single':'it\'s',word:NaN,"fine":"x"}"#)
        document.resume(toEnd: true)
        document.parseToEnd()
        let nodes = document.allNodes.dropFirst()
        #expect(nodes.map { document.key(of: $0) } == ["ok", "single", "word", "fine"])
        #expect(nodes.map { document.isIrregular($0) } == [false, true, true, false])
        #expect(nodes.map { document.kind(of: $0) } == [.integer, .string, .null, .string])
        #expect(document.string(of: NodeIndex(2)) == "it's")
        #expect(document.sourceText(of: NodeIndex(3)) == "NaN")
        #expect(document.member("single", of: .root) == NodeIndex(2))
        #expect(document.path(of: NodeIndex(3)) == "$['word']")
    }

    @Test("each resume goes on to the next fault, and says what it skipped")
    func resumesOneByOne() {
        let document = Document.make("[1,@@,2,%,3")
        #expect(document.faults == [DocumentFault(.expectedValue, at: 3)])
        #expect(document.isIncomplete(.root))
        #expect(document.resume())
        document.parseToEnd()
        #expect(document.faults.count == 2)
        #expect(document.faults.first == DocumentFault(.expectedValue, at: 3, skipped: 3..<5))
        #expect(document.fault?.offset == 3)
        #expect(document.childCount(of: .root) == 2)
        #expect(document.resume())
        document.parseToEnd()
        #expect(document.faults.map(\.kind) == [.expectedValue, .expectedValue, .unexpectedEnd])
        #expect(document.childCount(of: .root) == 3)
        #expect(!document.resume())
        #expect(document.isFinished)
        #expect(!Document.make("[1]").resume())
        #expect(!Document.make("[1").resume())
    }

    @Test("more faults than are remembered are counted")
    func countsFaults() {
        let document = Document.make("[" + String(repeating: "@,1,", count: 5000) + "1]")
        document.resume(toEnd: true)
        document.parseToEnd()
        #expect(document.faultCount == 5000)
        #expect(document.faults.count == FaultLog.most)
        #expect(document.childCount(of: .root) == 5001)
    }

    @Test("rows take in what a resumed parse finds")
    func rowsGrow() {
        let document = Document.make(#"{"a":[1,{"b":?},2],"c":[3]}"#)
        var rows = RowIndex(document)
        rows.fold(fromDepth: 1)
        document.resume(toEnd: true)
        document.parseToEnd()
        rows.synchronize()
        #expect(rows.rowCount == 3)
        rows.unfoldAll()
        #expect(rows.rowCount == document.nodeCount)
    }

    @Test(
        "mutants and random bytes are read to their end, the same by both scanners",
        arguments: 0..<60
    )
    func survivesMutants(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let original = Array(RandomJSON(seed: UInt64(seed)).spaced.utf8)
        let letters = Array("[]{}\",:'\\ \n\ta1-.e/*#tn\u{1}é".utf8)
        for round in 0..<60 {
            var bytes = original
            if round % 3 == 2 {
                bytes = (0..<Int.random(in: 1..<80, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? 0
                }
            } else {
                for _ in 0..<Int.random(in: 1..<6, using: &generator) {
                    let at = Int.random(in: 0..<bytes.count, using: &generator)
                    switch round % 2 {
                    case 0: bytes[at] = letters.randomElement(using: &generator) ?? 0
                    default: bytes.remove(at: at)
                    }
                    if bytes.isEmpty { bytes = [0x5B] }
                }
            }
            expectAgreement(DocumentBytes(bytes))
        }
    }

    private func expectAgreement(_ bytes: DocumentBytes) {
        let vector = Document(bytes)
        vector.parseAll(with: VectorScanner.self)
        if vector.resume(toEnd: true) { vector.parseAll(with: VectorScanner.self) }
        let portable = Document(bytes)
        portable.parseAll(with: PortableScanner.self)
        if portable.resume(toEnd: true) { portable.parseAll(with: PortableScanner.self) }
        #expect(vector.isFinished)
        #expect(vector.dump == portable.dump)
        #expect(vector.faults == portable.faults)
        check(vector)
    }

    /// Every range lies in the text and in its parent's, behind the one before it.
    private func check(_ document: Document) {
        let text = String(
            decoding: document.bytes.array(in: 0..<document.bytes.count),
            as: UTF8.self
        )
        var open: [(end: Int, range: Range<Int>, last: Int)] = []
        for node in document.allNodes {
            while let top = open.last, top.end <= node.rawValue { open.removeLast() }
            let range = document.valueRange(of: node)
            let key = document.keyRange(of: node)
            let start = key?.lowerBound ?? range.lowerBound
            let isInside =
                !range.isEmpty && range.upperBound <= document.bytes.count
                && (key?.upperBound ?? 0) <= range.lowerBound
            let isNested = open.last.map {
                $0.last <= start && range.upperBound <= $0.range.upperBound
            }
            if !isInside || isNested == false {
                Issue.record(
                    "node \(node.rawValue) at \(range), key \(String(describing: key)) of \(text)"
                )
            }
            if !open.isEmpty { open[open.count - 1].last = range.upperBound }
            _ = (document.key(of: node), document.string(of: node), document.path(of: node))
            if document.kind(of: node).isContainer {
                let end = node.rawValue + document.subtreeSize(of: node)
                open.append((end, range, range.lowerBound + 1))
            }
        }
    }
}
