import Testing

@testable import Documents

@Suite("Documents written as text")
struct DocumentWriterTests {
    private func text(_ form: DocumentWriter.Form, _ json: String) throws -> String {
        String(decoding: try DocumentWriter(form).bytes(in: .make(json)), as: UTF8.self)
    }

    @Test(
        "minified text is what was parsed, but for white space",
        arguments: 0..<200 as Range<UInt64>
    )
    func keepsTokens(seed: UInt64) throws {
        let random = RandomJSON(seed: seed)
        #expect(try text(.minified, random.spaced) == random.minified)
        #expect(try text(.minified, random.minified) == random.minified)
    }

    @Test("pretty text has the same tokens", arguments: 0..<200 as Range<UInt64>)
    func keepsTokensWhenPretty(seed: UInt64) throws {
        let random = RandomJSON(seed: seed)
        for style in [PrettyStyle(), PrettyStyle(indentation: .tab, lineWidth: 40)] {
            let pretty = try text(.pretty(style), random.spaced)
            #expect(try text(.minified, pretty) == random.minified)
            #expect(try text(.pretty(style), pretty) == pretty)
        }
    }

    @Test("every value of a document can be written alone", arguments: 0..<20 as Range<UInt64>)
    func writesSubtrees(seed: UInt64) throws {
        let document = Document.make(RandomJSON(seed: seed).spaced)
        for node in document.allNodes {
            let bytes = try DocumentWriter().bytes(of: node, in: document)
            let expected = try text(.minified, document.sourceText(of: node))
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
    }

    @Test("pretty text is indented, and empty containers stay closed")
    func indents() throws {
        let json = #"{"a":[1,{"b":null}],"c":{ },"d":[ ],"e":"x:,[ y"}"#
        #expect(
            try text(.pretty, json) == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": {},
                  "d": [],
                  "e": "x:,[ y"
                }
                """
        )
        #expect(
            try text(.pretty(PrettyStyle(indentation: .tab)), "[[1]]") == "[\n\t[\n\t\t1\n\t]\n]"
        )
        #expect(try text(.pretty(PrettyStyle(indentation: .spaces(99))), "[1]").utf8.count == 13)
    }

    @Test("short arrays of scalars stay on one line when asked")
    func keepsLines() throws {
        let style = PrettyStyle(lineWidth: 14)
        #expect(
            try text(.pretty(style), #"[[1,"]",true],[1,[]],[1234,56789,1],[1234,56789]]"#) == """
                [
                  [1, "]", true],
                  [
                    1,
                    []
                  ],
                  [
                    1234,
                    56789,
                    1
                  ],
                  [1234, 56789]
                ]
                """
        )
    }

    @Test("a million levels are written in every form")
    func writesDeepTexts() throws {
        let depth = 1_000_000
        let json =
            String(repeating: #"[{"a":"#, count: depth / 2)
            + String(repeating: "}]", count: depth / 2)
        let whole = json.replacing(#""a":}"#, with: #""a":0}"#)
        let document = Document.make(whole)
        #expect(document.fault == nil)
        for form in [DocumentWriter.Form.minified, .canonical] {
            #expect(try text(form, whole) == whole)
        }
        var count = 0
        try DocumentWriter(.pretty(PrettyStyle(indentation: .spaces(1)))).write(of: document) {
            count += $0.count
        }
        #expect(count > whole.utf8.count + 256 * depth)
    }

    @Test("long texts come in bounded pieces")
    func writesPieces() throws {
        let long = String(repeating: "é\\n", count: 300_000)
        let json = "[\"\(long)\", \"\(long)\"]"
        let document = Document.make(json)
        for form in [DocumentWriter.Form.minified, .pretty, .canonical] {
            var sizes: [Int] = []
            try DocumentWriter(form).write(of: document) { sizes.append($0.count) }
            #expect(sizes.count > 4)
            #expect(sizes.allSatisfy { $0 <= 256 << 10 })
        }
    }

    @Test("what a sink throws ends the writing")
    func stopsWithTheSink() {
        let document = Document.make("[" + String(repeating: "12345,", count: 100_000) + "1]")
        var calls = 0
        #expect(throws: CancellationError.self) {
            try DocumentWriter().write(of: document) { _ in
                calls += 1
                throw CancellationError()
            }
        }
        #expect(calls == 1)
    }

    @Test("what is not complete is refused, what is complete around it is not")
    func refusesIncompleteValues() throws {
        let document = Document.make(#"[{"a":1},[2,"#)
        #expect(throws: DocumentWritingError(.incomplete, node: .root, at: 0)) {
            try DocumentWriter().bytes(in: document)
        }
        let whole = try DocumentWriter().bytes(of: NodeIndex(1), in: document)
        #expect(String(decoding: whole, as: UTF8.self) == #"{"a":1}"#)
        #expect(throws: DocumentWritingError.self) { try DocumentWriter().bytes(in: .make("")) }
    }

    @Test("a value with any fault in it is not written, its whole neighbor is")
    func refusesEveryFault() throws {
        let document = Document.make(#"[{"a":tru},{"b":1},{"c":nul}]"#)
        #expect(document.resume(toEnd: true))
        document.parseToEnd()
        let children = Array(document.children(of: .root))
        #expect(
            try DocumentWriter().bytes(of: children[1], in: document) == Array(#"{"b":1}"#.utf8)
        )
        for broken in [children[0], children[2]] {
            #expect(throws: DocumentWritingError.self) {
                try DocumentWriter().bytes(of: broken, in: document)
            }
        }
    }

    @Test("a string that comes in pieces is the string, wherever they are cut")
    func pieces() throws {
        let text =
            "a\"\\\u{1}\n\u{2028}é€😀\u{7F}\u{FFFD}\u{D7FF}\u{E000}\r\t/ plain text of some length"
        let whole = String(decoding: try JSON(text).bytes(), as: UTF8.self)
        #expect(whole.hasPrefix(#""a\"\\\u0001\n"# + "\u{2028}é"))
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var written: [UInt8] = []
            let sink = { (piece: UnsafeRawBufferPointer) in written.append(contentsOf: piece) }
            try OutputBuffer.with(sink) { output in
                try output.append("\"")
                for piece in [bytes[..<cut], bytes[cut...]] {
                    try piece.withUnsafeBufferPointer { try output.appendEscaped($0) }
                }
                try output.append("\"")
            }
            #expect(String(decoding: written, as: UTF8.self) == whole, "cut at \(cut)")
        }
    }

    @Test("a long string goes out in pieces of at most 256 KiB")
    func pieceSize() throws {
        let text = [UInt8](repeating: 0x0A, count: 1 << 20)
        var sizes: [Int] = []
        let sink = { (piece: UnsafeRawBufferPointer) in sizes.append(piece.count) }
        try OutputBuffer.with(sink) { output in
            try text.withUnsafeBufferPointer { try output.appendEscaped($0) }
        }
        #expect(sizes.reduce(0, +) == 2 << 20)
        #expect(sizes.allSatisfy { $0 <= 256 << 10 })
    }
}
