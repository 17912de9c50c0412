import Testing

@testable import Documents

@Suite struct FormatMultipartTests {
    private func open(_ text: String, boundary: String = "b") -> FormattedDocument {
        let text = text.split(separator: "\n", omittingEmptySubsequences: false)
        return .make(text.joined(separator: "\r\n"), as: .multipart(boundary: boundary))
    }

    @Test("parts have a name, a file's name, headers and content")
    func readsParts() {
        let opened = open(
            """
            preamble
            --b
            Content-Disposition: form-data; name="a b"

            one
            two
            --b \t
            Content-Disposition: form-data; name=f; filename="x\\"y.json"
            Content-Type: application/json

             {"k": [1.0]}
            --b--
            epilogue --b
            """
        )
        #expect(opened.faults == [])
        let document = opened.document
        #expect(document.childCount(of: .root) == 2)
        #expect(
            opened.json == """
                [{"name":"a b","headers":{"Content-Disposition":"form-data; name=\\"a b\\""},\
                "content":"one\\r\\ntwo"},{"name":"f","filename":"x\\"y.json","headers":\
                {"Content-Disposition":"form-data; name=f; filename=\\"x\\\\\\"y.json\\"",\
                "Content-Type":"application/json"},"content":{"k":[1.0]}}]
                """
        )
        #expect(opened.position(of: NodeIndex(1))?.line == 3)
    }

    @Test(
        "only a whole line is a boundary",
        arguments: [
            ("--b\n\n--bc\n--b--", "--bc"), ("--b\n\nx --b\n--b--", "x --b"),
            ("--b\n\n--b-\n--b--", "--b-"), ("--b\n\n\n--b--", ""), ("--b\n\n\n\n--b--", "\r\n"),
        ]
    )
    func matchesWholeLines(text: String, content: String) {
        let opened = open(text)
        let document = opened.document
        let part = document.child(at: 0, of: .root)
        let found = part.flatMap { document.member("content", of: $0) }
        #expect(found.flatMap { document.string(of: $0) } == content)
        #expect(document.childCount(of: .root) == 1)
    }

    @Test(
        "what is missing is a fault, and what is there is shown",
        arguments: [
            ("nothing", "[]", "1:1 the boundary named in the Content-Type does not occur"),
            ("--b\n\nx", #"[{"content":"x"}]"#, "3:2 the closing boundary is missing"),
            ("--b\nA", #"[{"content":""}]"#, "2:1 this header line of a part has no colon"),
        ]
    )
    func reportsFaults(text: String, json: String, fault: String) {
        let opened = open(text)
        #expect(opened.json == json)
        #expect(opened.faultTexts.contains(fault))
    }

    @Test("line feeds alone are accepted, folded headers are joined, empty bodies have no parts")
    func acceptsLooseText() {
        let text = "--b\nX: a\n  b\n\nhi\n--b--"
        let opened = FormattedDocument.make(text, as: .multipart(boundary: "b"))
        #expect(opened.json == #"[{"headers":{"X":"a b"},"content":"hi"}]"#)
        #expect(open("--b--").json == "[]")
    }

    @Test("a file's name in the extended form goes first")
    func readsExtendedNames() {
        let disposition = "Content-Disposition: form-data; name=f; filename=\"a\"; filename*="
        let cases = [
            ("UTF-8''%e2%82%ac%20r", "€ r"), ("iso-8859-1'en'%A3", "£"), ("''%C3%A9", "é"),
            ("broken", "a"),
        ]
        for (value, name) in cases {
            let opened = open("--b\n\(disposition)\(value)\n\nx\n--b--")
            let document = opened.document
            let part = document.child(at: 0, of: .root)
            let found = part.flatMap { document.member("filename", of: $0) }
            #expect(found.flatMap { document.string(of: $0) } == name)
        }
    }

    @Test("a binary part is its size and first bytes, and text is decoded by its charset")
    func showsBinary() {
        var bytes = Array("--b\r\n\r\n".utf8) + [0, 1, 0xFF]
        bytes += Array("\r\n--b\r\nContent-Type: text/plain; charset=latin1\r\n\r\n".utf8) + [0xE9]
        bytes += Array("\r\n--b--".utf8)
        let opened = FormattedDocument.make(bytes, as: .multipart(boundary: "b"))
        #expect(opened.json.hasPrefix(##"[{"content":{"#size":3,"#bytes":"00 01 ff"}}"##))
        #expect(opened.json.hasSuffix(#""content":"é"}]"#))
    }

    @Test("parts in parts are arrays, and a thousand levels are cut, not fatal")
    func nestsParts() {
        let text =
            "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nin\n--c--\n--b\n\nout\n--b--"
        let document = open(text).document
        #expect(document.path(of: NodeIndex(document.nodeCount - 1)) == "$[1]['content']")
        let part = document.child(at: 0, of: .root)
        let inner = part.flatMap { document.member("content", of: $0) }
        #expect(inner.map { document.childCount(of: $0) } == 1)
        let deep = String(
            repeating: "--b\nContent-Type: multipart/mixed; boundary=b\n\n",
            count: 1000
        )
        #expect(open(deep).document.nodeCount > 16)
    }

    @Test("a header folded over very many lines is read in one go")
    func readsFoldedHeaders() {
        let folds = String(repeating: "\r\n more", count: 200_000)
        let text = "--b\r\nX-Long: a\(folds)\r\n\r\nbody\r\n--b--"
        let opened = FormattedDocument.make(text, as: .multipart(boundary: "b"))
        #expect(opened.faults == [])
        #expect(opened.json.hasSuffix(#" more more"},"content":"body"}]"#))
    }
}
