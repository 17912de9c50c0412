import Testing

@testable import Documents

@Suite struct FormatLinesTests {
    @Test("every line is an element of one list, with paths from it")
    func readsLines() {
        let opened = FormattedDocument.make("{\"id\":1}\r\n\r\n{\"id\":2}\n\n[3]\n", as: .jsonLines)
        let document = opened.document
        #expect(document.form == .sequence)
        #expect(document.fault == nil)
        #expect(document.childCount(of: .root) == 3)
        let id = document.child(at: 1, of: .root).flatMap { document.member("id", of: $0) }
        #expect(id.map { document.path(of: $0) } == "$[1]['id']")
        #expect(id.flatMap { opened.position(of: $0) }?.line == 3)
    }

    @Test("a broken line does not stop the others")
    func passesBrokenLines() {
        let document = FormattedDocument.make("{\"a\":1}\n{\"a\":?}\n{\"a\":3}", as: .jsonLines)
            .document
        #expect(document.faults.count == 1)
        #expect(document.fault?.offset == 13)
        let last = document.childCount(of: .root) - 1
        #expect(
            document.child(at: last, of: .root).flatMap { document.sourceText(of: $0) }
                == "{\"a\":3}"
        )
    }

    @Test(
        "a body of JSON lines is a tree, named by its type or found out",
        arguments: [
            ("application/x-ndjson", "{\"id\":0}\n{\"id\":1}\n", nil),
            ("application/jsonl", "1\n2", nil),
            ("application/json-seq", "\u{1E}{\"id\":0}\n\u{1E}{\"id\":1}\n", nil),
            (nil, "{\"id\":0}\r\n{\"id\":1}", nil), (nil, "{}\n[1]\nbroken", nil),
            (
                "text/plain", "[1]\n[2]",
                "Content-Type says text/plain, but the body looks like JSON lines"
            ),
            (
                "application/json", "{\"id\":0}\n{\"id\":1}",
                "Content-Type says application/json, but the body looks like JSON lines"
            ),
            (nil, "\u{1E}{\"id\":0}\n", nil), (nil, "{\n\"a\":1\n}\n{\n\"a\":2\n}", nil),
        ] as [(String?, String, String?)]
    )
    func findsLines(type: String?, text: String, mismatch: String?) {
        let body = BodyDocument(.make(text), contentType: type)
        #expect(body.format == .jsonLines)
        #expect(body.form == .tree)
        #expect(body.document?.form == .sequence)
        #expect(body.mismatch?.description == mismatch)
        #expect(body.rowCount > 1)
    }

    @Test(
        "what is no second value after the first is a fault or a text",
        arguments: [
            ("application/json", "{\"id\":1}\ntext", .json), ("application/json", "{} {}", .json),
            (nil, "[1]\ntext", nil), (nil, "{}\n{]", nil),
            ("application/x-ndjson", "words", nil), ("application/x-ndjson", "", nil),
        ] as [(String?, String, DocumentFormat?)]
    )
    func refusesOthers(type: String?, text: String, format: DocumentFormat?) {
        #expect(BodyDocument(.make(text), contentType: type).format == format)
    }

    @Test("a thousand lines in another encoding")
    func readsThousand() async {
        let text = (0..<1000).map { "{\"id\":\($0)}" }.joined(separator: "\n")
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        for bytes in [DocumentBytes.make(text), DocumentBytes(wide)] {
            var body = BodyDocument(bytes, contentType: "application/x-ndjson")
            await body.finish()
            body.synchronize()
            let document = body.document
            #expect(document?.childCount(of: .root) == 1000)
            #expect(body.fault == nil)
        }
    }

    @Test("lines are written a value on a line")
    func writesLines() throws {
        let document = FormattedDocument.make("{ \"a\" : 1 }\r\n\r\n[ 2 ]\n", as: .jsonLines)
            .document
        let text = String(decoding: try DocumentWriter().bytes(in: document), as: UTF8.self)
        #expect(text == "{\"a\":1}\n[2]")
        let one = FormattedDocument.make("[[1],[2]]", as: .jsonLines).document
        #expect(try DocumentWriter().bytes(in: one) == Array("[[1],[2]]".utf8))
    }
}
