import Testing

@testable import Documents

@Suite struct FormatMarkupTests {
    @Test(
        "elements are members, attributes have an @, siblings of one name are an array",
        arguments: [
            ("<a/>", #"{"a":""}"#), ("<a>x</a>", #"{"a":"x"}"#), ("<a> </a>", #"{"a":" "}"#),
            ("<a b=\"1\" c='2'/>", #"{"a":{"@b":"1","@c":"2"}}"#),
            ("<a b='1'>x</a>", ##"{"a":{"@b":"1","#text":"x"}}"##),
            ("<a>\n <b/>\n <c>1</c>\n</a>", #"{"a":{"b":"","c":"1"}}"#),
            ("<a><b>1</b><c/><b>2</b></a>", #"{"a":{"b":["1","2"],"c":""}}"#),
            ("<a><b/><b><c/><c/></b></a>", #"{"a":{"b":["",{"c":["",""]}]}}"#),
            ("<a>x <b>y</b> z</a>", ##"{"a":{"#content":["x ",{"b":"y"}," z"]}}"##),
            ("<a k='v'>x<b/></a>", ##"{"a":{"@k":"v","#content":["x",{"b":""}]}}"##),
            ("<a><![CDATA[<x>&]]> y</a>", #"{"a":"<x>& y"}"#),
            ("<a><!-- c --><b/></a>", ##"{"a":{"#comment":" c ","b":""}}"##),
            ("<?xml version='1.0'?><?p q?><a/>", #"{"?p":"q","a":""}"#),
            (
                "<n:a xmlns:n='u'><n:b n:c='1'/></n:a>",
                #"{"n:a":{"@xmlns:n":"u","n:b":{"@n:c":"1"}}}"#
            ),
            ("<a b='&lt;&amp;&#233;'>&gt;&#x1F600;</a>", ##"{"a":{"@b":"<&é","#text":">😀"}}"##),
        ]
    )
    func readsXML(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .xml)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test("entities stay as written, however they are declared")
    func keepsEntities() {
        let text = """
            <!DOCTYPE a [<!ENTITY x "long"><!ENTITY f SYSTEM "file:///etc/passwd">]>
            <a b="&x;">&x; &f; &unknown;</a>
            """
        let opened = FormattedDocument.make(text, as: .xml)
        #expect(opened.json == ##"{"!DOCTYPE":"a","a":{"@b":"&x;","#text":"&x; &f; &unknown;"}}"##)
    }

    @Test(
        "a bomb of entities stays as small as it is",
        arguments: ["<a>&e9;</a>", "<a b='&e9;'/>"]
    )
    func boundsEntities(element: String) {
        let declarations = (1..<10).map { level in
            "<!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">"
        }
        let text = "<!DOCTYPE a [<!ENTITY e0 \"lol\">\(declarations.joined())]>" + element
        let opened = FormattedDocument.make(text, as: .xml)
        #expect(opened.json.contains("&e9;"))
        #expect(opened.document.bytes.count < 1000)
    }

    @Test("broken XML shows what was there before and after, with the faults' places")
    func recovers() {
        let opened = FormattedDocument.make("<a>\n<b>x</c>\n<d>y", as: .xml)
        #expect(opened.json == #"{"a":{"b":"x","d":"y"}}"#)
        #expect(opened.faults.map(\.position.line) == [2, 3])
        #expect(
            opened.faultTexts.first?.hasPrefix("2:9 Opening and ending tag mismatch: b") ?? false
        )
        #expect(FormattedDocument.make("", as: .xml).json == #""""#)
    }

    @Test(
        "well-formed XML has no fault",
        arguments: [
            "<a:b:c/>", "<a xmlns:p='u' p:q='1' xmlns:r='u' r:q='2'/>", "<x:a/>", "<?a:b c?><a/>",
            "<a xmlns:xml='http://example.com/'/>", "<a xmlns:p=''/>", "<a xmlns='relative'/>",
            "<!DOCTYPE a [<!ATTLIST a b NMTOKENS #FIXED 'x' xml:space (y) #IMPLIED>]><a b='  '/>",
            "<!DOCTYPE a [<!ELEMENT a (b)><!ELEMENT a EMPTY>]><a xml:lang='?'>x</a>",
            "<!DOCTYPE a SYSTEM 'no.dtd' [<!ENTITY % p SYSTEM 'no.ent'> %p;]><a>&b;</a>",
            "<!DOCTYPE a [<!ENTITY x:y 'z'><!NOTATION n:m SYSTEM 'q'>]><a>&x:y;</a>",
            "<?xml version='1.1'?><a/>", "<a xml:id='1 2'/>", "<a>\u{10FFFF}</a>",
        ]
    )
    func acceptsWellFormed(text: String) {
        let opened = FormattedDocument.make(text, as: .xml)
        #expect(opened.faults == [])
        #expect(opened.document.fault == nil)
    }

    @Test(
        "text that is not well-formed has a fault",
        arguments: [
            "<a b='1' b='2'/>", "<a/><b/>", "<a b=c/>", "<a>&#0;</a>", "<a><b></a></b>",
            "<a>]]></a>",
            "<a b='<'/>", "<a><!-- -- --></a>", "x", "<a/>x", "<a>&b</a>", "<1/>",
        ]
    )
    func findsFaults(text: String) {
        #expect(!FormattedDocument.make(text, as: .xml).faults.isEmpty)
    }

    @Test("a tag with attributes without end is a fault, and ends the tree before it")
    func boundsAttributes() {
        let many = (0..<10_001).map { " a\($0)='='" }.joined()
        let opened = FormattedDocument.make("<r>\n<a b='1'/><c\(many)/></r>", as: .xml)
        #expect(opened.faultTexts.first == "2:11 a tag has more than 10,000 attributes")
        #expect(opened.document.nodeCount == 4)
        let text = "<r>" + String(repeating: "= ", count: 30_000) + "</r>"
        #expect(FormattedDocument.make(text, as: .xml).faults.isEmpty)
    }

    @Test("100,000 levels are a tree")
    func readsDeep() {
        let opened = FormattedDocument.make(String(repeating: "<b>", count: 100_000), as: .xml)
        #expect(opened.document.nodeCount > 100_000)
    }

    @Test("elements know their places")
    func knowsPlaces() {
        let text = "<?xml version='1.0'?>\n<a>\n  <b\n c='1'/>é<d>x</d></a>"
        let opened = FormattedDocument.make(text, as: .xml)
        let document = opened.document
        let places = document.allNodes.compactMap { node in
            document.key(of: node).flatMap { key in
                opened.position(of: node).map { "\(key) \($0.line):\($0.column)" }
            }
        }
        #expect(places == ["a 2:1", "#content 2:1", "b 3:3", "@c 3:3", "d 4:10"])
    }

    @Test(
        "declared encodings are read",
        arguments: [
            ("<?xml version='1.0' encoding='ISO-8859-1'?><a>\u{E9}</a>", DocumentFormat.xml),
            ("<meta charset=latin1><p>\u{E9}</p>", .html),
        ]
    )
    func readsEncodings(text: String, format: DocumentFormat) {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let opened = FormattedDocument.make(bytes, as: format)
        #expect(opened.json.contains("é"))
        #expect(opened.faults == [])
    }
}
