import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// From request to answer through the private cache: what is reused, and what not.
struct ReuseFlowTests {
    @Test(
        "a fresh response is reused, wherever it is kept",
        arguments: [CachePolicy.Storage.memory, .disk, .memoryAndDisk]
    )
    func fresh(storage: CachePolicy.Storage) async throws {
        let bench = try HTTPBench([.max60], policy: .http(in: storage))
        try await bench.get()
        let second = try await bench.get(after: 30)
        #expect(bench.askedCount == 1)
        #expect(second.isCached && second.text == "body" && second.status == 200)
        #expect(second.value("Age") == "30")
        #expect(second.decision?.rule == .fresh)
    }

    @Test("a stale response without validator is fetched anew and replaced")
    func stale() async throws {
        let bench = try HTTPBench([.max60, .ok([("Cache-Control", "max-age=60")], body: "new")])
        try await bench.get()
        #expect(try await bench.get(after: 61).text == "new")
        #expect(try await bench.get(after: 1).text == "new")
        #expect(bench.askedCount == 2)
        #expect(bench.lastAsked?.value("If-None-Match") == nil)
        await bench.bench.cache.flush()
        #expect(await bench.bench.cache.entries().count == 1)
    }

    @Test("what was stored is there for another process, and in this one once it has left memory")
    func onDisk() async throws {
        let bench = try HTTPBench([.max60], memoryCountLimit: 0)
        try await bench.get()
        #expect(try await bench.get().source.isDisk)
        await bench.bench.cache.flush()
        let other = try HTTPBench(folder: bench.bench.folder)
        let response = try await other.get()
        #expect(response.source.isDisk && response.text == "body")
        #expect(other.askedCount == 0)
        #expect(try await other.get().source.isMemory)
    }

    @Test(
        "every final status with an explicit lifetime is reused",
        arguments: [
            200, 201, 202, 203, 204, 205, 299, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403,
            404, 405, 406, 410, 414, 418, 450, 499, 500, 501, 502, 503, 504, 505, 599,
        ]
    )
    func statuses(status: Int) async throws {
        let step = OriginStep.status(status, [("Cache-Control", "max-age=60")])
        let bench = try HTTPBench([step])
        try await bench.get()
        let second = try await bench.get(after: 10)
        #expect(second.status == status && second.isCached && bench.askedCount == 1)
    }

    @Test(
        "without a lifetime, a tenth of the time since the change counts for some statuses",
        arguments: [
            (200, true), (203, true), (204, true), (300, true), (301, true), (308, true),
            (404, true), (405, true), (410, true), (414, true), (501, true), (201, false),
            (202, false), (302, false), (303, false), (307, false), (403, false), (500, false),
            (503, false), (599, false),
        ]
    )
    func heuristic(status: Int, isReused: Bool) async throws {
        let bench = try HTTPBench()
        let step = OriginStep.status(
            status,
            [("Last-Modified", bench.date(-10_000)), ("Date", bench.date())]
        )
        bench.script(step, step)
        try await bench.get()
        #expect(try await bench.get(after: 100).isCached == isReused)
    }

    @Test(
        "these responses are not reused without asking",
        arguments: [
            [("Cache-Control", "no-store")], [("Cache-Control", "max-age=60, no-store")],
            [("Cache-Control", "max-age=0")], [("Cache-Control", "max-age=60, No-Cache")],
            [("Cache-Control", "NO-STORE,max-age=60")], [("Expires", "0")],
            [("Cache-Control", "max-age=60"), ("Cache-Control", "no-store")],
            [("Cache-Control", "max-age=60"), ("Age", "60")],
            [("Vary", "*"), ("Cache-Control", "max-age=60")],
            [("Cache-Control", "max-age=-1")], [("Cache-Control", "max-age=1.5")],
            [("Cache-Control", "max-age")], [("Cache-Control", "max-age=60, max-age=0")],
            [], [("Cache-Control", "s-maxage=60")],
        ]
    )
    func notReused(fields: [(String, String)]) async throws {
        let bench = try HTTPBench([.ok(fields), .ok(fields, body: "new")])
        try await bench.get()
        #expect(try await bench.get(after: 1).text == "new")
        #expect(bench.askedCount == 2)
    }

