import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// Several responses for one URL, and what takes them away.
struct VariantFlowTests {
    private static func varying(_ names: String, _ body: String) -> OriginStep {
        .ok([("Cache-Control", "max-age=600"), ("Vary", names)], body: body)
    }

    @Test(
        "variants stand side by side",
        arguments: [CachePolicy.Storage.memory, .disk, .memoryAndDisk]
    )
    func sideBySide(storage: CachePolicy.Storage) async throws {
        let bench = try HTTPBench(
            [
                Self.varying("X-Any", "one"), Self.varying("x-any", "two"),
                Self.varying("X-ANY", "none"),
            ],
            policy: .http(in: storage)
        )
        try await bench.get("/a", [("X-Any", "1")])
        try await bench.get("/a", [("X-Any", "2")])
        try await bench.get("/a")
        for (fields, body) in [([("X-Any", "1")], "one"), ([("X-Any", "2")], "two"), ([], "none")] {
            let response = try await bench.get("/a", fields)
            #expect(response.text == body && response.isCached)
        }
        #expect(bench.askedCount == 3)
        await bench.settled()
        #expect(await bench.bench.cache.entries().count == 3)
    }

    @Test(
        "fields are compared by their meaning, all of those that Vary names",
        arguments: [
            ("Accept-Language", "en, de", "EN,de", true), ("X-Any", "a, b", "a,b", true),
            ("X-Any", "a,b", "b,a", false), ("X-Any, X-Other", "1", "1", true),
            ("X-Any, X-Other", "1", "2", false),
        ]
    )
    func comparison(names: String, first: String, second: String, isSame: Bool) async throws {
        let name = names.contains("Accept") ? "Accept-Language" : "X-Any"
        let bench = try HTTPBench([Self.varying(names, "one"), Self.varying(names, "two")])
        try await bench.get("/a", [(name, first)])
        #expect(try await bench.get("/a", [(name, second)]).isCached == isSame)
    }

    @Test(
        "a URL has at most 32 variants, and the least recently used goes",
        arguments: [CachePolicy.Storage.memory, .disk, .memoryAndDisk]
    )
    func variantLimit(storage: CachePolicy.Storage) async throws {
        let steps = (0..<40).map { Self.varying("X-Any", "\($0)") }
        let bench = try HTTPBench(steps, policy: .http(in: storage))
        for number in 0..<40 {
            try await bench.get("/a", [("X-Any", "\(number)")], after: 1)
            if storage != .disk { try await bench.get("/a", [("X-Any", "0")], after: 1) }
        }
        await bench.settled()
        #expect(bench.askedCount == 40)
        let entries = await bench.bench.cache.entries()
        #expect(entries.count == 32)
        let gone = try await bench.get("/a", [("X-Any", "5")])
        #expect(gone.status == 299)
        for number in [39, 20] + (storage == .disk ? [] : [0]) {
            #expect(try await bench.get("/a", [("X-Any", "\(number)")]).isCached)
        }
    }

