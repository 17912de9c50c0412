import Testing

@Suite("apus format")
struct FormatCommandTests {
    private static let text = #"{"b":[1.10,{},[]],"a":"\u00e9\/","b":1E2}"#
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func format(_ arguments: String..., input: String = Self.text) throws -> PipedProgram {
        try .run(["format"] + arguments, input: input, files: files)
    }

    @Test("the pretty form changes white space only")
    func pretty() throws {
        let pretty = try format()
        #expect(
            pretty.output == """
                {
                  "b": [
                    1.10,
                    {},
                    []
                  ],
                  "a": "\\u00e9\\/",
                  "b": 1E2
                }

                """
        )
        #expect(pretty.status == .exited(0))
        #expect(try format("--indent", "4").output.contains("\n        1.10"))
        #expect(try format("--tab").output.contains("\n\t\t1.10"))
    }

    @Test("the minified form gives back a minified text byte for byte")
    func minified() throws {
        #expect(try format("--minify").output == Self.text + "\n")
        let pretty = try format()
        #expect(try format("--minify", input: pretty.output).output == Self.text + "\n")
    }

    @Test("the canonical form is that of RFC 8785, or says why there is none")
    func canonical() throws {
        let canonical = try format("--canonical", input: #"{"b": 1E2, "a": "\u00e9\/", "n": 1.10}"#)
        #expect(canonical.output == "{\"a\":\"é/\",\"b\":100,\"n\":1.1}")
        let refused = try format("--canonical")
        #expect(refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("apus: standard input:1:"))
        #expect(refused.status == .exited(2))
    }

    @Test("lines of JSON stay lines")
    func lines() throws {
        try files.write("{\"a\": 1}\n[2,  3]\n", to: "some.ndjson")
        #expect(try format("--minify", "some.ndjson").output == "{\"a\":1}\n[2,3]\n")
    }

    @Test("a text of no bytes is right where the format allows it")
    func nothing() throws {
        for (format, json) in [
            ("yaml", "null"), ("form", "{}"), ("csv", "[]"),
            ("html", #"{"html":{"head":"","body":""}}"#),
        ] {
            let empty = try self.format("--minify", "--as", format, input: "")
            #expect(empty.output == json + "\n")
            #expect(empty.status == .exited(0))
        }
        #expect(try format("--as", "xml", input: "").status == .exited(2))
    }

    @Test("no page is refused, and no well-formed XML")
    func markup() throws {
        let page = try format(
            "--minify",
            "--as",
            "html",
            input: "<p>100% & more<b><nav></p><tr></x>"
        )
        #expect(page.status == .exited(0))
        #expect(page.errors.isEmpty)
        #expect(page.output.contains("100% & more"))
        let xml = try format("--minify", "--as", "xml", input: "<a:b x:y='1'/>")
        #expect(xml.output == #"{"a:b":{"@x:y":"1"}}"# + "\n")
        #expect(xml.status == .exited(0))
    }

    @Test("a broken document is not written, and every fault is told")
    func broken() throws {
        let broken = try format(input: "[1, 2")
        #expect(broken.output.isEmpty)
        #expect(broken.errors.hasPrefix("apus: standard input:1:6: "))
        #expect(broken.status == .exited(2))
        let empty = try format(input: "")
        #expect(empty.errors == "apus: standard input: the input is empty\n")
        #expect(empty.status == .exited(2))
    }

    @Test("XML becomes JSON")
    func convertsXML() throws {
        try files.write("<a x='1'><b>é</b><b>2</b></a>", to: "some.xml")
        #expect(
            try format("--minify", "some.xml").output
                == "{\"a\":{\"@x\":\"1\",\"b\":[\"é\",\"2\"]}}\n"
        )
    }
}
