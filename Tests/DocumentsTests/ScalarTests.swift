import Testing

@testable import Documents

@Suite("Small texts: escapes of URLs, names that were meant")
struct ScalarTests {
    @Test(
        "a percent-encoded text is decoded, a broken escape is left as it is",
        arguments: [("a%20b", "a b"), ("%C3%A9", "é"), ("%", "%"), ("%G0", "%G0"), ("%FF", nil)]
    )
    func percent(_ text: String, _ meaning: String?) {
        #expect(PercentEncoding.decoded(text) == meaning)
    }

    @Test("what is percent-encoded is decoded to itself", arguments: ["a b&c=d", "é/?#", "~-._"])
    func percentRoundTrip(_ text: String) {
        #expect(PercentEncoding.decoded(PercentEncoding.component(text)) == text)
    }

    @Test("texts are as far apart as the letters that differ, a swap is one")
    func distance() {
        #expect(Suggestion.distance("/ordres", "/orders") == 1)
        #expect(Suggestion.distance("/odres", "/orders") == 2)
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance("same", "same") == 0)
    }
}
