import Apus
import Documents
import HTTPTypes
import Testing

@Suite("Responses as documents")
struct DocumentSerializerTests {
    @Test("XML is a tree")
    func xml() throws {
        let text = #"<list total="2"><item id="1">a</item><item id="2">b</item></list>"#
        let tree = try Response.make(text, type: "application/xml").value(using: .xml)
        let json = JSON(document: tree.document)
        #expect(json["list"]["@total"].string == "2")
        #expect(json["list"]["item"][1]["#text"].string == "b")
    }

    @Test("broken XML is an error with its line")
    func brokenXML() {
        let response = Response.make("<a>\n<b></a>", type: "text/xml")
        let error = mappingError { () throws(ApusError) in try response.value(using: .xml) }
        #expect(error?.code == 5006)
        #expect(error?.fault?.line == 2)
        #expect(error?.response == response)
    }

    @Test(
        "any format is a tree, named by the Content-Type or told by the body",
        arguments: [
            ("a: 1\nb: [x, y]\n", "application/yaml", "$.b[1]", "y"),
            ("name,age\nAda,36\n", "text/csv", "$[0].age", "36"),
            ("a=1&b=2", "application/x-www-form-urlencoded", "$.b", "2"),
            ("<p>hi</p>", "text/html", "$..p", "hi"),
            (#"{"a":"x"}"#, nil, "$.a", "x"),
            ("<a>x</a>", nil, "$.a", "x"),
        ] as [(String, String?, String, String)]
    )
    func formats(text: String, type: String?, path: String, value: String) throws {
        let tree = try Response.make(text, type: type).value(using: .document)
        #expect(try JSON(document: tree.document).at(path: path).stringValue == value)
    }

    @Test("a format of one's choice goes before the Content-Type")
    func chosen() throws {
        let tree = try Response.make("a: 1", type: "text/plain").value(using: .document(as: .yaml))
        #expect(JSON(document: tree.document)["a"].int == 1)
    }

    @Test("an empty body is an error of its own, broken JSON one with its place")
    func faults() {
        #expect(
            mappingError { () throws(ApusError) in try Response.make("").value(using: .xml) }?.code
                == 5008
        )
        let broken = mappingError { () throws(ApusError) in
            try Response.make("[1,").value(using: .document)
        }
        #expect(broken?.code == 5007)
        #expect(broken?.fault?.offset == 3)
    }
}
