import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// What the request's own directives do to a stored response.
struct RequestDirectiveTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let request: (String, String)
        /// The stored response's `Cache-Control`.
        let response: String
        let pause: Double
        let source: CacheModel.Source
        let rule: CacheRule

        var testDescription: String { "\(request.1) on \(response) after \(pause) s" }

        init(
            _ request: String,
            _ response: String,
            _ pause: Double,
            _ source: CacheModel.Source,
            _ rule: CacheRule,
            name: String = "Cache-Control"
        ) {
            self.request = (name, request)
            self.response = response
            self.pause = pause
            self.source = source
            self.rule = rule
        }
    }

    static let cases: [Case] = [
        Case("max-age=0", "max-age=60", 1, .validated, .requestMaxAge),
        Case("max-age=0", "max-age=60", 0, .validated, .requestMaxAge),
        Case("max-age=10", "max-age=60", 10, .cache, .fresh),
        Case("max-age=10", "max-age=60", 11, .validated, .requestMaxAge),
        Case("max-age=x", "max-age=60", 1, .validated, .requestMaxAge),
        Case("max-age=100", "max-age=60", 70, .validated, .stale),
        Case("max-age=100, max-stale=20", "max-age=60", 70, .cache, .maxStale),
        Case("max-age=65, max-stale=20", "max-age=60", 70, .validated, .requestMaxAge),
        Case("max-stale", "max-age=60", 1e6, .cache, .maxStale),
        Case("max-stale=10", "max-age=60", 70, .cache, .maxStale),
        Case("max-stale=10", "max-age=60", 71, .validated, .stale),
        Case("max-stale=x", "max-age=60", 70, .validated, .stale),
        Case("max-stale", "max-age=60, must-revalidate", 70, .validated, .mustRevalidate),
        Case("max-stale", "max-age=60, proxy-revalidate", 70, .cache, .maxStale),
        Case("max-stale", "max-age=60, no-cache", 70, .validated, .responseNoCache),
        Case("min-fresh=50", "max-age=60", 10, .cache, .fresh),
        Case("min-fresh=50", "max-age=60", 11, .validated, .minFresh),
        Case("min-fresh=x", "max-age=60", 1, .validated, .minFresh),
        Case("no-cache", "max-age=60", 1, .validated, .requestNoCache),
        Case("NO-CACHE", "max-age=60, immutable", 1, .validated, .requestNoCache),
        Case("no-store", "max-age=60", 1, .cache, .fresh),
        Case("only-if-cached", "max-age=60", 1, .cache, .fresh),
        Case("only-if-cached", "max-age=60", 70, .gatewayTimeout, .onlyIfCached),
        Case("only-if-cached, no-cache", "max-age=60", 1, .gatewayTimeout, .onlyIfCached),
        Case("only-if-cached, max-stale", "max-age=60", 70, .cache, .maxStale),
        Case("max-age=0", "max-age=60, immutable", 1, .cache, .immutable),
        Case("max-age=0", "max-age=60, immutable", 70, .validated, .requestMaxAge),
        Case("foo", "max-age=60", 1, .cache, .fresh),
        Case("no-cache", "max-age=60", 1, .validated, .pragmaNoCache, name: "Pragma"),
        Case("foo", "max-age=60", 1, .cache, .fresh, name: "Pragma"),
        Case("foo", "no-cache, max-age=60", 1, .validated, .responseNoCache),
        Case("foo", "max-age=60, must-revalidate", 1, .cache, .fresh),
        Case("foo", "max-age=60, must-revalidate", 61, .validated, .mustRevalidate),
        Case("foo", "max-age=60, proxy-revalidate", 61, .validated, .stale),
        Case(
            "foo",
            "max-age=60, stale-while-revalidate=10",
            61,
            .cacheAndBackground,
            .staleWhileRevalidate
        ),
        Case("foo", "max-age=60, stale-while-revalidate=10", 71, .validated, .stale),
        Case("foo", "max-age=60, stale-while-revalidate=0", 60, .validated, .stale),
        Case("foo", "max-age=60, stale-while-revalidate", 61, .validated, .stale),
        Case(
            "foo",
            "max-age=60, stale-while-revalidate=10, must-revalidate",
            61,
            .validated,
            .mustRevalidate
        ),
        Case("max-age=90", "max-age=60, stale-while-revalidate=10", 61, .validated, .stale),
        Case("no-cache", "max-age=60, stale-while-revalidate=10", 61, .validated, .requestNoCache),
    ]

    @Test("the request says what it takes", arguments: cases)
    func directive(_ test: Case) {
        var cache = CacheModel()
        let fields = [("Cache-Control", test.response), ("ETag", "\"a\"")]
        cache.send(response: .make(200, fields))
        let request = HTTPRequest.make(.get, [test.request])
        let plan = cache.rules.reuse(of: cache.stored, for: request, at: cache.now + test.pause)
        #expect(plan.decision.rule == test.rule)
        let source = cache.send([test.request], after: test.pause, response: .make(304))
        #expect(source == test.source)
    }

    @Test("Pragma does not count beside Cache-Control")
    func pragmaAndCacheControl() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=60")]))
        #expect(cache.send([("Pragma", "no-cache"), ("Cache-Control", "max-age=9")]) == .cache)
    }

    @Test("a response's Pragma means nothing")
    func responsePragma() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=60"), ("Pragma", "no-cache")]))
        #expect(cache.send() == .cache)
    }

    @Test("an empty cache cannot answer only-if-cached, whatever the method")
    func onlyIfCachedMiss() {
        var cache = CacheModel()
        #expect(cache.send([("Cache-Control", "only-if-cached")]) == .gatewayTimeout)
        #expect(cache.send([("Cache-Control", "only-if-cached")], method: .head) == .gatewayTimeout)
    }

    @Test("a credential or a cookie does not matter to a private cache")
    func credentials() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")]
        cache.send([("Authorization", "Basic x")], response: .make(200, fields))
        #expect(cache.send([("Authorization", "Basic y"), ("Cookie", "a=b")], after: 1) == .cache)
    }
}
