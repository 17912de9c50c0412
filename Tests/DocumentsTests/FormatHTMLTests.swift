import Testing

@testable import Documents

@Suite struct FormatHTMLTests {
    /// The content of the body in the JSON of a page whose head is empty.
    private static func body(_ json: String) -> String {
        #"{"html":{"head":"","body":"# + json + "}}"
    }

    @Test(
        "HTML keeps the order of what repeats",
        arguments: [
            ("<ul><li>a<li>b</ul>", #"{"ul":[{"li":"a"},{"li":"b"}]}"#),
            (
                "<p class=x>a<br>b <a href='?a&b'>c</a></p>",
                ##"{"p":{"@class":"x","#content":["a",{"br":""},"b ",{"a":{"@href":"?a&b","#text":"c"}}]}}"##
            ),
            ("<input disabled>", #"{"input":{"@disabled":null}}"#),
            ("<input value=''>", #"{"input":{"@value":""}}"#),
            ("<input a= b=>", #"{"input":{"@a":"b="}}"#),
            ("<input a = b c/>", #"{"input":{"@a":"b","@c":null}}"#),
            ("<p>&eacute;&copy;&notit;", #"{"p":"é©¬it;"}"#),
            ("x<!--c-->", ##"["x",{"#comment":"c"}]"##),
        ]
    )
    func readsHTML(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .html)
        #expect(opened.json == Self.body(json))
        #expect(opened.faults == [])
    }

    @Test(
        "a page has its head and its body, written or not",
        arguments: [
            ("", #"{"html":{"head":"","body":""}}"#),
            ("x", #"{"html":{"head":"","body":"x"}}"#),
            (
                "<!doctype html><html lang=en><head><title>T</title></head><body><p>x</body></html>",
                #"{"!DOCTYPE":"html","html":{"@lang":"en","head":{"title":"T"},"body":{"p":"x"}}}"#
            ),
            ("<title>T</title><p>x", #"{"html":{"head":{"title":"T"},"body":{"p":"x"}}}"#),
            (
                "<script>if (a<b) {}</script>",
                #"{"html":{"head":{"script":"if (a<b) {}"},"body":""}}"#
            ),
            (
                "<!--a--><!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><p>x<!--b--></html><!--c-->",
                ##"[{"!DOCTYPE":"html"},{"#comment":"a"},{"html":{"head":"","body":{"p":["x",{"#comment":"b"}]}}},{"#comment":"c"}]"##
            ),
        ]
    )
    func completesPages(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .html)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test(
        "what is misplaced or misnested stands where browsers put it",
        arguments: [
            ("<b>1<i>2</b>3</i>", #"{"b":["1",{"i":"2"}],"i":"3"}"#),
            ("<p>a<div>b</p>c", #"{"p":"a","div":["b",{"p":""},"c"]}"#),
            (
                "<table><tr><td>1<p>x<td>2</table>",
                #"{"table":{"tbody":{"tr":[{"td":["1",{"p":"x"}]},{"td":"2"}]}}}"#
            ),
            ("<table>x<tr><td>y</table>", #"["x",{"table":{"tbody":{"tr":{"td":"y"}}}}]"#),
            ("<select><option>a<option>b", #"{"select":[{"option":"a"},{"option":"b"}]}"#),
            (
                "<a href=1>x<a href=2>y",
                ##"[{"a":{"@href":"1","#text":"x"}},{"a":{"@href":"2","#text":"y"}}]"##
            ),
            ("<p id=1 id=2 ID=3>x", ##"{"p":{"@id":"1","#text":"x"}}"##),
            ("<image src=x>", #"{"img":{"@src":"x"}}"#),
            ("</p>x</p></br></x>", #"["x",{"p":""},{"br":""}]"#),
        ]
    )
    func placesAsBrowsers(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .html)
        #expect(opened.json == Self.body(json))
        #expect(opened.faults == [])
    }

    @Test(
        "names have the letters of their language, and all are read",
        arguments: [
            ("<My-Element A=1>x</my-element>", ##"{"my-element":{"@a":"1","#text":"x"}}"##),
            (
                "<svg viewbox=1 xlink:href=q><foreignobject><P>x</svg>",
                #"{"svg":{"@viewBox":"1","@xlink:href":"q","foreignObject":{"p":"x"}}}"#
            ),
            ("<math definitionurl=x><MI>y</math>", #"{"math":{"@definitionURL":"x","mi":"y"}}"#),
            (
                "<svg xml:lang=a xmlns:xlink=b xmlns=c />",
                #"{"svg":{"@xml:lang":"a","@xmlns:xlink":"b","@xmlns":"c"}}"#
            ),
            ("<x-\u{0}y>z", "{\"x-\u{FFFD}y\":\"z\"}"),
        ]
    )
    func namesElements(text: String, json: String) {
        #expect(FormattedDocument.make(text, as: .html).json == Self.body(json))
    }

    @Test("a template has its content")
    func readsTemplates() {
        let opened = FormattedDocument.make("<template><tr><td>x</template>", as: .html)
        #expect(
            opened.json
                == #"{"html":{"head":{"template":{"tr":{"td":"x"}}},"body":""}}"#
        )
    }

    @Test("elements know their places, those that nobody wrote the one where they begin")
    func knowsPlaces() {
        let opened = FormattedDocument.make("<p>é\n<b a=1>x</b><!--c--></p>", as: .html)
        let document = opened.document
        let places = document.allNodes.compactMap { node in
            document.key(of: node).flatMap { key in
                opened.position(of: node).map { "\(key) \($0.line):\($0.column)" }
            }
        }
        #expect(
            places == [
                "html 1:1", "head 1:1", "body 1:1", "p 1:1", "b 2:1", "@a 2:1", "#text 2:1",
                "#comment 2:13",
            ]
        )
    }

    @Test("bytes that are no UTF-8, zeros and controls are read")
    func readsBytes() {
        let bytes: [UInt8] = [
            0x3C, 0x70, 0x3E, 0xFF, 0x00, 0x61, 0xC3, 0x3C, 0x2F, 0x70, 0x3E, 0x1B,
        ]
        let opened = FormattedDocument.make(bytes, as: .html)
        #expect(opened.faults == [])
        #expect(opened.document.fault == nil)
        #expect(opened.json.contains("a"))
    }

    @Test("a name that no encoding has is passed over, one that the server sent is a fault")
    func passesOverEncodings() {
        let page = "<meta charset=utf8mb4><p>é"
        let opened = FormattedDocument.make(page, as: .html)
        #expect(opened.faults == [])
        #expect(opened.json.contains("é"))
        let sent = FormattedDocument.opening(.make(page), as: .html, charset: "utf8mb4")
        #expect(sent.faults.map(\.kind) == [.unknownEncoding("UTF8MB4")])
    }

    @Test(
        "an encoding is read as the larger one that browsers read it as",
        arguments: [
            ("gb2312", [0x81, 0x40] as [UInt8], "丂"), ("shift_jis", [0x87, 0x40], "①"),
            ("euc-kr", [0x81, 0x41], "갂"), ("iso-8859-9", [0x80], "€"),
            ("latin1", [0x93], "“"),
            // What is of no encoding is replaced, and no page is broken.
            ("shift_jis", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
        ]
    )
    func readsLargerEncodings(charset: String, bytes: [UInt8], text: String) {
        let page = Array("<meta charset=\(charset)><p>".utf8) + bytes
        let opened = FormattedDocument.make(page, as: .html)
        #expect(opened.faults == [])
        #expect(opened.json.contains("\"p\":\"\(text)\""))
    }

    @Test("10,001 attributes are read")
    func readsAttributes() {
        let many = (0..<10_001).map { " a\($0)='='" }.joined()
        let page = FormattedDocument.make("<p>x</p><p\(many)>", as: .html)
        #expect(page.faults == [])
        #expect(page.document.nodeCount > 10_001)
    }

    @Test(
        "the beginning of what takes too long is a tree",
        arguments: [
            String(repeating: "<b>", count: 200_000),
            // Each character goes through all open elements, without a call to anybody.
            String(repeating: "<div>", count: 100_000) + "<b>"
                + String(repeating: "x", count: 4 << 20),
        ]
    )
    func showsBeginning(text: String) {
        let converted = ConvertedText(.make(text), as: .html, timeLimit: .milliseconds(100))
        #expect(converted.faults.map(\.kind) == [.takesTooLong(.html)])
        #expect(Document.parse(converted.json).nodeCount > 500)
    }
}
