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
        "a percent sign without two digits stays, and nothing is a fault",
        arguments: [
            ("a=%", #"{"a":"%"}"#), ("a=1&b=%4", #"{"a":"1","b":"%4"}"#),
            ("a=\n%zz", #"{"a":"\n%zz"}"#), ("%=%%41", #"{"%":"%A"}"#), ("%4%41", #"{"%4A":null}"#),
            ("a=100%&b=%e4%b8", #"{"a":"100%","b":"\#u{FFFD}"}"#),
        ]
    )
    func keepsBadEscapes(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .form)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test("a byte order mark belongs to the first name, written or escaped")
    func keepsMark() {
        let json = "{\"\u{FEFF}a\":\"\u{FEFF}\"}"
        for text in ["\u{FEFF}a=\u{FEFF}", "%EF%BB%BFa=%EF%BB%BF"] {
            #expect(FormattedDocument.make(text, as: .form).json == json)
        }
    }

    @Test("a value knows where its pair is")
    func knowsPlaces() {
        let opened = FormattedDocument.make("a=1&b=2\n&a=3", as: .form)
        #expect(opened.document.allNodes.map { opened.offset(of: $0) } == [nil, 0, 0, 9, 4])
        #expect(opened.position(of: NodeIndex(3)) == TextPosition(line: 2, column: 2))
    }
}
