import HTTPTypes
import Testing

@testable import Apus

/// Methods: who is answered, what is stored, what is invalidated.
struct MethodTests {
    static let fresh = [("Cache-Control", "max-age=60")]

    @Test(
        "other methods go to the origin, and unsafe ones end what is stored",
        arguments: [
            ("POST", 200, true), ("PUT", 201, true), ("DELETE", 204, true), ("PATCH", 303, true),
            ("M-SEARCH", 200, true), ("POST", 404, false), ("POST", 500, false),
            ("OPTIONS", 200, false), ("TRACE", 200, false), ("PUT", 302, true),
            ("DELETE", 412, false),
        ]
    )
    func unsafe(_ name: String, _ status: Int, _ isInvalidated: Bool) throws {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.fresh))
        let method = try #require(HTTPRequest.Method(rawValue: name))
        #expect(cache.send(method: method, response: .make(status)) == .origin)
        #expect(cache.send(after: 1) == (isInvalidated ? .origin : .cache))
    }

    @Test(
        "what Location and Content-Location name of the same origin is invalidated, too",
        arguments: [
            ("/b", "https://example.com:443/b"), ("b?c=%20d", "https://example.com:443/b?c=%20d"),
            ("https://EXAMPLE.com/b", "https://example.com:443/b"),
            ("//example.com:443/b", "https://example.com:443/b"),
            ("https://example.org/b", nil), ("http://example.com/b", nil),
            ("https://example.com:8443/b", nil), ("/a", nil), ("", nil),
        ] as [(String, String?)]
    )
    func locations(_ reference: String, _ target: String?) {
        for name in ["Location", "Content-Location"] {
            let plan = HTTPCacheRules().invalidation(
                by: .make(201, [(name, reference)]),
                to: .make(.post)
            )
            #expect(plan.isInvalidating)
            #expect(plan.others.map(\.text) == (target.map { [$0] } ?? []))
        }
    }

    @Test(
        "a response to POST serves GET if it says so and for how long",
        arguments: [
            ([("Cache-Control", "max-age=60"), ("Content-Location", "/a")], true),
            ([("Expires", httpDate(60)), ("Content-Location", CacheModel.url)], true),
            ([("Cache-Control", "max-age=60"), ("Content-Location", "/b")], false),
            ([("Cache-Control", "max-age=60")], false),
            ([("Last-Modified", httpDate(-1e5)), ("Content-Location", "/a")], false),
        ] as [([(String, String)], Bool)]
    )
    func post(_ fields: [(String, String)], _ isReused: Bool) {
        var cache = CacheModel()
        cache.send(method: .post, response: .make(200, fields))
        #expect(cache.send(after: 1) == (isReused ? .cache : .origin))
        #expect(cache.send(method: .post, after: 1) == .origin)
    }

    @Test("a stored response to GET answers HEAD")
    func head() {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.fresh))
        #expect(cache.send(method: .head, after: 1) == .cache)
    }

    @Test("a response to HEAD is not stored for GET")
    func headFirst() {
        var cache = CacheModel()
        cache.send(method: .head, response: .make(200, Self.fresh))
        #expect(cache.send(after: 1) == .origin)
    }

    @Test(
        "a response to HEAD updates what it agrees with and outdates the rest",
        arguments: [
            ([("ETag", "\"a\"")], true), ([], true), ([("ETag", "\"b\"")], false),
            ([("Content-Length", "10")], true), ([("Content-Length", "11")], false),
            ([("Last-Modified", "x")], false), ([("ETag", "W/\"a\"")], false),
        ] as [([(String, String)], Bool)]
    )
    func headUpdate(_ fields: [(String, String)], _ isSame: Bool) {
        var cache = CacheModel()
        let stored = [("Cache-Control", "max-age=2"), ("ETag", "\"a\""), ("Content-Length", "10")]
        cache.send(response: .make(200, stored))
        let response = HTTPResponse.make(200, Self.fresh + fields)
        #expect(cache.send(method: .head, after: 3, response: response) == .origin)
        #expect(cache.send(after: 1, response: .make(304)) == (isSame ? .cache : .validated))
    }

    @Test("an error to HEAD changes nothing")
    func headError() {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.fresh))
        cache.send([("Cache-Control", "no-cache")], method: .head, response: .make(503))
        #expect(cache.send(after: 1) == .cache)
    }
}
