import Documents
import Explorer
import FoundationEssentials
import Testing

@testable import TreeView

@Suite("Values that stand for something else")
struct DecodedValueTests {
    /// 2026-11-23 20:00:00 UTC, an hour later here.
    private let clock = WallClock(
        now: Date(timeIntervalSince1970: 1_795_464_000),
        zone: TimeZone(secondsFromGMT: 3600) ?? .gmt
    )

    private func lines(_ decoded: DecodedValue?) -> [String] {
        (decoded?.facts ?? []).map { fact in
            let line = fact.line(clock)
            return "\(line.name): \(line.text)"
        }
    }

    private func tree(_ decoded: DecodedValue?) -> String? {
        guard case .body(let body)? = decoded?.content, body.form == .tree else { return nil }
        return body.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a value is what it is",
        arguments: [
            ("hello", nil), ("", nil), ("12345", nil), ("deadbeef", nil), ("2026-11-23", "date"),
            ("2026-11-31", nil),
            ("checkout-service", nil), ("not://", nil), ("1.2.3", nil), ("a.b.c", nil),
            ("{broken", nil), ("{}", nil), ("00000000-0000-4000-8000-000000000000", nil),
            ("d41d8cd98f00b204e9800998ecf8427e", nil), ("AccountSettingsView", nil),
            ("SGVsbG8sIHdvcmxk", "base64"), ("SGVsbG8sIHdvcmxkIQ==", "base64"),
            ("iVBORw0KGgoAAAANSUhEUg==", "base64"), ("data:image/gif;base64,R0lGODlh", "base64"),
            ("{\"a\":1}", "JSON in a string"), (" [1,2]", "JSON in a string"),
            ("2026-11-23T12:00:00Z", "date"), ("2026-11-23T12:00:00.125+02:00", "date"),
            ("2026-13-23T12:00:00Z", nil), ("1795464000", "seconds since 1970"),
            ("1795464000123", "milliseconds since 1970"), ("0000000000", nil),
            ("https://a.example/b?c=d", "URL"), ("see https://a.example/b", nil),
        ] as [(String, String?)]
    )
    func recognises(text: String, name: String?) {
        #expect(DecodedValue(text, kind: .string, .engine)?.name == name)
    }

    @Test(
        "a time is said for here, for UTC, and from now",
        arguments: [
            ("1795453200", "17:00:00", "3 h ago"), ("1795464060000", "20:01:00", "in 1 min"),
            ("1795464000.000", "20:00:00", "just now"),
        ]
    )
    func times(number: String, time: String, distance: String) {
        let facts = lines(DecodedValue(number, kind: .decimal, .engine))
        #expect(facts.first?.hasPrefix("local: Mon 23 Nov 2026 ") == true)
        #expect(facts.first?.hasSuffix(", \(distance)") == true)
        #expect(facts.last == "UTC: Mon 23 Nov 2026 \(time) UTC")
    }

    @Test("a date has its own zone, and what stands behind the second is no matter")
    func dates() {
        let here = "local: Mon 23 Nov 2026 18:00:00 +01:00, 3 h ago"
        for text in [
            "2026-11-23T17:00:00Z", "2026-11-23t17:00:00z", "2026-11-23T19:00:00+02:00",
            "2026-11-23T17:00:00.987654Z", "2026-11-23 17:00:00Z",
        ] {
            #expect(lines(DecodedValue(text, kind: .string, .engine)).first == here, "\(text)")
        }
    }

    @Test(
        "a date without a time is a day, near or far by the calendar of the zone",
        arguments: [
            ("2026-11-23", "Mon 23 Nov 2026, today"), ("2026-11-24", "Tue 24 Nov 2026, tomorrow"),
            ("2026-11-22", "Sun 22 Nov 2026, yesterday"), ("2026-12-03", "Thu 3 Dec 2026, in 10 d"),
            ("1999-12-31", "Fri 31 Dec 1999, 9,824 d ago"),
        ]
    )
    func days(text: String, line: String) {
        #expect(lines(DecodedValue(text, kind: .string, .engine)) == ["day: \(line)"])
    }

