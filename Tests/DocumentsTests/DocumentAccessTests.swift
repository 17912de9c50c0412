import Testing

@testable import Documents

@Suite struct DocumentAccessTests {
    private let document = Document.make(
        #"{"name":"Ada","tags":["a",["b"],"c","d"],"n":1.10,"name":null,"e\u0301\"":{},"😀":true}"#
    )

    @Test("values, keys and their relations are read in the order of the text")
    func readsTree() {
        let kinds = document.allNodes.map { document.kind(of: $0) }
        #expect(
            kinds == [
                .object, .string, .array, .string, .array, .string, .string, .string, .decimal,
                .null, .object, .true,
            ]
        )
        let keys = document.allNodes.compactMap { document.key(of: $0) }
        #expect(keys == ["name", "tags", "n", "name", "e\u{301}\"", "😀"])
        #expect(document.childCount(of: .root) == 6)
        #expect(document.subtreeSize(of: NodeIndex(2)) == 6)
        #expect(document.sourceText(of: NodeIndex(8)) == "1.10")
        #expect(document.sourceText(of: NodeIndex(2)) == #"["a",["b"],"c","d"]"#)
        #expect(
            document.allNodes.map { document.depth(of: $0) } == [
                0, 1, 1, 2, 2, 3, 2, 2, 1, 1, 1, 1,
            ]
        )
        #expect(
            document.allNodes.map { document.indexInParent(of: $0) } == [
                0, 0, 1, 0, 1, 0, 2, 3, 2, 3, 4, 5,
            ]
        )
    }

    @Test("children are walked by first child and next sibling")
    func walksChildren() {
        var children: [Int] = []
        var next = document.firstChild(of: .root)
        while let child = next {
            children.append(child.rawValue)
            #expect(document.parent(of: child) == .root)
            next = document.nextSibling(of: child)
        }
        #expect(children == [1, 2, 8, 9, 10, 11])
        #expect(document.firstChild(of: NodeIndex(10)) == nil)
        #expect(document.firstChild(of: NodeIndex(1)) == nil)
        #expect(document.nextSibling(of: .root) == nil)
        #expect(document.parent(of: .root) == nil)
    }

    @Test(
        "escapes are decoded",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9""#, "Aé"),
            (#""\ud83d\ude00!""#, "😀!"), (#""\ud800x""#, "\u{FFFD}x"),
            (#""\udc00\ud800""#, "\u{FFFD}\u{FFFD}"), (#""\ud800\u0041""#, "\u{FFFD}A"),
            (#""plain é""#, "plain é"), (#""\u0000""#, "\0"),
        ]
    )
    func decodesStrings(source: String, decoded: String) {
        let document = Document.make(source)
        #expect(document.string(of: .root) == decoded)
        #expect(document.sourceText(of: .root) == source)
    }

    @Test("paths are normalised as RFC 9535 says")
    func normalisesPaths() {
        let paths = document.allNodes.map { document.path(of: $0) }
        #expect(paths[0] == "$")
        #expect(paths[5] == "$['tags'][1][0]")
        #expect(paths[10] == "$['e\u{301}\"']")
        let odd = Document.make(#"{"'\\\b\t\n\f\r\u000b\u001F":[1]}"#)
        #expect(odd.path(of: NodeIndex(2)) == #"$['\'\\\b\t\n\f\r\u000b\u001f'][0]"#)
    }

    @Test("short paths read as people write them")
    func shortensPaths() {
        let document = Document.make(#"{"a":[{"b":1,"x y":2,"":3,"日本":4}]}"#)
        let paths = document.allNodes.map { document.dottedPath(of: $0) }
        #expect(paths == ["$", "a", "a[0]", "a[0].b", "a[0]['x y']", "a[0]['']", "a[0].日本"])
        #expect(document.dottedPath(of: NodeIndex(3), maximumLength: 4) == "…[0].b")
    }

    @Test("keys of more than 64 KiB are found from behind")
    func findsLongKeys() {
        let key = String(repeating: #"long\" key\\"#, count: 10_000)
        let document = Document.make("{\"short\":0,\"\(key)\" :  1}")
        let range = document.keyRange(of: NodeIndex(2))
        #expect(range.map { document.bytes.string(in: $0) } == key)
    }

    @Test("places in a number array after containers have the right index")
    func countsIndexes() {
        let document = Document.make("[1,2,[3,[4,5],6],7,8,{},9,[[[0]]],10]")
        for node in document.allNodes {
            var index = 0
            var sibling = document.parent(of: node).flatMap { document.firstChild(of: $0) }
            while let current = sibling, current != node {
                index += 1
                sibling = document.nextSibling(of: current)
            }
            #expect(document.indexInParent(of: node) == index)
        }
    }

    @Test("a fault has a line and a column of characters")
    func namesPositions() {
        let document = Document.make("{\n  \"é😀\": x\n}")
        #expect(document.fault?.kind == .expectedValue)
        #expect(
            document.position(of: document.fault?.offset ?? 0) == TextPosition(line: 2, column: 9)
        )
        #expect(document.position(of: 0) == TextPosition(line: 1, column: 1))
        #expect(document.position(of: 2) == TextPosition(line: 2, column: 1))
    }

    @Test("what a fault leaves open is marked and reaches to the fault")
    func marksOpenContainers() {
        let document = Document.make(#"{"a":[1,{"b":2},{"c":?"#)
        #expect(document.nodeCount == 6)
        #expect(
            document.allNodes.map { document.isIncomplete($0) } == [
                true, true, false, false, false, true,
            ]
        )
        #expect(document.sourceText(of: NodeIndex(5)) == #"{"c":"#)
        #expect(document.childCount(of: NodeIndex(1)) == 3)
        #expect(document.subtreeSize(of: .root) == 6)
    }

    @Test("every kind of fault has its own sentence")
    func describesFaults() {
        let sentences = Set(
            DocumentFault.Kind.allCases.map { DocumentFault($0, at: 0).description }
        )
        #expect(sentences.count == DocumentFault.Kind.allCases.count)
    }

    @Test("children are found in order, by place and by name; of equal names the last counts")
    func findsChildren() {
        #expect(document.children(of: .root).map(\.rawValue) == [1, 2, 8, 9, 10, 11])
        #expect(document.children(of: NodeIndex(2)).map(\.rawValue) == [3, 4, 6, 7])
        #expect(Array(document.children(of: NodeIndex(1))).isEmpty)
        #expect(document.child(at: 2, of: NodeIndex(2)) == NodeIndex(6))
        #expect(document.child(at: 4, of: NodeIndex(2)) == nil)
        #expect(document.child(at: -1, of: NodeIndex(2)) == nil)
        #expect(document.member("name", of: .root) == NodeIndex(9))
        #expect(document.member("e\u{301}\"", of: .root) == NodeIndex(10))
        #expect(document.member("\u{E9}\"", of: .root) == nil)
        #expect(document.member("name", of: NodeIndex(2)) == nil)
    }
}
