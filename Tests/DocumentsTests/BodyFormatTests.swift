import Testing

@testable import Documents

@Suite struct BodyFormatTests {
    @Test(
        "a body of another format has a tree, first or one key away",
        arguments: [
            ("application/xml", "<a><b/></a>", .tree, .xml, nil),
            ("text/html", "<p>x</p>", .tree, .html, nil),
            ("text/csv", "a,b\n1,2", .tree, .csv(), nil),
            ("application/yaml", "a: 1", .tree, .yaml, nil),
            ("application/x-www-form-urlencoded", "a=1", .tree, .form, nil),
            ("text/event-stream", "data: 1\n\n", .tree, .eventStream, nil),
            (
                "multipart/mixed; boundary=b", "--b\n\n\0\n--b--", .tree, .multipart(boundary: "b"),
                nil
            ),
            (nil, "<?xml version='1.0'?><a/>", .tree, .xml, nil),
            (nil, "<html>", .tree, .html, nil),
            ("text/plain", "<a/>", .text, .xml, nil),
            (
                "application/xml", "words", .text, nil,
                "Content-Type says application/xml, but the body looks like text"
            ),
            (
                "application/x-www-form-urlencoded", "{\"a\":1}", .tree, .json,
                "Content-Type says application/x-www-form-urlencoded, but the body looks like JSON"
            ),
        ] as [(String?, String, BodyForm, DocumentFormat?, String?)]
    )
    func choosesFormat(
        type: String?,
        text: String,
        form: BodyForm,
        format: DocumentFormat?,
        mismatch: String?
    ) {
        var body = BodyDocument(.make(text), contentType: type)
        #expect(body.form == form)
        #expect(body.format == format)
        #expect(body.mismatch?.description == mismatch)
        body.show(.tree)
        #expect(body.form == (format == nil ? .text : .tree))
        #expect(body.isFinished)
        #expect(body.rowCount > 0)
    }

    @Test("a large body begins with its first rows, and has all of them when it was taken in")
    func takesInTheRest() async {
        let text = "<r>" + String(repeating: "<a>1</a>\n", count: 20_000) + "</r>"
        var body = BodyDocument(.make(text), contentType: "text/xml")
        #expect(body.form == .tree)
        #expect(!body.isFinished)
        #expect(body.rowCount > 1000 && body.rowCount < 20_000)
        #expect(body.fault == nil && body.faultPosition == nil)
        await body.finish()
        #expect(body.isFinished)
        body.synchronize()
        #expect(body.rowCount == 20_003)
        #expect(body.progress.parsedBytes == text.utf8.count)
        #expect(body.path(ofRow: 20_002) == "r.a[19999]")
        #expect(body.node(atRow: 20_002).flatMap { body.position(of: $0) }?.line == 20_000)
    }

    @Test("folds from a depth hold when the whole tree comes")
    func keepsFolds() async {
        let text = "x\n" + String(repeating: "cell\n", count: 20_000)
        var body = BodyDocument(.make(text), contentType: "text/csv; header=present")
        body.show(.tree)
        body.foldAll()
        await body.finish()
        body.synchronize()
        #expect(body.rowCount == 20_001)
    }

    @Test(
        "a text that breaks its format is shown as text, with the tree one key away",
        arguments: [
            ("text/xml", "<a>\n<b></a>", 2), ("text/csv", "a,b\n1,\"2", 2),
            ("application/yaml", "a: [1\nb: 2", 2),
        ]
    )
    func showsBrokenText(type: String, text: String, line: Int) async {
        // What is small is known at once, what is large when all of it was read.
        let large = type == "text/csv" ? "a,b\n" + String(repeating: "1,2\n", count: 30_000) : nil
        for text in [text, large.map { $0 + "\"" }].compactMap(\.self) {
            var body = BodyDocument(.make(text), contentType: type)
            await body.finish()
            body.synchronize()
            #expect(body.form == .text)
            #expect(body.breakingFault != nil)
            body.show(.tree)
            #expect(body.form == .tree)
            body.synchronize()
            #expect(body.form == .tree)
        }
        #expect(BodyDocument(.make(text), contentType: type).faultPosition?.line == line)
        // While it still comes, that it ends in a cell is nobody's fault.
        let growing = BodyDocument(.make(text), contentType: type, isGrowing: true)
        #expect(growing.form == .tree)
        #expect(growing.faultText == nil)
    }

    @Test("HTML is never broken")
    func html() {
        let body = BodyDocument(.make("<p>a<b>c</p></i><td>"), contentType: "text/html")
        #expect(body.form == .tree)
        #expect(body.breakingFault == nil)
    }

    @Test("faults of another format have words and a place in the body")
    func tellsFaults() {
        let body = BodyDocument(.make("<a>\n<b></a>"), contentType: "text/xml")
        #expect(body.faultPosition?.line == 2)
        #expect(body.faultText?.contains("mismatch") ?? false)
        #expect(body.fault == nil)
        let json = BodyDocument(.make("{\"a\":?}"), contentType: "application/json")
        #expect(json.faultText == "a value was expected here")
    }

    @Test("text and JSON in another encoding are shown decoded, and the bytes stay")
    func decodes() async {
        let latin = BodyDocument(
            DocumentBytes([0x63, 0xE9]),
            contentType: "text/plain; charset=latin1"
        )
        guard case .text(let line) = latin.row(at: 0) else { return #expect(Bool(false)) }
        #expect(line.text == "cé")
        let utf16 = "{\"a\":\"é\"}".utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
        var json = BodyDocument(DocumentBytes(utf16), contentType: "application/json")
        #expect(json.form == .tree)
        #expect(json.rowCount == 2)
        json.show(.hex)
        guard case .hex(let row) = json.row(at: 0) else { return #expect(Bool(false)) }
        #expect(row.bytes.prefix(2) == [0x7B, 0])
        let misdeclared = BodyDocument(
            .make("[\"é\"]"),
            contentType: "application/json; charset=latin1"
        )
        #expect(misdeclared.document?.string(of: NodeIndex(1)) == "é")
    }

    @Test("a large text in another encoding begins with its first lines")
    func decodesLarge() async {
        let line = [UInt8](repeating: 0xE9, count: 99) + [0x0A]
        let bytes = Array([[UInt8]](repeating: line, count: 2000).joined())
        var body = BodyDocument(DocumentBytes(bytes), contentType: "text/plain; charset=latin1")
        #expect(body.rowCount > 200 && body.rowCount < 2000)
        await body.finish()
        body.synchronize()
        #expect(body.rowCount == 2000)
    }

    @Test("a tree over its limit gives way to the text, which says so")
    func showsTextForLargeTrees() async {
        let text = String(repeating: "[", count: 500_000)
        var body = BodyDocument(
            .make(text),
            contentType: "application/json",
            treeLimit: TreeMemoryLimit(base: 4 << 20, perTextByte: 0)
        )
        #expect(body.form == .tree)
        await body.finish()
        body.synchronize()
        #expect(body.form == .text)
        #expect(body.document == nil)
        #expect(body.availableForms == [.text, .hex])
        #expect(body.treeProblem?.contains("limit") == true)
        await body.finish()
        #expect(body.rowCount == 1)
        body.show(.tree)
        #expect(body.form == .text)
    }

    @Test("aliases of aliases are shown as the text that they are")
    func showsTextForBombs() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<30 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        var body = BodyDocument(.make(text), contentType: "application/yaml")
        #expect(body.form == .text)
        body.show(.tree)
        #expect(body.form == .text)
        #expect(body.treeProblem?.contains("64 times the text") == true)
        #expect(body.heldMemory < 1 << 20)
    }
}
