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

    @Test("an event of very many fields is read in one go")
    func readsManyFields() {
        // Looking for equal names one by one would take ten thousand million comparisons.
        let names = (0..<100_000).map { "f\($0): \($0)\n" }
        let opened = FormattedDocument.make(names.joined(), as: .eventStream)
        #expect(opened.document.nodeCount == 100_002)
        #expect(opened.json.hasPrefix(#"[{"f0":"0","f1":"1""#))
    }

    @Test("very many lines that end in CR are read in one go")
    func readsCarriageReturns() {
        // Looking for an LF to the end of the text for each would take a million million looks.
        let text = String(repeating: "data: 1\r\r", count: 400_000)
        let opened = FormattedDocument.make(text, as: .eventStream)
        #expect(opened.document.nodeCount == 800_001)
        #expect(opened.faults == [])
    }

    @Test("CR, LF and both end a line, also one beside the other")
    func mixesLineEnds() {
        let opened = FormattedDocument.make(
            "data: a\rdata: b\ndata: c\r\ndata: d\r\rdata: e\n\ndata: f\r\n\r\ndata: g\r",
            as: .eventStream
        )
        #expect(
            opened.json
                == #"[{"data":"a\nb\nc\nd"},{"data":"e"},{"data":"f"},{"data":"g"}]"#
        )
    }

    @Test("what a reader keeps beside the JSON counts for the limit")
    func limitsWhatIsHeld() {
        var out = JSONConversion(.make("a: 1\n"))
        let stopsEarly = out.shouldStop(at: 0, holding: 1 << 20)
        let stops = out.shouldStop(at: 0, holding: 1 << 30)
        let transcript = out.finish()
        #expect(!stopsEarly && stops)
        #expect(transcript.faults.map(\.kind) == [.tooLarge])
    }
}
