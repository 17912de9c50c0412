import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// What the origin's response does to what is stored.
struct ValidationTests {
    static let stale = [
        ("Cache-Control", "max-age=1"), ("ETag", "\"a\""), ("Foo", "old"), ("Content-Length", "10"),
        ("Content-Type", "a/b"), ("Age", "100"), ("Date", httpDate(0)),
    ]

    /// A cache with a stale response that a 304 with these fields has confirmed.
    private func updated(_ fields: [(String, String)]) -> CacheModel {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.stale))
        #expect(cache.send(after: 200, response: .make(304, fields)) == .validated)
        return cache
    }

    @Test(
        "a 304 changes the stored fields and adds new ones",
        arguments: [
            ("Foo", "new"), ("Bar", "new"), ("Content-Type", "c/d"), ("Expires", "new"),
            ("Set-Cookie", "a=b"), ("Content-Security-Policy", "x"), ("Last-Modified", "x"),
            ("Content-Location", "/x"), ("X-Frame-Options", "DENY"),
        ]
    )
    func updates(_ name: String, _ value: String) {
        let cache = updated([(name, value), ("ETag", "\"a\"")])
        let key = HTTPField.Name(name)
        #expect(key.map { cache.answer?.headerFields[values: $0] } == [value])
        #expect(key.map { cache.stored.first?.fields[values: $0] } == [value])
    }

    @Test(
        "a 304 does not change what the stored bytes depend on, nor what is never stored",
        arguments: [
            ("Content-Length", "11"), ("Content-Encoding", "gzip"),
            ("Content-Range", "bytes 0-1/2"),
            ("Connection", "x"), ("Keep-Alive", "x"), ("Proxy-Authenticate", "x"),
            ("Transfer-Encoding", "chunked"), ("Upgrade", "x"), ("Proxy-Connection", "x"),
        ]
    )
    func keeps(_ name: String, _ value: String) {
        let cache = updated([(name, value)])
        let key = HTTPField.Name(name)
        #expect(key.map { cache.stored.first?.fields[values: $0].contains(value) } == false)
        #expect(cache.stored.first?.fields[.contentLength] == "10")
    }

    @Test("several lines take the place of several")
    func lines() {
        let cache = updated([("Foo", "1"), ("Foo", "2")])
        let foo = HTTPField.Name("Foo")
        #expect(foo.map { cache.stored[0].fields[values: $0] } == ["1", "2"])
    }

    @Test("a 304 that adds more fields than there may be is used, and not stored")
    func tooManyFields() throws {
        func fields(_ name: String) throws -> HTTPFields {
            let name = try #require(HTTPField.Name(name))
            return HTTPFields(Array(repeating: HTTPField(name: name, value: "a"), count: 40_000))
        }
        let merged = StorableFields.merged(
            try fields("X-Old"),
            with: try fields("X-New"),
            receivedAt: Date()
        )
        #expect(merged == nil)
    }

    @Test("after a 304 the age begins anew")
    func age() {
        var cache = updated([("Cache-Control", "max-age=60")])
        #expect(cache.answer?.headerFields[.age] == "0")
        #expect(cache.send(after: 50) == .cache)
        #expect(cache.answer?.headerFields[.age] == "50")
        #expect(cache.send(after: 11, response: .make(304)) == .validated)
    }

    @Test("a 304 changes the directives, too")
    func directives() {
        let cache = updated([("Cache-Control", "no-cache")])
        #expect(cache.stored.first.map { CacheControl($0.fields).isNoCache } == true)
    }

    @Test(
        "after a 304 with no-store nothing is stored any more",
        arguments: [
            ("no-store", true), ("no-store, max-age=600", true), ("max-age=600", false),
            ("must-understand, no-store, max-age=600", false),
        ]
    )
    func noStore(_ control: String, _ isGone: Bool) {
        let cache = updated([("Cache-Control", control), ("Foo", "new")])
        #expect(cache.stored.isEmpty == isGone)
        #expect(cache.answer?.status == .ok)
        #expect(cache.answer?.headerFields[.cacheControl] == control)
        #expect(cache.decision?.rule == (isGone ? .responseNoStore : .notModified))
    }

    @Test("a request with no-store is answered by a 304, of which nothing is stored")
    func requestNoStore() {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.stale))
        let stored = cache.stored
        let update = HTTPResponse.make(304, [("Cache-Control", "max-age=600"), ("ETag", "\"a\"")])
        #expect(
            cache.send([("Cache-Control", "no-store")], after: 200, response: update) == .validated
        )
        #expect(cache.stored == stored)
        #expect(cache.answer?.headerFields[.cacheControl] == "max-age=600")
    }

    @Test(
        "a 304 about another version confirms nothing",
        arguments: ["\"b\"", "W/\"b\""]
    )
    func otherVersion(_ tag: String) {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.stale))
        #expect(cache.send(after: 200, response: .make(304, [("ETag", tag)])) == .origin)
        #expect(cache.decision?.outcome == .fetchAgain)
    }

    @Test("a 304 without a validator is about the one version asked about")
    func noValidator() {
        #expect(updated([]).decision?.outcome == .updated)
    }

    @Test("a strong tag confirms all with it, a weak one only the most recent")
    func selection() {
        let heads: [StoredHead] = [
            .make(id: 1, [("ETag", "\"a\""), ("Date", httpDate(1))]),
            .make(id: 2, [("ETag", "\"a\""), ("Date", httpDate(2))]),
            .make(id: 3, [("ETag", "W/\"a\""), ("Date", httpDate(3))]),
            .make(id: 4, [("ETag", "\"b\""), ("Date", httpDate(4))]),
        ]
        let confirmed = { (tag: String) in
            NotModifiedSelection(
                HTTPFields(pairs: [("ETag", tag)]),
                among: heads,
                hasForeignTags: false,
                receivedAt: CacheModel.start
            ).confirmed.map(\.id)
        }
        #expect(confirmed("\"a\"") == [1, 2])
        #expect(confirmed("W/\"a\"") == [3])
        #expect(confirmed("\"c\"").isEmpty)
    }

    @Test("a full response takes the stored one's place")
    func replaced() {
        var cache = CacheModel()
        cache.send(response: .make(200, Self.stale))
        let new = [("Cache-Control", "max-age=60"), ("ETag", "\"b\"")]
        #expect(cache.send(after: 200, response: .make(200, new)) == .origin)
        #expect(cache.stored.map(\.fields.entityTag) == [EntityTag("\"b\"")])
        #expect(cache.send(after: 1) == .cache)
    }

    @Test("a response that is not stored still ends the older one")
    func displaced() {
        var cache = CacheModel()
        cache.send(response: .make(200, [("Cache-Control", "max-age=60")]))
        let request = [("Cache-Control", "no-cache")]
        cache.send(request, response: .make(200, [("Cache-Control", "no-store")]))
        #expect(cache.stored.isEmpty)
    }

    @Test("a Vary that comes with a 304 binds the response to the fields of that request")
    func newVary() {
        var cache = CacheModel()
        cache.send([("Foo", "1")], response: .make(200, Self.stale))
        let fields = [("Vary", "Foo"), ("Cache-Control", "max-age=60")]
        cache.send([("Foo", "2")], after: 200, response: .make(304, fields))
        #expect(cache.send([("Foo", "2")], after: 1) == .cache)
        #expect(cache.send([("Foo", "1")], after: 1, response: .make(304)) == .validated)
        #expect(cache.send([], after: 1, response: .make(200)) == .origin)
    }

    @Test("a 304 without a tag and with another date confirms nothing")
    func otherDate() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=1"), ("Last-Modified", httpDate(-60))]
        cache.send(response: .make(200, fields))
        let other = HTTPResponse.make(304, [("Last-Modified", httpDate(-50))])
        #expect(cache.send(after: 2, response: other) == .origin)
        #expect(cache.decision?.outcome == .fetchAgain)
        let same = HTTPResponse.make(304, [("Last-Modified", httpDate(-60))])
        #expect(cache.send(after: 2, response: same) == .validated)
    }
}
