import HTTPTypes
import Testing

@testable import Apus

/// Conditions of the caller's, and those that the cache adds.
struct ConditionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stored: [(String, String)]
        let request: [(String, String)]
        let status: Int

        init(
            _ name: String,
            _ stored: [(String, String)],
            _ request: [(String, String)],
            _ status: Int
        ) {
            testDescription = name
            self.stored = stored
            self.request = request
            self.status = status
        }
    }

    static let fresh: [Case] = [
        Case("the same tag", [("ETag", "\"a\"")], [("If-None-Match", "\"a\"")], 304),
        Case("another tag", [("ETag", "\"a\"")], [("If-None-Match", "\"b\"")], 200),
        Case("one of several", [("ETag", "\"a\"")], [("If-None-Match", "\"b\" ,\"a\"")], 304),
        Case(
            "on another line",
            [("ETag", "\"a\"")],
            [("If-None-Match", "\"b\""), ("If-None-Match", "\"a\"")],
            304
        ),
        Case("any", [("ETag", "\"a\"")], [("If-None-Match", "*")], 304),
        Case("a weak one of a strong", [("ETag", "\"a\"")], [("If-None-Match", "W/\"a\"")], 304),
        Case("a strong one of a weak", [("ETag", "W/\"a\"")], [("If-None-Match", "\"a\"")], 304),
        Case("both weak", [("ETag", "W/\"a\"")], [("If-None-Match", "W/\"a\"")], 304),
        Case("a comma inside", [("ETag", "\"a,b\"")], [("If-None-Match", "\"a,b\"")], 304),
        Case("a part of the tag", [("ETag", "\"a,b\"")], [("If-None-Match", "\"a\", \"b\"")], 200),
        Case("without quotes", [("ETag", "\"a\"")], [("If-None-Match", "a")], 200),
        Case("w in lower case", [("ETag", "\"a\"")], [("If-None-Match", "w/\"a\"")], 200),
        Case("no tag stored", [], [("If-None-Match", "\"a\"")], 200),
        Case(
            "the same date",
            [("Last-Modified", httpDate(-60))],
            [("If-Modified-Since", httpDate(-60))],
            304
        ),
        Case(
            "a later date",
            [("Last-Modified", httpDate(-60))],
            [("If-Modified-Since", httpDate(-50))],
            304
        ),
        Case(
            "an earlier date",
            [("Last-Modified", httpDate(-60))],
            [("If-Modified-Since", httpDate(-70))],
            200
        ),
        Case("no date", [("Last-Modified", httpDate(-60))], [("If-Modified-Since", "foo")], 200),
        Case(
            "Date for Last-Modified",
            [("Date", httpDate(0))],
            [("If-Modified-Since", httpDate(0))],
            304
        ),
        Case("before Date", [("Date", httpDate(0))], [("If-Modified-Since", httpDate(-1))], 200),
        Case(
            "the tag before the date",
            [("ETag", "\"a\""), ("Last-Modified", httpDate(-60))],
            [("If-None-Match", "\"b\""), ("If-Modified-Since", httpDate(0))],
            200
        ),
    ]

    @Test("a fresh response is measured by the caller's condition", arguments: fresh)
    func freshResponse(_ test: Case) {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=60")] + test.stored))
        #expect(cache.send(test.request, after: 1) == .cache)
        #expect(cache.answer?.status.code == test.status)
        #expect(cache.answer?.headerFields[.age] == "1")
    }

    @Test("the fields of a 304 are those that may have changed")
    func notModifiedFields() {
        var cache = CacheModel()
        let fields = [
            ("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("Content-Type", "a/b"),
            ("Content-Length", "10"), ("Last-Modified", httpDate(-9)), ("Vary", "Foo"),
        ]
        cache.send(response: .make(200, fields))
        cache.send([("If-None-Match", "\"a\"")])
        let names = Set(cache.answer?.headerFields.map(\.name.canonicalName) ?? [])
        #expect(names == ["cache-control", "etag", "vary", "date", "age"])
    }

    @Test(
        "a stale response is asked about with all its validators",
        arguments: [
            ([("ETag", "\"a\"")], "\"a\"", nil),
            ([("ETag", "W/\"a\"")], "W/\"a\"", nil),
            ([("ETag", "a")], "a", nil),
            ([("Last-Modified", httpDate(-60))], nil, httpDate(-60)),
            ([("ETag", "\"a\""), ("Last-Modified", httpDate(-60))], "\"a\"", httpDate(-60)),
        ] as [([(String, String)], String?, String?)]
    )
    func staleResponse(_ validators: [(String, String)], _ tag: String?, _ date: String?) {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=1")] + validators))
        #expect(cache.send(after: 2, response: .make(304)) == .validated)
        #expect(cache.sent?.headerFields[.ifNoneMatch] == tag)
        #expect(cache.sent?.headerFields[.ifModifiedSince] == date)
        #expect(cache.answer?.status == .ok)
    }

    @Test("the caller's tags and the stored ones are asked about together")
    func union() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")]))
        let source = cache.send(
            [("If-None-Match", "\"b\", \"a\"")],
            after: 2,
            response: .make(304, [("ETag", "\"a\"")])
        )
        #expect(source == .validated)
        #expect(cache.sent?.headerFields[.ifNoneMatch] == "\"a\", \"b\"")
        #expect(cache.answer?.status == .notModified)
    }

    @Test("a 304 for the stored version is a 200 for a caller who has another")
    func storedVersion() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")]))
        cache.send(
            [("If-None-Match", "\"b\"")],
            after: 2,
            response: .make(304, [("ETag", "\"a\"")])
        )
        #expect(cache.answer?.status == .ok)
    }

    @Test("a 304 for the caller's version is the caller's")
    func callersVersion() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")]))
        let source = cache.send(
            [("If-None-Match", "\"b\"")],
            after: 2,
            response: .make(304, [("ETag", "\"b\"")])
        )
        #expect(source == .origin)
        #expect(cache.answer?.status == .notModified)
        #expect(cache.stored.first?.fields.entityTag == EntityTag("\"a\""))
    }

    @Test("a 304 that does not say which version is asked for again")
    func unnamedVersion() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")]))
        cache.send([("If-None-Match", "\"b\"")], after: 2, response: .make(304))
        #expect(cache.decision?.outcome == .fetchAgain)
    }

    @Test(
        "conditions that the origin must judge go there as they are",
        arguments: [
            ("If-Match", "\"a\""), ("If-Unmodified-Since", httpDate(0)),
        ]
    )
    func forOrigin(_ name: String, _ value: String) {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]))
        #expect(cache.send([(name, value)]) == .origin)
        #expect(cache.sent == .make(.get, [(name, value)]))
        #expect(cache.decision?.rule == .preconditionForOrigin)
    }

    @Test("without a stored response the caller's condition goes to the origin as it is")
    func nothingStored() {
        var cache = CacheModel()
        #expect(cache.send([("If-None-Match", "\"a\"")], response: .make(304)) == .origin)
        #expect(cache.sent == .make(.get, [("If-None-Match", "\"a\"")]))
        #expect(cache.answer?.status == .notModified)
        #expect(cache.stored.isEmpty)
    }

    @Test("tags are the same strongly or weakly")
    func comparison() {
        let strong = EntityTag("\"1\"")
        let weak = EntityTag("W/\"1\"")
        #expect(strong.isStronglyEqual(to: strong) && strong.isWeaklyEqual(to: weak))
        #expect(!weak.isStronglyEqual(to: weak) && !strong.isStronglyEqual(to: weak))
        #expect(!EntityTag("1").isStronglyEqual(to: EntityTag("1")))
        #expect(!strong.isWeaklyEqual(to: EntityTag("\"2\"")))
    }
}
