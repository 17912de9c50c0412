import Testing

@testable import Documents

@Suite struct TreeRowTests {
    @Test("rows say what a pane draws")
    func describesRows() {
        var index = RowIndex(Document.make(#"{"a\n":["x",1.50],"b":{},"c":{"d":null}}"#))
        index.toggle(NodeIndex(5))
        let rows = index.rows(in: 0..<100, textLimit: 100)
        #expect(rows.map(\.depth) == [0, 1, 2, 2, 1, 1])
        #expect(rows.map(\.fold) == [.open, .open, .leaf, .leaf, .leaf, .closed])
        #expect(rows.map(\.key) == [nil, #"a\n"#, nil, nil, "b", "c"])
        #expect(rows.map(\.index) == [nil, nil, 0, 1, nil, nil])
        #expect(rows.map(\.value) == ["", "", "\"x\"", "1.50", "", ""])
        #expect(rows.map(\.childCount) == [3, 2, 0, 0, 0, 1])
        #expect(index.rows(in: 2..<4, textLimit: 100) == Array(rows[2..<4]))
    }

    @Test("texts are cut to the limit without half a character")
    func cutsTexts() {
        let index = RowIndex(Document.make("{\"ééé\":\"日本語\"}"))
        let rows = index.rows(in: 1..<2, textLimit: 5)
        #expect(rows.first?.key == "éé")
        #expect(rows.first?.isKeyCut == true)
        #expect(rows.first?.value == "\"日")
        #expect(rows.first?.isValueCut == true)
        let whole = index.rows(in: 1..<2, textLimit: 11)
        #expect(whole.first?.value == "\"日本語\"")
        #expect(whole.first?.isValueCut == false)
    }

    @Test("a container that a cut left open says so")
    func marksIncomplete() {
        let rows = RowIndex(Document.make("[[1],[2")).rows(in: 0..<9, textLimit: 9)
        #expect(rows.map(\.isIncomplete) == [true, false, false, true, false])
    }
}
