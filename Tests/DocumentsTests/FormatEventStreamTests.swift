import Testing

@testable import Documents

@Suite struct FormatEventStreamTests {
    @Test(
        "events are objects, and data that is JSON is nested as it is written",
        arguments: [
            ("", "[]"), ("\n\n", "[]"), ("data: x\n\n", #"[{"data":"x"}]"#),
            ("data:x\n\ndata:  y\n\n", #"[{"data":"x"},{"data":" y"}]"#),
            ("data: {\"a\": 1.0}\n\n", #"[{"data":{"a":1.0}}]"#),
            ("data: {\ndata: \"a\":1}\n\n", #"[{"data":{"a":1}}]"#),
            ("data: a\ndata: b\n\n", #"[{"data":"a\nb"}]"#),
            ("data: [DONE]\n\n", #"[{"data":"[DONE]"}]"#),
            ("data: 12\n\ndata: 012\n\n", #"[{"data":12},{"data":"012"}]"#),
            (
                "event: add\nid: 7\nretry: 100\ndata: true\n\n",
                #"[{"event":"add","id":"7","retry":100,"data":true}]"#
            ),
            (": hi\n\n", #"[{"comment":"hi"}]"#), (":a\n:b\n\n", #"[{"comment":["a","b"]}]"#),
            ("data\n\nid\n\n", #"[{"data":""},{"id":""}]"#), ("x: y\n\n", #"[{"x":"y"}]"#),
            ("data: a\r\n\r\ndata: b\r\rdata: c", #"[{"data":"a"},{"data":"b"},{"data":"c"}]"#),
            ("\u{FEFF}data: x\n\n", #"[{"data":"x"}]"#),
            ("retry: soon\n\n", #"[{"retry":"soon"}]"#),
        ]
    )
    func readsEvents(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .eventStream)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test("an event knows its line")
    func knowsLines() {
        let opened = FormattedDocument.make("data: a\n\nid: 1\ndata: {}\n", as: .eventStream)
        let lines = opened.document.children(of: .root).map { opened.position(of: $0)?.line }
        #expect(lines == [1, 3])
    }
}
