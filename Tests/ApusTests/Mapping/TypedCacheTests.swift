import HTTPTypes
import Synchronization
import Testing

@testable import Apus

/// What typed calls take from the cache, and leave there.
@Suite("Typed calls and the cache", .timeLimit(.minutes(5)))
struct TypedCacheTests {
    /// Every way to ask for a value; each gives the values, and the code of the error at the end.
    enum Call: String, CaseIterable {
        case value, mappedResponse, values, mappedResponses, callback, convention
    }

    private static let portal = OriginStep.ok(
        [("Cache-Control", "max-age=60"), ("Content-Type", "text/html")],
        body: "<html>Please sign in</html>"
    )

    private static func number(_ number: Int) -> OriginStep {
        .ok([("Cache-Control", "max-age=60")], body: "\(number)")
    }

    private func ask(
        _ bench: HTTPBench,
        by call: Call,
        from source: DataSource,
        using serializer: some ResponseSerializer<Int> = .decodable(Int.self),
        caching: CachePolicy? = nil
    ) async -> ([Int], code: Int?) {
        var values: [Int] = []
        let provider = bench.provider
        let target = bench.target()
        do {
            switch call {
            case .value:
                values.append(
                    try await provider.value(
                        for: target,
                        using: serializer,
                        from: source,
                        caching: caching
                    )
                )
            case .mappedResponse:
                let mapped = await provider.mappedResponse(
                    for: target,
                    using: serializer,
                    from: source,
                    caching: caching
                )
                values.append(try mapped.result.get())
            case .values:
                for try await value in provider.values(
                    for: target,
                    using: serializer,
                    from: source,
                    caching: caching
                ) { values.append(value) }
            case .mappedResponses:
                var last: ApusError?
                for await mapped in provider.mappedResponses(
                    for: target,
                    using: serializer,
                    from: source,
                    caching: caching
                ) {
                    last = mapped.error
                    if let value = mapped.value { values.append(value) }
                }
                if let last { throw last }
            case .callback:
                let (results, continuation) = AsyncStream<MappedResponse<Int>>.makeStream()
                let token = provider.request(
                    target,
                    using: serializer,
                    from: source,
                    caching: caching
                ) { continuation.yield($0) }
                for await mapped in results {
                    values.append(try mapped.result.get())
                    break
                }
                while !token.isFinished { await Task.yield() }
            case .convention:
                let convention = ServerConvention(success: serializer, failure: .string)
                values.append(
                    try await provider.value(
                        for: target,
                        by: convention,
                        from: source,
                        caching: caching
                    )
                )
            }
            return (values, nil)
        } catch let error as ApusError {
            return (values, error.code)
        } catch ServerFailure<String>.failed(let error) {
            return (values, error.code)
        } catch {
            return (values, -1)
        }
    }

    static let policies = [CachePolicy.keep(in: .memory), .keep(in: .disk), .http]
    static let asking: [DataSource] = [
        .cacheIfPossible, .cacheThenRefresh, .cacheAndServer, .cacheOnFirstUse,
    ]

    @Test(
        "a cached response that cannot be read is a miss: the server is asked, and its response kept",
        arguments: Call.allCases,
        policies.indices
    )
    func miss(call: Call, policy: Int) async throws {
        for source in Self.asking {
            let bench = try HTTPBench(
                [Self.portal, Self.number(2)],
                policy: Self.policies[policy]
            )
            _ = try await bench.get(from: .server)
            let first = await ask(bench, by: call, from: source)
            #expect(first == ([2], nil), "\(source)")
            // A refresh stores behind the response.
            while await ask(bench, by: call, from: .cache) != ([2], nil) { await Task.yield() }
            #expect(bench.askedCount == 2, "\(source)")
        }
    }

    @Test(
        "from the cache alone it is the error that it is, and nothing is asked",
        arguments: Call.allCases,
        policies.indices
    )
    func cacheAlone(call: Call, policy: Int) async throws {
        let bench = try HTTPBench([Self.portal], policy: Self.policies[policy])
        _ = try await bench.get(from: .server)
        let (values, code) = await ask(bench, by: call, from: .cache)
        #expect(values.isEmpty)
        #expect(code == 5003)
        #expect(bench.askedCount == 1)
    }