    @Test(
        "at most 8 tags and 4 KB of them are offered, the most recent ones",
        arguments: [(10, 8), (1500, 2), (80_000, 0)]
    )
    func offeredTags(length: Int, count: Int) async throws {
        let tags = (0..<12).map { "\"\($0)\(String(repeating: "t", count: length))\"" }
        let steps = tags.map {
            OriginStep.ok([("Cache-Control", "max-age=600"), ("Vary", "X-Any"), ("ETag", $0)])
        }
        let bench = try HTTPBench(steps + [.ok()])
        for number in 0..<12 { try await bench.get("/a", [("X-Any", "\(number)")], after: 1) }
        try await bench.get("/a", [("X-Any", "new")])
        let offered = bench.lastAsked?.value("If-None-Match")
        let expected = tags.reversed().prefix(count).joined(separator: ", ")
        #expect(offered == (count == 0 ? nil : expected))
        // A stale response whose tag is too long is asked for as if it had none.
        bench.script(.ok([], body: "new"))
        let asked = try await bench.get("/a", [("X-Any", "1"), ("Cache-Control", "no-cache")])
        #expect(asked.text == "new")
        #expect(
            (bench.lastAsked?.value("If-None-Match")?.hasPrefix(tags[1]) ?? false) == (count > 0)
        )
    }

    @Test("another variant's tag is offered, and a 304 binds it to this request, too")
    func offeredTag() async throws {
        let fields = [("Cache-Control", "max-age=600"), ("Vary", "X-Any"), ("ETag", "\"v1\"")]
        let bench = try HTTPBench([.ok(fields), .notModified(fields)])
        try await bench.get("/a", [("X-Any", "1")])
        #expect(try await bench.get("/a", [("X-Any", "2")]).text == "body")
        #expect(bench.lastAsked?.value("If-None-Match") == "\"v1\"")
        #expect(try await bench.get("/a", [("X-Any", "2")]).isCached)
        #expect(try await bench.get("/a", [("X-Any", "1")]).isCached)
        #expect(bench.askedCount == 2)
    }

    @Test(
        "an unsafe request that succeeds takes what is stored away",
        arguments: [
            (HTTPRequest.Method.post, 200, true), (.put, 201, true), (.delete, 204, true),
            (.patch, 302, true), (HTTPRequest.Method("M-FOO") ?? .post, 200, true),
            (.post, 400, false), (.post, 500, false), (.put, 404, false), (.options, 200, false),
        ]
    )
    func invalidation(method: HTTPRequest.Method, status: Int, isGone: Bool) async throws {
        let bench = try HTTPBench([.max60, .status(status), .max60])
        try await bench.get()
        try await bench.get(method: method)
        #expect(try await bench.get().isCached == !isGone)
    }

    @Test(
        "an unsafe request takes away what its own URL has, however that is written",
        arguments: [
            "https://ada:pw@example.com/x", "/x[1]", "/x?ids[]=1", "/x?filter[a]=b", "/x?q={}",
            "/x?a=%5B1%5D", "/%7Ex", "//x", "/a/../x",
        ]
    )
    func ownURL(url: String) async throws {
        let bench = try HTTPBench([.max60, .ok(), .max60])
        try await bench.get(url)
        #expect(try await bench.get(url).isCached)
        try await bench.get(url, method: .post)
        #expect(try await !bench.get(url).isCached)
    }

    @Test(
        "what a response names goes with brackets and with the request's user, too",
        arguments: [
            ("/b[1]", "https://example.com/b[1]"), ("/b?c[]=1", "https://example.com/b?c[]=1"),
            ("/b", "https://ada:pw@example.com/b"), ("/b", "https://example.com/b"),
            ("https://example.com/b[1]", "https://ada:pw@example.com/b[1]"),
        ]
    )
    func namedURLs(location: String, url: String) async throws {
        let bench = try HTTPBench([.max60, .status(201, [("Location", location)]), .max60])
        try await bench.get(url)
        try await bench.get("https://ada:pw@example.com/a", method: .post)
        #expect(try await !bench.get(url).isCached)
    }

    @Test(
        "Location and Content-Location of the same origin go, too; others stay",
        arguments: [
            ("Location", "/b", true), ("Content-Location", "https://example.com/b", true),
            ("Location", "b", true), ("Location", "https://other.com/b", false),
            ("Content-Location", "http://example.com/b", false), ("Link", "/b", false),
        ]
    )
    func otherURLs(name: String, value: String, isGone: Bool) async throws {
        let bench = try HTTPBench([.max60, .max60, .status(201, [(name, value)]), .max60])
        try await bench.get("/b")
        try await bench.get("https://other.com/b")
        try await bench.get("/a", method: .post)
        #expect(try await bench.get("/b").isCached == !isGone)
        #expect(try await bench.get("https://other.com/b").isCached)
    }

    @Test("invalidation reaches every variant, every account, and the disk")
    func wholeInvalidation() async throws {
        let bench = try HTTPBench(
            [Self.varying("X-Any", "one"), Self.varying("X-Any", "two"), .ok(), .max60, .max60],
            memoryCountLimit: 1
        )
        try await bench.get("/a", [("X-Any", "1"), ("Authorization", "Bearer ada")])
        try await bench.get("/a", [("X-Any", "2")])
        try await bench.get("/a", method: .delete)
        #expect(
            try await !bench.get("/a", [("X-Any", "1"), ("Authorization", "Bearer ada")]).isCached
        )
        #expect(try await !bench.get("/a", [("X-Any", "2")]).isCached)
    }

    @Test(
        "a range is cut out of a stored whole, exactly",
        arguments: [
            ("bytes=0-1", "bo", "bytes 0-1/4"), ("bytes=1-", "ody", "bytes 1-3/4"),
            ("bytes=-2", "dy", "bytes 2-3/4"), ("bytes=2-99", "dy", "bytes 2-3/4"),
        ]
    )
    func range(range: String, body: String, content: String) async throws {
        let bench = try HTTPBench([.max60])
        try await bench.get()
        let part = try await bench.get("/a", [("Range", range)])
        #expect(part.status == 206 && part.text == body && part.value("Content-Range") == content)
        #expect(bench.askedCount == 1)
    }

    @Test("a part is never served for the whole")
    func part() async throws {
        let bench = try HTTPBench([
            .status(
                206,
                [
                    ("Cache-Control", "max-age=60"), ("Content-Range", "bytes 0-1/4"),
                    ("ETag", "\"v\""),
                ],
                body: "bo"
            ),
            .status(206, [("Content-Range", "bytes 2-3/4"), ("ETag", "\"v\"")], body: "dy"),
        ])
        try await bench.get("/a", [("Range", "bytes=0-1")])
        let whole = try await bench.get()
        #expect(whole.text == "body" && whole.status == 200)
    }

    private static func part(
        _ range: String,
        _ body: String,
        _ fields: [(String, String)] = [("ETag", "\"v\"")]
    ) -> OriginStep {
        .status(
            206,
            [("Cache-Control", "max-age=60"), ("Content-Range", "bytes \(range)")] + fields,
            body: body
        )
    }

    @Test(
        "a stored part answers ranges that it has all of",
        arguments: [
            ("bytes=2-5", "2345"), ("bytes=3-4", "34"), ("bytes=5-5", "5"),
        ]
    )
    func partReuse(range: String, body: String) async throws {
        let bench = try HTTPBench([Self.part("2-5/10", "2345", [])])
        try await bench.get("/a", [("Range", "bytes=2-5")])
        let part = try await bench.get("/a", [("Range", range)])
        #expect(part.status == 206 && part.text == body && part.isCached)
        bench.script(Self.part("2-6/10", "23456"))
        #expect(try await !bench.get("/a", [("Range", "bytes=2-6")]).isCached)
    }

    @Test("a suffix is answered from a stored part if the length is known")
    func partSuffix() async throws {
        let bench = try HTTPBench([Self.part("5-9/10", "56789")])
        try await bench.get("/a", [("Range", "bytes=-5")])
        #expect(try await bench.get("/a", [("Range", "bytes=-2")]).text == "89")
        #expect(try await bench.get("/a", [("Range", "bytes=6-")]).text == "6789")
        #expect(bench.askedCount == 1)
    }

    @Test("parts of one version that touch or overlap become one, and a whole when all is there")
    func combining() async throws {
        let bench = try HTTPBench([
            Self.part("0-3/10", "0123", [("ETag", "\"v\""), ("X-Old", "1"), ("X-Both", "1")]),
            Self.part("3-6/10", "3456"),
            Self.part("7-9/10", "789", [("ETag", "\"v\""), ("X-Both", "2")]),
        ])
        for range in ["bytes=0-3", "bytes=3-6"] { try await bench.get("/a", [("Range", range)]) }
        #expect(try await bench.get("/a", [("Range", "bytes=1-5")]).text == "12345")
        try await bench.get("/a", [("Range", "bytes=7-9")])
        let whole = try await bench.get()
        #expect(whole.status == 200 && whole.text == "0123456789" && whole.isCached)
        #expect(whole.value("X-Old") == "1" && whole.value("X-Both") == "2")
        #expect(whole.value("Content-Range") == nil && whole.value("Content-Length") == "10")
        await bench.settled()
        #expect(await bench.bench.cache.entries().count == 1)
    }

    @Test(
        "parts of other versions, or without a strong tag, are never combined",
        arguments: [
            [("ETag", "\"w\"")], [("ETag", "W/\"v\"")], [],
        ]
    )
    func notCombined(fields: [(String, String)]) async throws {
        let bench = try HTTPBench([
            Self.part("0-4/10", "01234", fields), Self.part("5-9/10", "56789"),
        ])
        try await bench.get("/a", [("Range", "bytes=0-4")])
        try await bench.get("/a", [("Range", "bytes=5-9")])
        bench.script(.status(200, body: "whole"))
        #expect(try await bench.get().text != "0123456789")
    }

    @Test(
        "for the whole only what a part lacks is asked for",
        arguments: [
            ("0-4/10", "01234", "bytes=5-", "5-9/10", "56789"),
            ("5-9/10", "56789", "bytes=0-4", "0-4/10", "01234"),
        ]
    )
    func completing(
        first: String,
        firstBody: String,
        asked: String,
        second: String,
        secondBody: String
    ) async throws {
        let bench = try HTTPBench([
            Self.part(first, firstBody), Self.part(second, secondBody),
        ])
        try await bench.get("/a", [("Range", "bytes=\(first.prefix(3))")])
        let whole = try await bench.get()
        #expect(whole.status == 200 && whole.text == "0123456789")
        #expect(bench.lastAsked?.value("Range") == asked)
        #expect(bench.lastAsked?.value("If-Range") == "\"v\"")
        #expect(try await bench.get().isCached)
        #expect(bench.askedCount == 2)
    }

    @Test(
        "a part that cannot be completed gives way to the whole",
        arguments: [
            OriginStep.status(200, [("ETag", "\"w\"")], body: "other"),
            .status(206, [("Content-Range", "bytes 5-9/10"), ("ETag", "\"w\"")], body: "56789"),
            .status(416),
        ]
    )
    func notCompleted(step: OriginStep) async throws {
        let bench = try HTTPBench([Self.part("0-4/10", "01234"), step, .ok(body: "other")])
        try await bench.get("/a", [("Range", "bytes=0-4")])
        let whole = try await bench.get()
        #expect(whole.status == 200 && whole.text == "other")
    }

    @Test("a range of a large body comes out of its file")
    func rangeOfFile() async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let bench = try HTTPBench(
            [.ok([("Cache-Control", "max-age=60")], body: text)],
            policy: .http(in: .disk)
        )
        try await bench.get()
        let part = try await bench.get("/a", [("Range", "bytes=100005-100007")])
        #expect(part.text == "567" && part.source.isDisk)
        #expect(try await bench.get().text == text)
    }
}