    @Test("a token is a tree of header and claims, its end in words; its signature is not judged")
    func token() throws {
        let header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
        // {"sub":"ada","iat":1795460400,"exp":1795467600}
        let claims = "eyJzdWIiOiJhZGEiLCJpYXQiOjE3OTU0NjA0MDAsImV4cCI6MTc5NTQ2NzYwMH0"
        let decoded = try #require(
            DecodedValue("\(header).\(claims).c2lnbmF0dXJl", kind: .string, .engine)
        )
        #expect(decoded.name == "JWT")
        #expect(
            tree(decoded)
                == #"{"header":{"alg":"HS256","typ":"JWT"},"#
                + #""claims":{"sub":"ada","iat":1795460400,"exp":1795467600}}"#
        )
        let facts = lines(decoded)
        #expect(facts.contains { $0.hasPrefix("expires: ") && $0.hasSuffix(", in 1 h") })
        #expect(facts.contains { $0.hasPrefix("issued: ") && $0.hasSuffix(", 1 h ago") })
        #expect(facts.contains("signature: HS256, not checked"))
        let open = DecodedValue("\(header).\(claims).", kind: .string, .engine)
        #expect(lines(open).last == "signature: none: anyone could have written this")
        let late = WallClock(now: clock.now.addingTimeInterval(86_400), zone: clock.zone)
        #expect(decoded.facts.first?.line(late).name == "expired")
    }

    @Test("a URL is its parts and its query by name; what is secret in it is masked")
    func url() {
        let text = "https://ada:pass@api.example:8443/a%20b?q=x+y&q=2&access_token=s3cr3t-value#top"
        let json = tree(DecodedValue(text, kind: .string, .engine)) ?? ""
        #expect(json.contains(#""host":"api.example","port":"8443","path":"/a b""#))
        #expect(json.contains(#""q":"x y","q":"2""#))
        #expect(json.contains(#""fragment":"top""#))
        #expect(!json.contains("pass") && !json.contains("s3cr3t"))
    }

    @Test("base64 is text, JSON, or bytes with what they are")
    func base64() {
        let text = DecodedValue("SGVsbG8sIHdvcmxkIQ==", kind: .string, .engine)
        guard case .text("Hello, world!")? = text?.content else {
            Issue.record("no text")
            return
        }
        #expect(lines(text) == ["holds: text, 13 B"])
        #expect(tree(DecodedValue("eyJhIjoxfQ==", kind: .string, .engine)) == #"{"a":1}"#)
        let image = DecodedValue("iVBORw0KGgoAAAANSUhEUg==", kind: .string, .engine)
        #expect(lines(image) == ["holds: PNG image, 16 B"])
        guard case .body(let body)? = image?.content else {
            Issue.record("no bytes")
            return
        }
        #expect(body.form == .hex)
    }

    // MARK: In the pane

    @Test("enter shows what a value stands for, t what is written; values in it open too")
    func inPane() async {
        let inner = #"{\"when\": 1795453200, \"next\": {\"x\": 1}}"#
        var play = await ViewerPlay("{\"message\": \"\(inner)\"}")
        await play.press("j enter")
        #expect(play.shows("JSON in a string"))
        #expect(play.shows("when"))
        await play.press("j enter")
        #expect(play.shows("seconds since 1970"))
        #expect(play.shows("3 h ago"))
        await play.press("escape")
        #expect(play.shows("JSON in a string"))
        await play.press("j space")
        #expect(play.shows("▸ next"))
        await play.press("t")
        #expect(play.shows("{\"when\": 1795453200"))
        await play.press("t escape")
        #expect(play.shows("message"))
        #expect(play.model.pane.wholeValue == nil)
    }

    @Test("what is decoded is copied as it is seen")
    func copies() async {
        var play = await ViewerPlay(#"["SGVsbG8sIHdvcmxkIQ=="]"#)
        await play.press("j enter y")
        #expect(play.copied == "Hello, world!")
        await play.press("t y")
        #expect(play.copied == "SGVsbG8sIHdvcmxkIQ==")
    }
}