    @Test(
        "a fresh response that cannot be read is told, and not kept",
        arguments: Call.allCases,
        policies.indices
    )
    func notKept(call: Call, policy: Int) async throws {
        let bench = try HTTPBench([Self.portal, Self.number(2)], policy: Self.policies[policy])
        #expect(await ask(bench, by: call, from: .cacheIfPossible) == ([], 5003))
        await bench.settled()
        #expect(await bench.bench.cache.entries().isEmpty)
        #expect(await ask(bench, by: call, from: .cacheIfPossible) == ([2], nil))
    }

    @Test("what an envelope refuses is not kept")
    func refusedByEnvelope() async throws {
        let envelope = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
        for policy in Self.policies {
            let bench = try HTTPBench(
                [
                    .ok([("Cache-Control", "max-age=60")], body: #"{"code":7,"msg":"busy"}"#),
                    .ok([("Cache-Control", "max-age=60")], body: #"{"code":0,"data":2}"#),
                ],
                policy: policy
            )
            func ask() async -> ([Int], code: Int?) {
                await self.ask(
                    bench,
                    by: .value,
                    from: .cacheIfPossible,
                    using: .enveloped(.decodable(Int.self), in: envelope)
                )
            }
            #expect(await ask().0.isEmpty)
            #expect(await bench.bench.cache.entries().isEmpty)
            for _ in 1...2 { #expect(await ask() == ([2], nil)) }
            #expect(bench.askedCount == 2)
        }
    }

    @Test("a policy that says what is stored is asked alone", arguments: [false, true])
    func predicate(isHTTP: Bool) async throws {
        let all: @Sendable (Response) -> Bool = { _ in true }
        let policy = isHTTP ? CachePolicy.http(shouldStore: all) : .keep(shouldStore: all)
        let bench = try HTTPBench([Self.portal], policy: policy)
        #expect(await ask(bench, by: .value, from: .server) == ([], 5003))
        #expect(await bench.bench.cache.entries().count == 1)
    }

    @Test("a refresh that cannot be read leaves what is there", arguments: policies.indices)
    func unseen(policy: Int) async throws {
        let bench = try HTTPBench([Self.number(1), Self.portal], policy: Self.policies[policy])
        #expect(await ask(bench, by: .value, from: .server) == ([1], nil))
        // The sequence ends with the exchange, and so after the refresh.
        #expect(await ask(bench, by: .values, from: .cacheThenRefresh) == ([1], nil))
        #expect(bench.askedCount == 2)
        #expect(await ask(bench, by: .value, from: .cache) == ([1], nil))
    }

    @Test("a server that is down is the error, not the cached response", arguments: Call.allCases)
    func down(call: Call) async throws {
        let bench = try HTTPBench([Self.portal, .unreachable], policy: .keep(in: .memory))
        _ = try await bench.get(from: .server)
        #expect(await ask(bench, by: call, from: .cacheIfPossible) == ([], 2201))
    }

    @Test("a rule hears of no cached response that cannot be read")
    func rule() async throws {
        struct Rule: DataSourceRule {
            let asks: Bool
            func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool {
                #expect(cached == nil)
                return asks
            }
            func shouldUpdateCache(
                _ target: any TargetType,
                cached: Response?,
                fresh: Response
            ) -> Bool { true }
        }
        let bench = try HTTPBench([Self.portal, Self.number(2)], policy: .keep(in: .memory))
        _ = try await bench.get(from: .server)
        #expect(await ask(bench, by: .values, from: .custom(Rule(asks: false))) == ([], 5003))
        #expect(await ask(bench, by: .values, from: .custom(Rule(asks: true))) == ([2], nil))
    }

    /// Counts how often it reads.
    private struct Counting: ResponseSerializer {
        let count = HookLog()

        func serialize(_ response: Response) throws(ApusError) -> Int {
            count.add("read")
            return try response.value(using: .decodable(Int.self))
        }
    }

    @Test("each response is read once", arguments: Call.allCases, policies.indices)
    func once(call: Call, policy: Int) async throws {
        let bench = try HTTPBench(
            [Self.number(1), Self.number(2)],
            policy: Self.policies[policy]
        )
        let counting = Counting()
        _ = await ask(bench, by: call, from: .server, using: counting)
        #expect(counting.count.all.count == 1)
        _ = await ask(bench, by: call, from: .cacheIfPossible, using: counting)
        #expect(counting.count.all.count == 2)
        _ = await ask(bench, by: call, from: .cacheAndServer, using: counting)
        #expect(counting.count.all.count == 4)
    }

    @Test("a page that the server takes for current is asked for anew, without conditions")
    func notModified() async throws {
        // The portal's page is younger than what it stands for.
        let bench = try HTTPBench()
        bench.script(
            .ok(
                [("Last-Modified", bench.date(-10)), ("Cache-Control", "no-cache")],
                body: "<html>Please sign in</html>"
            ),
            .notModified,
            Self.number(2)
        )
        _ = try await bench.get(from: .server)
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([2], nil))
        #expect(bench.asked.map { $0.value("If-Modified-Since") != nil } == [false, true, false])
        #expect(await ask(bench, by: .value, from: .cache) == ([2], nil))
    }

    @Test("what leads to a page that cannot be read is not kept either")
    func redirected() async throws {
        let bench = try HTTPBench([
            .status(301, [("Location", "/portal"), ("Cache-Control", "max-age=60")]),
            Self.portal, Self.number(2),
        ])
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([], 5003))
        #expect(await bench.bench.cache.entries().isEmpty)
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([2], nil))
    }

