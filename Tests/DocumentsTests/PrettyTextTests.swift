import TestSupport
import Testing

@testable import Documents

@Suite("Text laid out anew")
struct PrettyTextTests {
    private func lines(_ text: String, _ type: String) async -> [String]? {
        var body = BodyDocument(DocumentBytes(Array(text.utf8)), contentType: type)
        body.show(.text)
        body.showPretty(true)
        await body.finish()
        body.synchronize()
        guard body.isPretty else { return nil }
        return body.rows(in: 0..<body.rowCount, textLimit: 4096).map {
            if case .text(let row) = $0 { row.text } else { "" }
        }
    }

    @Test("JSON keeps numbers, escapes, duplicate keys and their order")
    func json() async {
        let text = #"{"b":1.10,"a":[1e400,-0,"\u00e9é"],"b":{}}"#
        #expect(
            await lines(text, "application/json") == [
                "{", #"  "b": 1.10,"#, #"  "a": ["#, "    1e400,", "    -0,", #"    "\u00e9é""#,
                "  ],",
                #"  "b": {}"#, "}",
            ]
        )
        #expect(
            await lines("{\"a\":1}\n[2]\n", "application/x-ndjson") == [
                "{", "  \"a\": 1", "}", "[", "  2", "]",
            ]
        )
    }

    @Test(
        "XML and HTML get a line for each element, and a short one with text stays together",
        arguments: [
            (
                "application/xml",
                "<?xml version='1.0'?><a  x=\"1>2\"><b>one</b><b/><c><d>&#233;</d></c><!-- x --></a>",
                [
                    "<?xml version='1.0'?>", "<a  x=\"1>2\">", "  <b>one</b>", "  <b/>", "  <c>",
                    "    <d>&#233;</d>", "  </c>", "  <!-- x -->", "</a>",
                ]
            ),
            (
                "application/xml", "<a>\n  <b>x <i>y</i> z</b>\n\n</a>",
                ["<a>", "  <b>x <i>y</i> z</b>", "</a>"]
            ),
            (
                "application/xml", "<!DOCTYPE a [<!ELEMENT a (#PCDATA)>]><a><![CDATA[<x> y]]></a>",
                ["<!DOCTYPE a [<!ELEMENT a (#PCDATA)>]>", "<a><![CDATA[<x> y]]></a>"]
            ),
            (
                "text/html",
                "<!doctype html><html><head><meta charset=utf-8><script>if (a<b) { x() }</script></head>"
                    + "<body><UL><li>one<li>two</UL><pre> a\n  b</pre><p>1 < 2</body></html>",
                [
                    "<!doctype html>", "<html>", "  <head>", "    <meta charset=utf-8>",
                    "    <script>if (a<b) { x() }</script>", "  </head>", "  <body>", "    <UL>",
                    "      <li>", "        one", "      <li>", "        two", "    </UL>",
                    "    <pre> a", "  b</pre>", "    <p>", "      1 < 2", "  </body>", "</html>",
                ]
            ),
        ] as [(String, String, [String])]
    )
    func markup(type: String, text: String, expected: [String]) async {
        #expect(await lines(text, type) == expected)
    }

    @Test(
        "what is broken stays as it was sent, and says so",
        arguments: [
            ("application/json", #"{"a":NaN}"#), ("application/json", #"{"a":1"#),
            ("application/xml", "<a><b x='1></b></a>"), ("text/html", "<p><!-- <b>x</b></p>"),
        ]
    )
    func broken(type: String, text: String) async {
        var body = BodyDocument(DocumentBytes(Array(text.utf8)), contentType: type)
        body.show(.text)
        body.showPretty(true)
        await body.finish()
        body.synchronize()
        #expect(!body.isPretty && body.isFinished)
        #expect(body.prettyProblem?.hasSuffix("so it is shown as it was sent") == true)
        #expect(body.textBytes.count == text.utf8.count)
    }

    @Test("only white space between tokens changes, whatever the markup", arguments: 0..<300)
    func keepsEverything(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "<a>", "</a>", "<b x='<'>", "</b>", "<br>", "<li>", "text", " ", "\n", "<!-- - -->",
            "<![CDATA[]]]>",
            "<script>", "</script>", "<pre>", "</pre>", "&amp;", "<", ">", "\"", "</", "<p/>", "é",
        ]
        let text = (0..<40).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        for isHTML in [false, true] {
            let pretty = Array(text.utf8).withUnsafeBufferPointer {
                MarkupLayout.layOut($0, isHTML: isHTML)
            }
            guard let pretty else { continue }
            #expect(pretty.filter { $0 > 0x20 } == text.utf8.filter { $0 > 0x20 }, "\(text)")
        }
    }

    @Test("hostile markup is laid out in time that grows with its length", .timeLimit(.minutes(5)))
    func hostile() {
        // A debug build takes a second or two for a unit.
        let many = 5000
        for unit in ["<a>", "</a>", "<script>", "<li>", "<a b='", "<!--", "<", "<a></b>"] {
            let text = Array(String(repeating: unit, count: many).utf8)
            let pretty = text.withUnsafeBufferPointer { MarkupLayout.layOut($0, isHTML: true) }
            #expect(pretty?.isEmpty != true, "\(unit)")
        }
    }

    @Test("a place in one text is found in the other")
    func places() async {
        let text = #"{"a":[1,"x y"],"b":2}"#
        var body = BodyDocument(DocumentBytes(Array(text.utf8)), contentType: "application/json")
        body.show(.text)
        let sent = body.textBytes
        body.showPretty(true)
        await body.finish()
        let pretty = body.textBytes
        for (offset, byte) in text.utf8.enumerated() where byte > 0x20 {
            let there = sent.offset(offset, in: pretty)
            #expect(pretty.array(in: there..<there + 1) == [byte])
            #expect(pretty.offset(there, in: sent) == offset)
        }
    }
}
