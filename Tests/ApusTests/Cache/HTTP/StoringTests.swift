import HTTPTypes
import Testing

@testable import Apus

struct StoringTests {
    private func plan(
        _ fields: [(String, String)],
        status: Int = 200,
        request: HTTPRequest = .make(),
        isComplete: Bool = true
    ) -> StoragePlan {
        HTTPCacheRules().storing(
            .make(status, fields),
            to: request,
            length: 10,
            isComplete: isComplete,
            requestTime: CacheModel.start,
            responseTime: CacheModel.start
        )
    }

    @Test(
        "a response is stored or not, for a reason",
        arguments: [
            ([("Cache-Control", "max-age=60")], 200, .explicitlyCacheable),
            ([("Cache-Control", "private"), ("ETag", "\"a\"")], 499, .explicitlyCacheable),
            ([("Expires", "0"), ("ETag", "\"a\"")], 499, .explicitlyCacheable),
            ([("ETag", "\"a\"")], 200, .heuristicallyCacheable),
            ([("ETag", "\"a\"")], 201, .notCacheable),
            ([("Cache-Control", "no-store, max-age=60")], 200, .responseNoStore),
            ([("Cache-Control", "No-StOrE"), ("Expires", httpDate(60))], 200, .responseNoStore),
            ([("Cache-Control", "no-cache, max-age=60")], 200, .neverUsable),
            ([("Cache-Control", "no-cache"), ("ETag", "\"a\"")], 200, .heuristicallyCacheable),
            ([("Cache-Control", "max-age=60"), ("Vary", "*")], 200, .variesOnEverything),
            ([("Cache-Control", "max-age=60")], 101, .statusNotFinal),
            ([("Cache-Control", "max-age=60")], 304, .notModifiedOnly),
            ([("Cache-Control", "max-age=60")], 206, .partialContent),
            ([], 200, .neverUsable),
        ] as [([(String, String)], Int, CacheRule)]
    )
    func reasons(_ fields: [(String, String)], _ status: Int, _ rule: CacheRule) {
        let plan = plan(fields, status: status)
        #expect(plan.decision.rule == rule)
        let isStored = [.explicitlyCacheable, .heuristicallyCacheable].contains(rule)
        #expect((plan.stored != nil) == isStored)
        #expect(plan.decision.outcome == (isStored ? .stored : .notStored))
    }

    @Test("a response that was cut short, or whose request says no-store, is not stored")
    func circumstances() {
        let fields = [("Cache-Control", "max-age=60")]
        #expect(plan(fields, isComplete: false).decision.rule == .incomplete)
        let request = HTTPRequest.make(.get, [("Cache-Control", "no-store")])
        #expect(plan(fields, request: request).decision.rule == .requestNoStore)
    }

    @Test(
        "all fields are stored but those of the connection and those that no-cache names",
        arguments: [
            ("Foo", true), ("Set-Cookie", true), ("Content-Type", true), ("Warning", true),
            ("Server", true), ("Clear-Site-Data", true), ("Listed", false), ("Also-Listed", false),
            ("Connection", false), ("Keep-Alive", false), ("Proxy-Authenticate", false),
            ("Proxy-Authentication-Info", false), ("Proxy-Authorization", false),
            ("Proxy-Connection", false), ("TE", false), ("Transfer-Encoding", false),
            ("Upgrade", false), ("Uncached", false), ("Too", false),
        ]
    )
    func fields(_ name: String, _ isStored: Bool) throws {
        let key = try #require(HTTPField.Name(name))
        var fields = [
            ("Cache-Control", "max-age=60, no-cache=\"Uncached, too\""),
            ("Connection", "Listed, also-listed, Cache-Control"),
        ]
        if name != "Connection" { fields.append((name, "x")) }
        let stored = try #require(plan(fields).stored)
        #expect(stored.fields.contains(key) == isStored)
        #expect(stored.fields.contains(.cacheControl))
    }

    @Test("a response without a date gets the time received, one with a date keeps it")
    func date() {
        let fields = [("Cache-Control", "max-age=60")]
        #expect(plan(fields).stored?.fields[.date] == httpDate(0))
        #expect(plan(fields + [("Date", "foo")]).stored?.fields[.date] == httpDate(0))
        let old = plan(fields + [("Date", httpDate(-5))])
        #expect(old.stored?.fields[.date] == httpDate(-5))
    }

    @Test("a reused response has its Age, and its own Date")
    func reusedFields() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60"), ("Date", httpDate(-5)), ("Age", "7")]
        cache.send(response: .make(200, fields))
        cache.send(after: 3)
        #expect(cache.answer?.headerFields[.age] == "10")
        #expect(cache.answer?.headerFields[.date] == httpDate(-5))
        #expect(cache.answer?.headerFields[.cacheControl] == "max-age=60")
    }
}
