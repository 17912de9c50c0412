import TestSupport
import Testing

@testable import Documents

@Suite struct SearchRowsTests {
    @Test("keys and values of a row are highlighted apart")
    func treeRow() {
        let document = Document.make(#"{"name":"a n\u0061me","list":[1]}"#)
        let rows = RowIndex(document).rows(in: 0..<4, textLimit: 100)
        let search = DocumentSearch(SearchPattern(text: "name"), in: document)
        #expect(search.highlights(in: rows[0]).isEmpty)
        #expect(search.highlights(in: rows[1]) == RowHighlights(key: [0..<4], value: [3..<12]))
        #expect(search.highlights(in: rows[2]).isEmpty)
        let across = DocumentSearch(SearchPattern(text: #"me":"a"#), in: document)
        #expect(across.highlights(in: rows[1]) == RowHighlights(key: [2..<4], value: [0..<2]))
    }

    @Test("a hit that is cut off is highlighted as far as it is shown")
    func cutRow() {
        let document = Document.make(#"["0123456789"]"#)
        let rows = RowIndex(document).rows(in: 1..<2, textLimit: 5)
        let search = DocumentSearch(SearchPattern(text: "2345"), in: document)
        #expect(search.highlights(in: rows[0]).value == [3..<5])
    }

    @Test("lines are highlighted where they are shown")
    func textRow() {
        let bytes = DocumentBytes([0xFF, 0x61, 0x62, 0xFF, 0x61, 0x62, 0x0A, 0x61, 0x62])
        let text = TextDocument(bytes)
        let search = DocumentSearch(SearchPattern(text: "ab"), in: bytes)
        let row = text.row(at: 0, textLimit: 100)
        #expect(row.map { search.highlights(in: $0) } == [3..<5, 8..<10])
        let shifted = text.row(at: 0, textLimit: 100, textOffset: 2)
        #expect(shifted.map { search.highlights(in: $0, textOffset: 2) } == [0..<1, 4..<6])
        let cut = text.row(at: 0, textLimit: 2)
        #expect(cut.map { search.highlights(in: $0) } == [3..<4])
    }

    @Test("the line of a byte", arguments: 0..<10)
    func lineOfByte(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let text = (0..<5000).map { _ in Bool.random(using: &generator) ? "\n" : "x" }.joined()
        let lines = TextDocument(.make(text))
        var line = 0
        for (offset, byte) in text.utf8.enumerated() {
            #expect(lines.row(at: offset) == line)
            if byte == 0x0A { line += 1 }
        }
        #expect(lines.row(at: text.utf8.count) == nil)
    }

    @Test("bytes are found in hexadecimal notation")
    func hex() {
        let bytes = DocumentBytes(
            [0x00, 0x1F, 0x8B, 0x08, 0x5C, 0x1F] + Array(repeating: 0x1F, count: 12) + [0x8B]
        )
        for text in ["1f 8b", "1F8B", "\\x1f\\x8b", "0x1f8b"] {
            let search = SearchPattern(hexText: text).map { DocumentSearch($0, in: bytes) }
            #expect(search?.allHits == [1..<3, 17..<19])
        }
        #expect(SearchPattern(hexText: "1f8") == nil)
        #expect(SearchPattern(hexText: "xyz") == nil)
        #expect(SearchPattern(hexText: "") == nil)
        let slash = DocumentSearch(SearchPattern(bytes: [0x5C]), in: bytes)
        #expect(slash.allHits == [4..<5])
        let rows = HexDocument(bytes)
        let search = DocumentSearch(SearchPattern(bytes: [0x1F, 0x1F]), in: bytes)
        #expect(
            rows.row(at: 0).map { search.highlights(in: $0) } == [
                5..<7, 7..<9, 9..<11, 11..<13, 13..<15, 15..<16,
            ]
        )
        #expect(rows.row(at: 1).map { search.highlights(in: $0) } == [0..<1])
    }

    @Test(
        "plain text is searched as it stands, up to its last byte",
        arguments: [1, 2, 17, 100, 300]
    )
    func plainText(length: Int) {
        let needle = String((0..<length).map { Character(Unicode.Scalar(UInt8(0x41 + $0 % 26))) })
        for before in [0, 1, 63, 64, 65, 127, 200] {
            let text = String(repeating: "\\", count: before) + needle
            let search = DocumentSearch(
                SearchPattern(text: needle),
                in: DocumentBytes.make(text),
                document: nil,
                sliceLength: 64
            )
            while search.searchSlice() {}
            #expect(search.allHits == [before..<before + length])
        }
    }
}