    @Test(
        "these responses are reused",
        arguments: [
            [("Cache-Control", "max-age=3600")], [("Cache-Control", "MAX-AGE=3600")],
            [("Cache-Control", "max-age=\"3600\"")], [("Cache-Control", "  max-age=3600 ,, foo ")],
            [("Cache-Control", "max-age=99999999999999999999")],
            [("Cache-Control", "foo=\"no-store, bar\", max-age=3600")],
            [("Cache-Control", "private, max-age=3600")],
            [("Cache-Control", "private=\"Set-Cookie\", max-age=3600")],
            [("Cache-Control", "max-age=3600, s-maxage=0, proxy-revalidate")],
            [("Cache-Control", "max-age=3600"), ("Pragma", "no-cache")],
            [("Cache-Control", "max-age=3600"), ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")],
            [("Cache-Control", "max-age=3600"), ("CDN-Cache-Control", "no-store")],
            [("Cache-Control", "max-age=3600"), ("Surrogate-Control", "no-store")],
            [("Cache-Control", "max-age=3600"), ("Set-Cookie", "a=1")],
            [("Cache-Control", "max-age=3600"), ("Age", "abc")],
            [("Cache-Control", "max-age=3600, must-revalidate")],
            [("Cache-Control", "max-age=3600, must-understand, no-store")],
            [("Cache-Control", "max-age=3600, unknown=\"a b\"")],
            [("Cache-Control", "max-age=3600"), ("X-Any", "1")],
        ]
    )
    func reused(fields: [(String, String)]) async throws {
        let bench = try HTTPBench([.ok(fields)])
        try await bench.get()
        let second = try await bench.get(after: 5)
        #expect(second.isCached)
        for (name, value) in fields where name != "Age" {
            #expect(second.value(name)?.contains(value.trimming(" ")) == true)
        }
    }

    @Test("Expires counts from Date, and a missing Date from when it was received")
    func expires() async throws {
        let bench = try HTTPBench()
        bench.script(.ok([("Date", bench.date()), ("Expires", bench.date(60))]))
        try await bench.get()
        #expect(try await bench.get(after: 59).isCached)
        let later = try HTTPBench()
        later.script(.ok([("Expires", later.date(60))]), .ok())
        try await later.get()
        #expect(try await later.get(after: 59).isCached)
        #expect(try await !later.get(after: 2).isCached)
    }

    @Test("Age counts on in the cache, and the response says so")
    func age() async throws {
        let bench = try HTTPBench([.ok([("Cache-Control", "max-age=100"), ("Age", "30")])])
        try await bench.get()
        #expect(try await bench.get(after: 20).value("Age") == "50")
        bench.script(.ok())
        #expect(try await !bench.get(after: 50).isCached)
    }

    @Test("what a request says of the cache is heard")
    func requestDirectives() async throws {
        let bench = try HTTPBench([.max60, .max60, .max60, .max60, .max60, .max60])
        try await bench.get()
        #expect(
            try await bench.get("/a", [("Cache-Control", "no-cache")], after: 1).isCached == false
        )
        #expect(
            try await bench.get("/a", [("Cache-Control", "max-age=0")], after: 1).isCached == false
        )
        #expect(try await bench.get("/a", [("Cache-Control", "max-age=10")], after: 5).isCached)
        #expect(try await bench.get("/a", [("Cache-Control", "min-fresh=10")], after: 5).isCached)
        #expect(try await !bench.get("/a", [("Cache-Control", "min-fresh=100")]).isCached)
        #expect(try await bench.get("/a", [("Cache-Control", "max-stale=20")], after: 70).isCached)
        #expect(try await !bench.get("/a", [("Pragma", "no-cache")]).isCached)
    }

    @Test("only-if-cached is answered with what there is or 504, and never asks")
    func onlyIfCached() async throws {
        let bench = try HTTPBench([.max60])
        let none = try await bench.get("/a", [("Cache-Control", "only-if-cached")])
        #expect(none.status == 504 && none.source == .gateway && none.body.isEmpty)
        #expect(bench.askedCount == 0)
        try await bench.get()
        #expect(try await bench.get("/a", [("Cache-Control", "only-if-cached")]).status == 200)
        #expect(
            try await bench.get("/a", [("Cache-Control", "only-if-cached")], after: 99).status
                == 504
        )
        #expect(bench.askedCount == 1)
    }

    @Test("no-store in a request keeps the response out")
    func requestNoStore() async throws {
        let bench = try HTTPBench([.max60, .max60])
        try await bench.get("/a", [("Cache-Control", "no-store")])
        #expect(try await !bench.get().isCached)
    }

    @Test("HEAD is answered from a stored GET, without a body")
    func head() async throws {
        let bench = try HTTPBench([.ok([("Cache-Control", "max-age=60"), ("X-Any", "1")])])
        try await bench.get()
        let head = try await bench.get(method: .head, after: 1)
        #expect(head.isCached && head.body.isEmpty && head.value("X-Any") == "1")
    }

    @Test(
        "responses to HEAD, PUT and other methods are not stored",
        arguments: [
            HTTPRequest.Method.head, .put, .delete, .options, .patch, .post,
        ]
    )
    func otherMethods(method: HTTPRequest.Method) async throws {
        let bench = try HTTPBench([.max60, .max60])
        try await bench.get(method: method)
        #expect(try await !bench.get().isCached)
    }

    @Test("POST with a lifetime and its own Content-Location serves a later GET")
    func post() async throws {
        let bench = try HTTPBench([
            .ok([("Cache-Control", "max-age=60"), ("Content-Location", "/a")], body: "posted")
        ])
        try await bench.get(method: .post)
        let second = try await bench.get()
        #expect(second.isCached && second.text == "posted")
    }

    @Test("the order of a query's pairs tells URLs apart, and so does the scheme")
    func urls() async throws {
        let bench = try HTTPBench([.max60, .max60, .max60])
        try await bench.get("/a?b=1&a=2")
        #expect(try await !bench.get("/a?a=2&b=1").isCached)
        #expect(try await bench.get("/a?b=1&a=2").isCached)
        #expect(try await !bench.get("http://example.com/a?b=1&a=2").isCached)
    }

    @Test("a response that one account got is not given to another")
    func accounts() async throws {
        let bench = try HTTPBench([.max60, .ok([("Cache-Control", "max-age=60")], body: "bob's")])
        try await bench.get("/a", [("Authorization", "Bearer ada")])
        #expect(try await bench.get("/a", [("Authorization", "Bearer ada")]).isCached)
        #expect(try await bench.get("/a", [("Authorization", "Bearer bob")]).text == "bob's")
        #expect(try await bench.get("/a", [("Authorization", "Bearer ada")]).text == "body")
        #expect(bench.askedCount == 2)
    }

    @Test("a response that was cut short is delivered and not stored")
    func incomplete() async throws {
        var cut = OriginStep.max60
        cut.isComplete = false
        let bench = try HTTPBench([cut, .max60])
        try await bench.get()
        #expect(try await !bench.get().isCached)
    }
}

extension String {
    fileprivate func trimming(_ character: Character) -> String {
        var text = Substring(self)
        while text.first == character { text.removeFirst() }
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
