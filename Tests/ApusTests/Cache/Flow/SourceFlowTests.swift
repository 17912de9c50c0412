import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

/// Data sources and redirects under HTTP semantics.
struct SourceFlowTests {
    private func answers(
        _ bench: HTTPBench,
        _ source: DataSource,
        _ path: String = "/a"
    ) async -> [String] {
        var words: [String] = []
        for await event in bench.provider.events(for: bench.target(path), from: source) {
            switch event {
            case .response(let response):
                words.append("\(response.isCached ? "cached" : "fresh") \(response.text ?? "")")
            case .serverFailed: words.append("failed")
            case .finished(let summary):
                if case .failure(let error) = summary.result { words.append("error \(error.code)") }
            default: continue
            }
        }
        return words
    }

    @Test("each data source asks the private cache in its own way")
    func sources() async throws {
        let v1 = OriginStep.ok([("Cache-Control", "max-age=60"), ("ETag", "\"1\"")], body: "one")
        let v2 = OriginStep.ok([("Cache-Control", "max-age=60"), ("ETag", "\"2\"")], body: "two")
        let bench = try HTTPBench([v1])
        #expect(await answers(bench, .cache) == ["error 4001"])
        #expect(await answers(bench, .cacheIfPossible) == ["fresh one"])
        #expect(await answers(bench, .cache) == ["cached one"])
        bench.script(v2)
        #expect(await answers(bench, .server) == ["fresh two"])
        #expect(bench.lastAsked?.value("If-None-Match") == nil)
        #expect(await answers(bench, .cacheIfPossible) == ["cached two"])
        bench.script(.notModified([("ETag", "\"2\"")]), v1)
        #expect(await answers(bench, .cacheAndServer) == ["cached two", "cached two"])
        #expect(bench.lastAsked?.value("If-None-Match") == "\"2\"")
        #expect(await answers(bench, .cacheThenRefresh) == ["cached two"])
        #expect(await answers(bench, .cache) == ["cached one"])
        bench.bench.clock.advance(by: 61)
        #expect(await answers(bench, .cache) == ["error 4001"])
        bench.script(.unreachable)
        #expect(await answers(bench, .cacheAndServer) == ["cached one", "cached one"])
    }

    @Test("the first use of a URL in a process shows what is stored, later ones ask")
    func firstUse() async throws {
        let bench = try HTTPBench([.max60])
        try await bench.get()
        bench.script(.ok(body: "new"), .ok(body: "newer"))
        #expect(await answers(bench, .cacheOnFirstUse) == ["cached body", "fresh new"])
        #expect(await answers(bench, .cacheOnFirstUse) == ["fresh newer"])
    }

