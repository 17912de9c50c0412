import Testing

@testable import Documents

@Suite struct FormatFormTests {
    @Test(
        "pairs are members in order, and a repeated name is an array at its first place",
        arguments: [
            ("", "{}"), ("a=1", #"{"a":"1"}"#), ("a=1&b=2&a=3", #"{"a":["1","3"],"b":"2"}"#),
            ("a", #"{"a":null}"#), ("a=", #"{"a":""}"#), ("=x", #"{"":"x"}"#),
            ("&&a=1&", #"{"a":"1"}"#), ("a=b=c", #"{"a":"b=c"}"#),
            ("a%5Bb%5D[]=1+2%2B3", #"{"a[b][]":"1 2+3"}"#), ("?q=%E2%82%AC", #"{"q":"€"}"#),
            ("a=1\r\n", #"{"a":"1"}"#), ("a=\"\\\n=", #"{"a":"\"\\\n="}"#),
            ("x=%FF", #"{"x":"\#u{FFFD}"}"#), ("%61=1&a=2", #"{"a":["1","2"]}"#),
        ]
    )
    func readsPairs(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .form)
        #expect(opened.json == json)
        #expect(opened.faults == [])
        #expect(FormattedDocument.make(text, as: .query).json == json)
    }

    @Test(
        "a percent sign without two digits stays, and is a fault",
        arguments: [("a=%", "1:3"), ("a=1&b=%4", "1:7"), ("a=\n%zz", "2:1")]
    )
    func keepsBadEscapes(text: String, place: String) {
        let opened = FormattedDocument.make(text, as: .form)
        #expect(opened.json.contains("%"))
        #expect(opened.faultTexts == [place + " % must be followed by two hexadecimal digits"])
    }

    @Test("a value knows where its pair is")
    func knowsPlaces() {
        let opened = FormattedDocument.make("a=1&b=2\n&a=3", as: .form)
        #expect(opened.document.allNodes.map { opened.offset(of: $0) } == [nil, 0, 0, 9, 4])
        #expect(opened.position(of: NodeIndex(3)) == TextPosition(line: 2, column: 2))
    }
}
