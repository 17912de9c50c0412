import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// Asking the origin whether what is stored is still current.
struct ValidationFlowTests {
    private static let tagged = OriginStep.ok([
        ("Cache-Control", "max-age=60"), ("ETag", "\"v1\""), ("X-Old", "1"),
    ])

    @Test("a stale response is validated with its ETag, and 304 makes it fresh again")
    func etag() async throws {
        let bench = try HTTPBench([
            Self.tagged,
            .notModified([
                ("ETag", "\"v1\""), ("Cache-Control", "max-age=600"), ("X-New", "2"),
                ("X-Old", "3"), ("Content-Type", "text/x"),
            ]),
        ])
        try await bench.get()
        let second = try await bench.get(after: 61)
        #expect(bench.lastAsked?.value("If-None-Match") == "\"v1\"")
        #expect(second.status == 200 && second.text == "body" && second.isCached)
        #expect(second.value("X-New") == "2" && second.value("X-Old") == "3")
        #expect(second.value("Content-Type") == "text/x")
        #expect(second.decision?.outcome == .updated)
        let third = try await bench.get(after: 599)
        #expect(third.isCached && third.value("X-New") == "2" && bench.askedCount == 2)
    }

    @Test("what a 304 brought is there after memory was left, too")
    func updateOnDisk() async throws {
        let bench = try HTTPBench(
            [Self.tagged, .notModified([("Cache-Control", "max-age=600"), ("X-New", "2")])],
            memoryCountLimit: 0
        )
        try await bench.get()
        try await bench.get(after: 61)
        let third = try await bench.get(after: 300)
        #expect(third.source.isDisk && third.value("X-New") == "2" && third.text == "body")
        #expect(bench.askedCount == 2)
    }

    @Test(
        "a 304 with no-store answers, and takes the stored response away, from memory and disk",
        arguments: [10_000, 0],
        [4, 100_000]
    )
    func noStore(memoryCountLimit: Int, length: Int) async throws {
        let body = String(repeating: "b", count: length)
        let bench = try HTTPBench(
            [
                .ok([("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")], body: body),
                .notModified([("Cache-Control", "no-store, max-age=600")]), .ok(body: "new"),
            ],
            memoryCountLimit: memoryCountLimit
        )
        try await bench.get()
        let second = try await bench.get(after: 61)
        #expect(second.text == body && second.isCached)
        #expect(second.decision?.rule == .responseNoStore)
        await bench.settled()
        #expect(await bench.bench.cache.entries().isEmpty)
        #expect(try await bench.get().text == "new")
        #expect(bench.lastAsked?.value("If-None-Match") == nil)
    }

    @Test("Last-Modified validates where there is no ETag")
    func lastModified() async throws {
        let bench = try HTTPBench()
        let modified = bench.date(-1000)
        bench.script(
            .ok([("Cache-Control", "max-age=1"), ("Last-Modified", modified)]),
            .notModified
        )
        try await bench.get()
        #expect(try await bench.get(after: 2).text == "body")
        #expect(bench.lastAsked?.value("If-Modified-Since") == modified)
    }

