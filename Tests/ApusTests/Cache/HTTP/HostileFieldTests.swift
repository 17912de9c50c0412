import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// Whatever a server or a caller writes, there is a decision.
struct HostileFieldTests {
    private static let names = [
        "Age", "Cache-Control", "Connection", "Content-Length", "Content-Location", "Content-Range",
        "Date", "ETag", "Expires", "If-Modified-Since", "If-None-Match", "If-Range",
        "Last-Modified", "Location", "Pragma", "Range", "Vary",
    ]
    private static let pieces = [
        "\"", "\\", ",", "=", ";", " ", "\t", "*", "-", "/", "W/", "0", "9223372036854775807",
        "max-age", "no-cache", "no-store", "max-stale", "min-fresh", "stale-if-error", "bytes",
        "\u{e9}", "\u{1f600}", "http://", "GMT", ":", "Sun, 06 Nov 1994 08:49:37 GMT", "foo",
    ]

    private func fields(_ generator: inout SplitMix) -> [(String, String)] {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            let count = Int.random(in: 0...8, using: &generator)
            let value = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
            return (Self.names.randomElement(using: &generator) ?? "Age", value.joined())
        }
    }

    @Test("any field values come to a decision", arguments: 0..<20)
    func decisions(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        let methods: [HTTPRequest.Method] = [.get, .get, .get, .head, .post]
        var cache = CacheModel(rules: HTTPCacheRules(storesParts: true))
        for _ in 0..<200 {
            let status = [200, 200, 206, 304, 404, 503].randomElement(using: &generator) ?? 200
            let response = HTTPResponse.make(status, fields(&generator))
            cache.send(
                fields(&generator),
                method: methods.randomElement(using: &generator) ?? .get,
                after: Double.random(in: 0...50, using: &generator),
                response: Bool.random(using: &generator) ? response : nil
            )
            #expect(cache.decision?.description.isEmpty == false)
            #expect(Set(cache.stored.map(\.id)).count == cache.stored.count)
            if cache.stored.count > 20 { cache.stored = [] }
        }
    }
}

/// The members of a list are what its lines say, whatever its quotes.
struct ListMemberTests {
    @Test(
        "a quote that nothing ends is not taken for one, and no other one behind it",
        arguments: [
            (#"a="b, c", no-store"#, [#"a="b, c""#, "no-store"]),
            (#"a="b, no-store"#, [#"a="b"#, "no-store"]),
            (#"a="b\", c", no-store"#, [#"a="b\", c""#, "no-store"]),
            (#"a="b\", "c, d"#, [#"a="b\", "c"#, "d"]),
            (#"a="b\", c\", d"#, [#"a="b\""#, #"c\""#, "d"]),
            (#""\"\", a, b"#, [#""\"\""#, "a", "b"]),
        ]
    )
    func quotes(line: String, members: [String]) {
        #expect(FieldList([line]).members.map(String.init) == members)
    }

    @Test("a line of quotes that nothing ends is read in one go")
    func manyQuotes() {
        // Half a million of them: looking for the end of each would take hours.
        let quotes = String(repeating: #"\""#, count: 1 << 19)
        #expect(FieldList(["\"\(quotes), no-store"]).members.last == "no-store")
    }
}

/// Random numbers that a seed gives again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
