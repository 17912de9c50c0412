import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// What `HTTPCacheOptions.shared` changes (RFC 9111, 3, 3.5, 5.2.2.7, 5.2.2.8 and 5.2.2.10).
@Suite("A shared HTTP cache")
struct SharedCacheTests {
    private let rules = HTTPCacheRules(options: .shared)

    private func rule(_ control: String, hasCredentials: Bool, _ rules: HTTPCacheRules) -> CacheRule
    {
        rules.storing(
            .make(200, [("Cache-Control", control)]),
            to: .make(),
            hasCredentials: hasCredentials,
            length: 10,
            requestTime: CacheModel.start,
            responseTime: CacheModel.start
        ).decision.rule
    }

    @Test(
        "what is private is not stored, and a response to credentials only if it says so",
        arguments: [
            ("max-age=60", false, .explicitlyCacheable),
            ("s-maxage=60", false, .explicitlyCacheable),
            ("private, max-age=60", false, .responsePrivate),
            ("private=\"Set-Cookie\", max-age=60", false, .responsePrivate),
            ("max-age=60", true, .requestHasCredentials),
            ("public, max-age=60", true, .explicitlyCacheable),
            ("s-maxage=60", true, .explicitlyCacheable),
            ("must-revalidate, max-age=60", true, .explicitlyCacheable),
            ("public, no-store", true, .responseNoStore),
            ("private, public, max-age=60", true, .responsePrivate),
        ] as [(String, Bool, CacheRule)]
    )
    func storing(control: String, hasCredentials: Bool, expected: CacheRule) {
        #expect(rule(control, hasCredentials: hasCredentials, rules) == expected)
    }

    @Test("for a private cache none of it counts")
    func privateCache() {
        let rules = HTTPCacheRules()
        #expect(rule("private, max-age=60", hasCredentials: true, rules) == .explicitlyCacheable)
        #expect(rule("s-maxage=60", hasCredentials: false, rules) == .neverUsable)
    }

    @Test(
        "s-maxage goes before max-age and Expires, and what is stale by it must be validated",
        arguments: [
            ("max-age=9, s-maxage=60", 50.0, CacheModel.Source.cache),
            ("max-age=60, s-maxage=9", 20, .validated), ("max-age=60, s-maxage=x", 1, .validated),
            ("max-age=9, s-maxage=9, stale-while-revalidate=60", 20, .validated),
            ("max-age=9, proxy-revalidate, stale-while-revalidate=60", 20, .validated),
            ("max-age=9, stale-while-revalidate=60", 20, .cacheAndBackground),
        ]
    )
    func freshness(control: String, after seconds: Double, source: CacheModel.Source) {
        var cache = CacheModel(rules: rules)
        let fields = [("Cache-Control", control), ("ETag", "\"1\"")]
        cache.send(response: .make(200, fields))
        #expect(cache.send(after: seconds, response: .make(304, [("ETag", "\"1\"")])) == source)
    }

    @Test("an update that says private takes the stored response away")
    func update() {
        var cache = CacheModel(rules: rules)
        cache.send(response: .make(200, [("Cache-Control", "max-age=9"), ("ETag", "\"1\"")]))
        let update = HTTPResponse.make(304, [("Cache-Control", "private"), ("ETag", "\"1\"")])
        #expect(cache.send(after: 20, response: update) == .validated)
        #expect(cache.stored.isEmpty)
    }

    private static let ada = [("Authorization", "Bearer ada")]
    private static let bob = [("Authorization", "Bearer bob")]

    @Test("what a server lets everybody have goes to everybody, and the rest to nobody else")
    func users() async throws {
        let policy = CachePolicy.http(separatesAccounts: false, options: .shared)
        let bench = try HTTPBench(
            [
                .ok([("Cache-Control", "public, max-age=60")], body: "all"),
                .ok([("Cache-Control", "max-age=60")], body: "ada"),
                .ok([("Cache-Control", "max-age=60")], body: "bob"),
            ],
            policy: policy
        )
        #expect(try await bench.get("/all", Self.ada).text == "all")
        #expect(try await bench.get("/all", Self.bob).isCached)
        #expect(try await bench.get("/own", Self.ada).text == "ada")
        #expect(try await bench.get("/own", Self.bob).text == "bob")
        #expect(bench.askedCount == 3)
    }

    @Test("credentials that an interceptor adds, or the transport, count as Authorization does")
    func otherCredentials() async throws {
        let key = try #require(HTTPField.Name("X-API-Key"))
        let policy = CachePolicy.http(separatesAccounts: false, options: .shared)
        let bench = try HTTPBench(
            [.max60, .max60],
            policy: policy,
            plugins: [HeaderPlugin(key, "k1")]
        )
        try await bench.get()
        #expect(try await !bench.get().isCached)
    }

    @Test("what a private cache keeps does not come out of a shared one in the same place")
    func apart() async throws {
        let bench = try HTTPBench([.ok([("Cache-Control", "private, max-age=60")])])
        try await bench.get()
        #expect(try await bench.get().isCached)
        let target = TestTarget(
            base: HTTPBench.url,
            path: "/a",
            cachePolicy: .http(options: .shared)
        )
        bench.script(.max60)
        let answer = try await bench.provider.response(for: target, from: .cacheIfPossible)
        #expect(!answer.isCached)
    }
}