    @Test("what nobody waits for does not replace a readable response", arguments: [false, true])
    func behind(hasPlugin: Bool) async throws {
        let fields = [("Cache-Control", "max-age=1, stale-while-revalidate=60")]
        let bench = try HTTPBench(
            [.ok(fields, body: "1"), .ok(fields, body: "<html>Please sign in</html>")],
            plugins: hasPlugin ? [ActivityPlugin()] : []
        )
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([1], nil))
        bench.bench.clock.advance(by: 5)
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([1], nil))
        await bench.settled()
        #expect(bench.askedCount == 2)
        #expect(await bench.bench.cache.entries().map(\.size) == [1])
    }

    /// Takes the first byte off each response.
    private struct Unwrapping: Plugin {
        func process(
            _ result: Result<Response, ApusError>,
            in context: ExchangeContext
        ) async throws -> ProcessingResult {
            .result(
                result.map { response in
                    var response = response
                    response.body = .bytes(Array(response.bodyText.utf8.dropFirst()))
                    return response
                }
            )
        }
    }

    @Test("what only plugins make readable is replaced by what nobody waits for")
    func behindPlugins() async throws {
        let fields = [("Cache-Control", "max-age=1, stale-while-revalidate=60")]
        let bench = try HTTPBench(
            [.ok(fields, body: "x1"), .ok(fields, body: "x23")],
            plugins: [Unwrapping()]
        )
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([1], nil))
        bench.bench.clock.advance(by: 5)
        #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([1], nil))
        await bench.settled()
        #expect(await bench.bench.cache.entries().map(\.size) == [3])
    }

    @Test("what plugins make of a response is what must be readable", arguments: policies.indices)
    func processed(policy: Int) async throws {
        let bench = try HTTPBench(
            [.ok([("Cache-Control", "max-age=60")], body: "x2")],
            policy: Self.policies[policy],
            plugins: [Unwrapping()]
        )
        for _ in 1...2 {
            #expect(await ask(bench, by: .value, from: .cacheIfPossible) == ([2], nil))
        }
        #expect(bench.askedCount == 1)
    }

    @Test("a call's own policy keeps its response", arguments: Call.allCases)
    func caching(call: Call) async throws {
        let bench = try HTTPBench([Self.number(1)], policy: .none)
        let kept = CachePolicy.keep(in: .memory)
        for source in [DataSource.server, .cache] {
            #expect(await ask(bench, by: call, from: source, caching: kept) == ([1], nil))
        }
        #expect(bench.askedCount == 1)
    }
}
