import Testing

@testable import Apus

struct ExpiresTests {
    @Test(
        "an Expires that cannot be read is in the past",
        arguments: [
            ("Thu, 18 Aug 2050 02:01:18 GMT", true), ("thu, 18 aug 2050 02:01:18 gmt", true),
            ("Thursday, 18-Aug-50 02:01:18 GMT", true), ("Thu Aug 18 02:01:18 2050", true),
            ("Thu, 18 Aug 2050 02:01:18 UTC", false), ("Thu, 18 Aug 2050 2:01:18 GMT", false),
            ("Thu 18 Aug 2050 02:01:18 GMT", false), ("0", false), ("", false),
            ("Thu, 18-Aug-2050 02:01:18 GMT", false),
        ]
    )
    func expires(_ value: String, _ isReused: Bool) {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Expires", value), ("Last-Modified", httpDate(-1e6))]))
        let expected: CacheModel.Source = isReused ? .cache : .validated
        #expect(cache.send(after: 3, response: .make(304)) == expected)
    }

    @Test("of two Expires lines the first counts")
    func lines() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Expires", httpDate(60)), ("Expires", httpDate(-60))]))
        #expect(cache.send(after: 3) == .cache)
    }
}
