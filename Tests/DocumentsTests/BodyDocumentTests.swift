import Testing

@testable import Documents

@Suite struct BodyDocumentTests {
    @Test(
        "a body's form follows its type and its bytes",
        arguments: [
            ("application/json", "{\"a\":1}", .tree, nil),
            ("Application/Problem+JSON; charset=utf-8", "{}", .tree, nil),
            ("application/vnd.api+json", "[1]", .tree, nil),
            ("application/json", "true", .tree, nil),
            (
                "text/html", "{\"a\":1}", .tree,
                "Content-Type says text/html, but the body looks like JSON"
            ),
            (
                "text/plain", " [1,2]", .tree,
                "Content-Type says text/plain, but the body looks like JSON"
            ),
            (nil, "{}", .tree, nil), ("text/plain", "true", .text, nil), (nil, "hello", .text, nil),
            ("text/plain", "[INFO] started", .text, nil), ("text/html", "<p>", .tree, nil),
            ("application/xml", "<a/>", .tree, nil), ("image/svg+xml", "<svg/>", .tree, nil),
            (
                "application/json", "<html>", .text,
                "Content-Type says application/json, but the body looks like HTML or XML"
            ),
            ("application/json", "", .text, nil), (nil, "", .text, nil),
            (
                "application/json", "\u{1}\u{2}", .hex,
                "Content-Type says application/json, but the body looks like binary"
            ),
            ("image/png", "\u{1}PNG", .hex, nil), ("application/octet-stream", "\0\0", .hex, nil),
            ("application/octet-stream", "words", .text, nil), (nil, "a\0b", .hex, nil),
            (
                "text/plain", "a\0b", .text,
                "Content-Type says text/plain, but the body looks like binary"
            ),
            ("application/x-ndjson", "{}\n{}", .tree, nil),
        ] as [(String?, String, BodyForm, String?)]
    )
    func choosesForm(type: String?, text: String, form: BodyForm, mismatch: String?) {
        let body = BodyDocument(.make(text), contentType: type)
        #expect(body.form == form)
        #expect(body.mismatch?.description == mismatch)
    }

    @Test("broken JSON is a tree with a fault, and can be seen as text and bytes")
    func showsBrokenJSON() {
        var body = BodyDocument(.make("{\"a\":1,\n\"b\":?}"), contentType: "application/json")
        #expect(body.form == .tree)
        #expect(body.rowCount == 3)
        #expect(body.fault == DocumentFault(.expectedValue, at: 12))
        #expect(body.faultPosition == TextPosition(line: 2, column: 5))
        #expect(body.availableForms == [.tree, .text, .hex])
        body.show(.text)
        #expect(body.rowCount == 2)
        guard case .text(let line) = body.row(at: 1) else { return #expect(Bool(false)) }
        #expect(line.text == "\"b\":?}")
        body.show(.hex)
        guard case .hex(let row) = body.row(at: 0) else { return #expect(Bool(false)) }
        #expect(row.ascii == "{\"a\":1,.\"b\":?}")
    }

    @Test("a body without a tree cannot be shown as one")
    func refusesTree() {
        var body = BodyDocument(.make("words"), contentType: nil)
        body.show(.tree)
        #expect(body.form == .text)
        #expect(body.availableForms == [.text, .hex])
        body.toggle(row: 0)
        #expect(body.path(ofRow: 0) == nil)
    }

    @Test("rows fold, and know their parents and paths")
    func foldsRows() {
        var body = BodyDocument(.make(#"{"a":[1,2],"b":3}"#), contentType: nil)
        #expect(body.rowCount == 5)
        #expect(body.parentRow(of: 3) == 1)
        #expect(body.parentRow(of: 0) == nil)
        #expect(body.path(ofRow: 3) == "a[1]")
        body.toggle(row: 1)
        #expect(body.rowCount == 3)
        #expect(body.path(ofRow: 2) == "b")
        body.toggle(row: 99)
        #expect(body.rows(in: -5..<50).count == 3)
        body.unfoldAll()
        body.fold(fromDepth: 0)
        body.reveal(NodeIndex(3))
        #expect(body.row(of: NodeIndex(3)) == 3)
    }

    @Test("a large body shows its first rows at once and the rest when it was taken in")
    func takesInTheRest() async {
        let text = "[" + String(repeating: "{\"a\":1},", count: 100_000) + "0]"
        var body = BodyDocument(.make(text), contentType: "application/json")
        #expect(!body.isFinished)
        body.foldAll()
        let before = body.rowCount
        #expect(before > 1000)
        await body.finish()
        #expect(body.rowCount == before)
        body.synchronize()
        #expect(body.rowCount == 100_002)
        #expect(body.isFinished)
        #expect(body.progress.parsedBytes == text.utf8.count)
        body.show(.text)
        #expect(!body.isFinished)
        await body.finish()
        #expect(body.rowCount == 1)
    }

    @Test("bytes around the sniffed window are judged whole")
    func sniffsWindow() {
        let text = String(repeating: "a", count: 4095) + "é" + "end"
        #expect(BodySniffer(bytes: .make(text)).isText)
        #expect(BodySniffer(bytes: DocumentBytes([0x61, 0xC3])).isText)
        #expect(!BodySniffer(bytes: DocumentBytes([0x61, 0xC3, 0x61])).isText)
    }
}
