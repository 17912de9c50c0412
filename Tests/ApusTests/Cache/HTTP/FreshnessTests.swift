import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// Whether a second request is answered from the cache, by the first response's fields.
struct FreshnessTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [(String, String)]
        var status = 200
        var pause = 3.0
        var isReused = true

        init(
            _ name: String,
            _ fields: [(String, String)],
            status: Int = 200,
            pause: Double = 3,
            reused: Bool = true
        ) {
            testDescription = name
            self.fields = fields
            self.status = status
            self.pause = pause
            isReused = reused
        }
    }

    static let lifetimes: [Case] = [
        Case("nothing", [], reused: false),
        Case("max-age", [("Cache-Control", "max-age=3600")]),
        Case("max-age that is over", [("Cache-Control", "max-age=2")], reused: false),
        Case("max-age that is just over", [("Cache-Control", "max-age=3")], reused: false),
        Case("max-age 0", [("Cache-Control", "max-age=0")], reused: false),
        Case("max-age and Age", [("Cache-Control", "max-age=3600"), ("Age", "1800")]),
        Case(
            "Age over max-age",
            [("Cache-Control", "max-age=3600"), ("Age", "7200")],
            reused: false
        ),
        Case(
            "max-age over a past Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", httpDate(-100))]
        ),
        Case(
            "max-age over an invalid Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "0")]
        ),
        Case(
            "max-age 0 over Expires",
            [("Cache-Control", "max-age=0"), ("Expires", httpDate(3600))],
            reused: false
        ),
        Case(
            "s-maxage is for shared caches",
            [("Cache-Control", "max-age=1, s-maxage=3600")],
            reused: false
        ),
        Case("s-maxage alone", [("Cache-Control", "s-maxage=3600")], reused: false),
        Case("s-maxage 0 does not count", [("Cache-Control", "s-maxage=0, max-age=3600")]),
        Case("private", [("Cache-Control", "private, max-age=3600")]),
        Case("private with a field", [("Cache-Control", "private=\"a\", max-age=3600")]),
        Case("Expires", [("Expires", httpDate(3600)), ("Date", httpDate(0))]),
        Case(
            "Expires in the past",
            [("Expires", httpDate(-3600)), ("Date", httpDate(0))],
            reused: false
        ),
        Case("Expires at Date", [("Expires", httpDate(0)), ("Date", httpDate(0))], reused: false),
        Case("Expires without Date", [("Expires", httpDate(3600))]),
        Case("Expires with an invalid Date", [("Expires", httpDate(3600)), ("Date", "foo")]),
        Case("Expires 0", [("Expires", "0")], reused: false),
        Case(
            "Expires and an old Date",
            [("Expires", httpDate(-10)), ("Date", httpDate(-7200))],
            reused: false
        ),
        Case(
            "an origin whose clock is behind",
            [("Expires", httpDate(-7200 + 20)), ("Date", httpDate(-7200))],
            reused: false
        ),
        Case(
            "an origin whose clock is ahead",
            [("Expires", httpDate(7200 + 20)), ("Date", httpDate(7200))]
        ),
        Case(
            "Age makes Expires stale",
            [("Expires", httpDate(3600)), ("Age", "7200")],
            reused: false
        ),
        Case(
            "an old Date makes max-age stale",
            [("Cache-Control", "max-age=60"), ("Date", httpDate(-100))],
            reused: false
        ),
        Case("Expires after 2038", [("Expires", "Thu, 18 Nov 2286 02:50:03 GMT")]),
    ]

    static let heuristics: [Case] =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map {
            Case("\($0) by Last-Modified", [("Last-Modified", httpDate(-1000))], status: $0)
        }
        + [201, 202, 302, 303, 307, 400, 403, 499, 500, 502, 503, 504, 599].map {
            Case(
                "\($0) by Last-Modified",
                [("Last-Modified", httpDate(-1e6))],
                status: $0,
                reused: false
            )
        }
        + [
            Case(
                "599 that is public",
                [("Last-Modified", httpDate(-1000)), ("Cache-Control", "public")],
                status: 599
            ),
            Case(
                "a tenth is over",
                [("Last-Modified", httpDate(-1000))],
                pause: 101,
                reused: false
            ),
            Case(
                "at most a day",
                [("Last-Modified", httpDate(-1e8))],
                pause: 86_401,
                reused: false
            ),
            Case("Last-Modified in the future", [("Last-Modified", httpDate(100))], reused: false),
            Case("an invalid Last-Modified", [("Last-Modified", "yesterday")], reused: false),
            Case(
                "max-age over Last-Modified",
                [("Last-Modified", httpDate(-1e6)), ("Cache-Control", "max-age=1")],
                reused: false
            ),
        ]

    static let statuses: [Case] =
        [
            200, 201, 202, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500,
            502, 503, 504, 599,
        ].flatMap {
            [
                Case("\($0) with max-age", [("Cache-Control", "max-age=60")], status: $0),
                Case(
                    "\($0) that is stale",
                    [("Cache-Control", "max-age=1")],
                    status: $0,
                    reused: false
                ),
            ]
        }
        + [
            Case(
                "206",
                [("Cache-Control", "max-age=60"), ("Content-Range", "bytes 0-1/10")],
                status: 206,
                reused: false
            ),
            Case("103", [("Cache-Control", "max-age=60")], status: 103, reused: false),
            Case("304 by itself", [("Cache-Control", "max-age=60")], status: 304, reused: false),
            Case(
                "an unknown status that must be understood",
                [("Cache-Control", "max-age=60, must-understand")],
                status: 499,
                reused: false
            ),
            Case(
                "a known one that must be understood",
                [("Cache-Control", "max-age=60, must-understand, no-store")]
            ),
            Case(
                "an unknown one with no-store and must-understand",
                [("Cache-Control", "max-age=60, no-store, must-understand")],
                status: 499,
                reused: false
            ),
        ]

    static let ageFields: [Case] = [
        ("7200", false), ("99999999999", false), ("2147483648", false), ("2147483647", false),
        ("abc", true), ("-7200", true), ("7200.0", true), ("7200a", true), ("a7200", true),
        ("7200;a=1", true), ("0, 7200", true), ("7200, 0", false), ("", true), ("0", true),
    ].map { value, isReused in
        Case(
            "Age: \(value)",
            [("Cache-Control", "max-age=3600"), ("Age", value)],
            reused: isReused
        )
    }

    static let lines: [Case] = [
        Case(
            "the first Age line",
            [("Cache-Control", "max-age=3600"), ("Age", "7200"), ("Age", "0")],
            reused: false
        ),
        Case(
            "not the second Age line",
            [("Cache-Control", "max-age=3600"), ("Age", "0"), ("Age", "7200")]
        ),
        Case(
            "directives over two lines",
            [("Cache-Control", "a"), ("Cache-Control", "max-age=3600")]
        ),
        Case(
            "no-store on the second line",
            [("Cache-Control", "max-age=3600"), ("Cache-Control", "no-store")],
            reused: false
        ),
    ]

    @Test(
        "a stored response is used as long as it is fresh",
        arguments: lifetimes + heuristics + statuses + ageFields + lines
    )
    func reuse(_ test: Case) {
        var cache = CacheModel()
        cache.send(response: .make(test.status, test.fields))
        #expect(cache.send(after: test.pause) == (test.isReused ? .cache : .origin))
    }

    @Test("the age is calculated step by step")
    func age() {
        var stored = StoredHead.make([("Age", "10"), ("Date", httpDate(-20))])
        stored.requestTime -= 4
        let age = ResponseAge(of: stored, at: CacheModel.start + 30)
        #expect(age.apparent == .seconds(20))
        #expect(age.responseDelay == .seconds(4))
        #expect(age.correctedInitial == .seconds(20))
        #expect(age.resident == .seconds(30))
        #expect(age.current == .seconds(50))
        #expect(age.fieldValue == "50")
    }

    @Test("a clock that is set back makes nothing younger than it was")
    func clockSetBack() {
        let age = ResponseAge(of: .make([("Age", "10")]), at: CacheModel.start - 1000)
        #expect(age.current == .seconds(10))
    }

    @Test("what came later than now is stale by more than any window allows")
    func future() {
        let stored = StoredHead.make([("Cache-Control", "max-age=2147483648")])
        for (seconds, isFresh) in [(0.0, true), (-0.5, true), (-2, false), (-1e9, false)] {
            let now = CacheModel.start + seconds
            let freshness = Freshness(of: stored, at: now, HTTPCacheRules())
            #expect(freshness.isFresh == isFresh)
            #expect((freshness.remaining > .zero) == isFresh)
            #expect(freshness.staleness == (isFresh ? .zero : DeltaSeconds.largest))
        }
    }
}