    @Test("a full response to a validation takes the stored one's place")
    func replaced() async throws {
        let bench = try HTTPBench([
            Self.tagged, .ok([("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], body: "new"),
        ])
        try await bench.get()
        #expect(try await bench.get(after: 61).text == "new")
        let third = try await bench.get(after: 1)
        #expect(third.text == "new" && third.value("X-Old") == nil && third.isCached)
        await bench.settled()
        #expect(await bench.bench.cache.entries().count == 1)
    }

    @Test("no-cache asks each time, and 304 answers with what is stored")
    func noCache() async throws {
        let bench = try HTTPBench([
            .ok([("Cache-Control", "no-cache, max-age=60"), ("ETag", "W/\"w\"")]),
            .notModified([("ETag", "W/\"w\"")]), .notModified([("ETag", "W/\"w\"")]),
        ])
        try await bench.get()
        #expect(try await bench.get().text == "body")
        #expect(try await bench.get().text == "body")
        #expect(bench.askedCount == 3 && bench.lastAsked?.value("If-None-Match") == "W/\"w\"")
    }

    @Test("a 304 about another version is not used: the origin is asked again")
    func mismatch() async throws {
        let bench = try HTTPBench([
            Self.tagged, .notModified([("ETag", "\"other\"")]), .ok(body: "again"),
        ])
        try await bench.get()
        #expect(try await bench.get(after: 61).text == "again")
        #expect(bench.askedCount == 3 && bench.lastAsked?.value("If-None-Match") == nil)
    }

    @Test("the caller's own condition is answered 304 from the cache, and passes on a miss")
    func callerCondition() async throws {
        let bench = try HTTPBench([.notModified([("ETag", "\"v1\"")]), Self.tagged])
        #expect(try await bench.get("/a", [("If-None-Match", "\"v1\"")]).status == 304)
        #expect(bench.lastAsked?.value("If-None-Match") == "\"v1\"")
        try await bench.get()
        let local = try await bench.get("/a", [("If-None-Match", "\"v0\", W/\"v1\"")])
        #expect(local.status == 304 && local.body.isEmpty && bench.askedCount == 2)
        #expect(try await bench.get("/a", [("If-None-Match", "\"v0\"")]).status == 200)
        #expect(bench.askedCount == 2)
    }

    @Test("a condition of the caller's does not end in an error of the validation")
    func conditionAndValidation() async throws {
        let bench = try HTTPBench([Self.tagged])
        try await bench.get()
        var target = TestTarget(base: HTTPBench.url, path: "/a", cachePolicy: bench.policy)
        target.headerFields = HTTPFields(pairs: [("If-None-Match", "\"v1\"")])
        target.validation = .successCodes
        let response = try await bench.provider.response(
            for: MultiTarget(target),
            from: .cacheIfPossible
        )
        #expect(response.status == 304)
    }

    @Test(
        "If-Match and If-Unmodified-Since are the origin's to judge",
        arguments: [
            "If-Match", "If-Unmodified-Since",
        ]
    )
    func preconditions(name: String) async throws {
        let bench = try HTTPBench([Self.tagged, .status(412)])
        try await bench.get()
        #expect(try await bench.get("/a", [(name, "\"v1\"")]).status == 412)
    }

    @Test(
        "an unreachable origin leaves the stale response, unless must-revalidate forbids",
        arguments: [
            ("max-age=60", true), ("max-age=60, must-revalidate", false),
            ("max-age=60, stale-if-error=10", false), ("max-age=60, stale-if-error=60", true),
            ("no-cache", false),
        ]
    )
    func unreachable(control: String, isServed: Bool) async throws {
        let bench = try HTTPBench([
            .ok([("Cache-Control", control), ("ETag", "\"v1\"")]), .unreachable,
        ])
        try await bench.get()
        if isServed {
            let stale = try await bench.get(after: 90)
            #expect(stale.isCached && stale.decision?.outcome == .staleAllowed)
        } else {
            await #expect(throws: ApusError.self) { try await bench.get(after: 90) }
        }
    }

    @Test(
        "asked for, a 504 says that what must be validated could not be",
        arguments: [
            ("max-age=60, must-revalidate", "ETag", .mustRevalidate),
            ("max-age=60, must-revalidate", "X-None", .mustRevalidate),
            ("no-cache", "ETag", .responseNoCache), ("max-age=60, stale-if-error=10", "ETag", nil),
        ] as [(String, String, CacheRule?)]
    )
    func gatewayTimeout(control: String, field: String, rule: CacheRule?) async throws {
        let cut = ApusError.Reason.connectionLost(received: 3, expected: 9, detail: "")
        let bench = try HTTPBench(
            [.ok([("Cache-Control", control), (field, "\"v1\"")]), OriginStep(error: cut)],
            policy: .http(options: .gatewayTimeout)
        )
        try await bench.get()
        guard let rule else {
            await #expect(throws: ApusError.self) { try await bench.get(after: 90) }
            return
        }
        let answer = try await bench.get(after: 90)
        #expect(answer.status == 504 && answer.source == .gateway)
        #expect(answer.decision?.outcome == .gatewayTimeout && answer.decision?.rule == rule)
        #expect(answer.serverFailure?.reason == cut)
        bench.script(.ok(body: "new"))
        #expect(try await bench.get().text == "new")
    }

    @Test(
        "only an origin that cannot be reached leaves the stale response, not one that is wrong",
        arguments: [
            (.nameLookup(host: "example.com", detail: ""), true),
            (.connect(host: "example.com", port: 443, detail: ""), true),
            (.timeout(.waiting, limit: .seconds(1)), true),
            (.connectionLost(received: 0, expected: nil, detail: "", phase: .reset), true),
            (.tls(.selfSignedCertificate, host: "example.com", detail: ""), false),
            (.tls(.handshake, host: "example.com", detail: ""), false),
            (.proxy(detail: "407"), false), (.protocolViolation(detail: ""), false),
            (.transport(code: 1, detail: ""), false),
        ] as [(ApusError.Reason, Bool)]
    )
    func standIn(reason: ApusError.Reason, isServed: Bool) async throws {
        for control in ["max-age=60", "max-age=60, stale-if-error=900"] {
            let bench = try HTTPBench([
                .ok([("Cache-Control", control), ("ETag", "\"v1\"")]), OriginStep(error: reason),
            ])
            try await bench.get()
            // Why it failed is what the origin says.
            let answer = try? await bench.get(after: 90)
            let text = answer?.decision?.staleText
            #expect((answer != nil) == isServed)
            #expect(text?.hasPrefix("the response is from the cache, stale by 30 s: ") ?? !isServed)
        }
    }

    @Test(
        "stale-if-error covers 500, 502, 503 and 504, in its time only",
        arguments: [
            (500, 90.0, true), (502, 90, true), (503, 90, true), (504, 90, true), (501, 90, false),
            (404, 90, false), (500, 200, false),
        ]
    )
    func staleIfError(status: Int, after seconds: Double, isServed: Bool) async throws {
        for validator in [[], [("ETag", "\"v1\"")]] {
            let bench = try HTTPBench([
                .ok([("Cache-Control", "max-age=60, stale-if-error=100")] + validator),
                .status(status, body: "error"),
            ])
            try await bench.get()
            let response = try await bench.get(after: seconds)
            #expect(response.status == (isServed ? 200 : status))
            #expect(response.isCached == isServed)
        }
    }

    @Test("a 304 that would make the stored head too large is asked for again")
    func growingHead() async throws {
        let base = [("Cache-Control", "no-cache"), ("ETag", "\"v1\"")]
        func growing(_ number: Int) -> OriginStep {
            .notModified(
                base + (1...4).map { ("X-\(number)-\($0)", String(repeating: "v", count: 100_000)) }
            )
        }
        let bench = try HTTPBench([
            .ok(base, body: "one"), growing(1), growing(2), growing(3), .ok(base, body: "two"),
        ])
        for _ in 1...3 { #expect(try await bench.get().text == "one") }
        await bench.settled()
        // What a 304 adds counts for the limits of memory and disk.
        let grown = await bench.bench.cache.statistics()
        #expect(grown.memoryCost > 800_000 && grown.diskSize > 800_000)
        let response = try await bench.get()
        #expect(response.text == "two" && response.head.headerFields.count < 6)
        #expect(bench.askedCount == 5)
        await bench.settled()
        let statistics = await bench.bench.cache.statistics()
        #expect(statistics.memoryCost < 10_000 && statistics.diskSize < 10_000)
        #expect(statistics.diskCount == 1)
    }

    @Test("a server error does not take the stored response's place")
    func errorKeepsStored() async throws {
        let bench = try HTTPBench([Self.tagged, .status(503, body: "busy"), .notModified])
        try await bench.get()
        #expect(try await bench.get(after: 61).status == 503)
        #expect(try await bench.get().text == "body")
    }

    @Test("stale-while-revalidate serves stale at once and refreshes behind")
    func staleWhileRevalidate() async throws {
        let bench = try HTTPBench([
            .ok([("Cache-Control", "max-age=60, stale-while-revalidate=100"), ("ETag", "\"v1\"")]),
            .ok([("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], body: "new"),
        ])
        try await bench.get()
        let stale = try await bench.get(after: 90)
        #expect(stale.text == "body" && stale.decision?.rule == .staleWhileRevalidate)
        await bench.settled()
        #expect(bench.askedCount == 2 && bench.lastAsked?.value("If-None-Match") == "\"v1\"")
        #expect(try await bench.get().text == "new")
        #expect(bench.askedCount == 2)
    }

    @Test("outside its window stale-while-revalidate waits for the origin")
    func outsideWindow() async throws {
        let bench = try HTTPBench([
            .ok([("Cache-Control", "max-age=60, stale-while-revalidate=10")]), .ok(body: "new"),
        ])
        try await bench.get()
        #expect(try await bench.get(after: 90).text == "new")
    }

    @Test("HEAD brings the stored GET up to date, or marks it")
    func head() async throws {
        let bench = try HTTPBench([
            Self.tagged,
            .ok([("Cache-Control", "max-age=600"), ("ETag", "\"v1\""), ("X-New", "1")]),
            .ok([("ETag", "\"v2\"")]), .notModified,
        ])
        try await bench.get()
        try await bench.get(method: .head, after: 61)
        let second = try await bench.get(after: 100)
        #expect(second.isCached && second.value("X-New") == "1" && second.text == "body")
        try await bench.get("/a", [("Cache-Control", "no-cache")], method: .head)
        try await bench.get()
        #expect(bench.lastAsked?.value("If-None-Match") == "\"v1\"")
    }
}