    @Test("a rule sees what is stored, decides on asking and on storing")
    func custom() async throws {
        struct Rule: DataSourceRule {
            let sends: Bool
            let stores: Bool
            func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { sends }
            func shouldUpdateCache(
                _ target: any TargetType,
                cached: Response?,
                fresh: Response
            ) -> Bool { stores && cached?.text != fresh.text }
        }
        let bench = try HTTPBench([.max60])
        #expect(await answers(bench, .custom(Rule(sends: false, stores: true))) == ["error 4001"])
        try await bench.get()
        #expect(await answers(bench, .custom(Rule(sends: false, stores: true))) == ["cached body"])
        bench.script(.ok([("Cache-Control", "max-age=60")], body: "new"))
        #expect(
            await answers(bench, .custom(Rule(sends: true, stores: false)))
                == ["cached body", "fresh new"]
        )
        #expect(await answers(bench, .cache) == ["cached body"])
    }

    @Test("the events tell each decision, and what became of the response")
    func decisions() async throws {
        let bench = try HTTPBench([.max60])
        var rules: [CacheRule] = []
        var outcomes: [CacheStoreOutcome] = []
        for await event in bench.provider.events(for: bench.target(), from: .cacheIfPossible) {
            if case .decided(let decision) = event { rules.append(decision.rule) }
            if case .storage(let outcome) = event { outcomes.append(outcome) }
        }
        #expect(rules == [.nothingStored, .explicitlyCacheable])
        #expect(
            outcomes == [
                .stored(.memoryAndDisk, expires: bench.bench.clock.now.addingTimeInterval(60))
            ]
        )
        let again = try await bench.get()
        #expect(again.decision?.rule == .fresh && again.decision?.rule.section == "RFC 9111, 4.2")
    }

    @Test("each hop of a redirect goes through the cache")
    func redirects() async throws {
        let moved = OriginStep.status(301, [("Location", "/b"), ("Cache-Control", "max-age=600")])
        let bench = try HTTPBench([moved, .max60, .ok(body: "later")])
        let first = try await bench.get()
        #expect(first.status == 200 && first.metrics?.redirects.map(\.status) == [301])
        #expect(first.metrics?.effectiveURL == "https://example.com/b")
        let second = try await bench.get()
        #expect(second.isCached && bench.askedCount == 2)
        #expect(second.metrics?.redirects.map(\.location) == ["/b"])
        #expect(try await bench.get(after: 61).text == "later")
        #expect(bench.asked.map(\.path) == ["/a", "/b", "/b"])
    }

    @Test("a limit of none shows the redirect, and too many are an error")
    func redirectLimits() async throws {
        let again = OriginStep.status(302, [("Location", "/a")])
        let bench = try HTTPBench([again, again, again, again])
        let shown = try await bench.provider.response(
            for: bench.target("/a", redirects: 0),
            from: .cacheIfPossible
        )
        #expect(shown.status == 302)
        await #expect(throws: ApusError.self) {
            try await bench.provider.response(
                for: bench.target("/a", redirects: 2),
                from: .cacheIfPossible
            )
        }
        #expect(bench.askedCount == 4)
    }

    @Test(
        "without caching the default pays nothing: policies of their own follow redirects as before"
    )
    func ownPolicy() async throws {
        let bench = try HTTPBench([.status(302, [("Location", "/b")])])
        var target = TestTarget(base: HTTPBench.url, path: "/a")
        target.cachePolicy = .none
        let response = try await bench.provider.response(for: MultiTarget(target))
        #expect(response.status == 302)
    }

    @Test(
        "all hops of a redirect have one time limit together",
        arguments: [ResponseSource.server, .stub]
    )
    func timeLimit(source: ResponseSource) async throws {
        let limits = Mutex<[Duration?]>([])
        let bench = try CacheBench()
        let origin: HTTPCache.Origin = { request, _ throws(ApusError) in
            let limit = request.options.timeout
            limits.withLock { $0.append(limit) }
            if limits.withLock(\.count) == 4 {
                throw ApusError(.timeout(.waiting, limit: limit ?? .zero), request: request.line)
            }
            var response = Response.make(request, "", status: 302)
            response.source = source
            response.head.headerFields[.location] = "/next"
            response.metrics = TransferMetrics(phases: .init(total: .milliseconds(1500)))
            return response
        }
        var cache = HTTPCache(
            cache: bench.cache,
            policy: .http,
            revalidations: BackgroundTasks(),
            origin: origin,
            originBehind: origin,
            tell: { _ in }
        )
        let request = PreparedRequest.make("h", options: TransportOptions(timeout: .seconds(2)))
        let error = await #expect(throws: ApusError.self) {
            try await cache.answer(request, .reuse)
        }
        #expect(error?.reason == .timeout(.waiting, limit: .seconds(2)))
        let left: [Duration?] =
            source == .server
            ? [.seconds(2), .milliseconds(500), .milliseconds(1), .milliseconds(1)]
            : Array(repeating: .seconds(2), count: 4)
        #expect(limits.withLock { $0 } == left)
    }

    @Test("the clock of the head counts, not that of a long body's end")
    func responseTime() {
        let start = Date(timeIntervalSinceReferenceDate: 0)
        var response = Response.make(.make("h"), "x")
        response.metrics = TransferMetrics(
            phases: .init(firstByte: .seconds(1), total: .seconds(31))
        )
        let end = start.addingTimeInterval(31)
        let answer = OriginResponse(response, requestTime: start, end: end, InvalidationLog().mark)
        #expect(answer.responseTime == start.addingTimeInterval(1))
    }
}
