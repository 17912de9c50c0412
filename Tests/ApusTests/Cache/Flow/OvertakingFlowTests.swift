import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

/// Responses that are under way while something newer comes.
struct OvertakingFlowTests {
    /// A provider over an origin that holds the response to a request with `X-Held`; each response has
    /// its number for a body.
    private struct Bench {
        static let held = HTTPFields(pairs: [("X-Held", "1")])

        let bench: CacheBench
        let gate: Gate
        let provider: Provider<TestTarget>

        /// `fields` gives those of the response of a number, from 1.
        init(
            memoryCountLimit: Int = 10_000,
            _ fields: @escaping @Sendable (Int) -> [(String, String)] = { _ in [] }
        ) throws {
            let bench = try CacheBench(memoryCountLimit: memoryCountLimit)
            let gate = Gate()
            let count = Mutex(0)
            let transport = ScriptedTransport { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // Beside the languages that the machine's user has set.
                if request.head.headerFields.contains(Self.held[0].name) { await gate.pass() }
                var response = Response.make(request, "\(number)", received: bench.clock.now)
                response.head.headerFields = HTTPFields(
                    pairs: [("Cache-Control", "max-age=600")] + fields(number)
                )
                return response
            }
            self.bench = bench
            self.gate = gate
            provider = Provider(transport: transport, cache: bench.cache)
        }

        func get(
            _ policy: CachePolicy = .http,
            method: HTTPRequest.Method = .get,
            _ fields: HTTPFields = [:]
        ) async throws -> Response {
            bench.clock.advance(by: 1)
            await bench.cache.flush()
            return try await provider.response(
                for: Self.target(policy, method, fields),
                from: .cacheIfPossible
            )
        }

        /// Has `meanwhile` happen while a request is held; what became of its response.
        func overtaking(
            _ policy: CachePolicy = .http,
            method: HTTPRequest.Method = .get,
            _ meanwhile: () async throws -> Void
        ) async throws -> CacheStoreOutcome? {
            let target = Self.target(policy, method, Self.held)
            let outcome = Task { [provider] in
                var outcome: CacheStoreOutcome?
                for await event in provider.events(for: target, from: .cacheIfPossible) {
                    if case .storage(let stored) = event { outcome = stored }
                }
                return outcome
            }
            await gate.waitForArrivals()
            try await meanwhile()
            bench.clock.advance(by: 1)
            gate.open()
            return await outcome.value
        }

        private static func target(
            _ policy: CachePolicy,
            _ method: HTTPRequest.Method,
            _ fields: HTTPFields
        ) -> TestTarget {
            TestTarget(
                path: "/a",
                method: method,
                headerFields: fields,
                cachePolicy: policy
            )
        }
    }

    @Test(
        "what was under way when its URL was invalidated is not stored",
        arguments: [CachePolicy.http, .http(in: .memory), .http(in: .disk)]
    )
    func invalidated(policy: CachePolicy) async throws {
        let bench = try Bench()
        let outcome = try await bench.overtaking(policy) {
            let put = try await bench.get(policy, method: .put)
            #expect(put.text == "2")
        }
        #expect(outcome == .notStored(.invalidated))
        #expect(await bench.bench.cache.entries().isEmpty)
        let next = try await bench.get(policy)
        #expect(next.text == "3" && !next.isCached)
        #expect(try await bench.get(policy).isCached)
    }

    @Test("another URL's invalidation, or an unsafe request that fails to change, leaves it")
    func otherURL() async throws {
        let bench = try Bench()
        let outcome = try await bench.overtaking {
            let other = TestTarget(path: "/b", method: .put, cachePolicy: .http)
            _ = try await bench.provider.response(for: other, from: .cacheIfPossible)
        }
        guard case .stored = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test("a response to POST that serves GET is not kept from before another one")
    func posts() async throws {
        let bench = try Bench { _ in [("Content-Location", "/a"), ("Location", "/a")] }
        let outcome = try await bench.overtaking(method: .post) {
            let post = try await bench.get(method: .post)
            #expect(post.text == "2")
        }
        #expect(outcome == .notStored(.invalidated))
        _ = try await bench.get(method: .post)
        let next = try await bench.get()
        #expect(next.text == "3" && next.isCached)
    }

    @Test(
        "a response does not take the place of one that was asked for later, or is of later",
        arguments: [CachePolicy.http, .http(in: .memory), .http(in: .disk)],
        [false, true]
    )
    func outdated(policy: CachePolicy, hasDate: Bool) async throws {
        let start = SetClock().now
        let bench = try Bench { number in
            let date = HTTPDate.format(start.addingTimeInterval(Double(number) - 100))
            return hasDate ? [("Date", date)] : []
        }
        let outcome = try await bench.overtaking(policy) {
            let later = try await bench.get(policy)
            #expect(later.text == "2")
        }
        // Of what is on disk only the writer knows.
        if policy.storage != .disk { #expect(outcome == .notStored(.outdated)) }
        let next = try await bench.get(policy)
        #expect(next.text == "2" && next.isCached)
        #expect(await bench.bench.cache.entries().count == 1)
    }

    @Test("a response that was asked for when another had come takes its place, whatever its Date")
    func reloaded() async throws {
        let start = SetClock().now
        let bench = try Bench { number in
            [("Date", HTTPDate.format(start.addingTimeInterval(Double(-3 * number))))]
        }
        #expect(try await bench.get().text == "1")
        bench.bench.clock.advance(by: 1)
        let target = TestTarget(path: "/a", cachePolicy: .http)
        let reloaded = try await bench.provider.response(for: target, from: .server)
        #expect(reloaded.text == "2")
        let next = try await bench.get()
        #expect(next.text == "2" && next.isCached)
    }

    @Test(
        "times of a clock that has been wrong keep nothing out",
        arguments: [(3600.0, 0.0), (0, -7200)]
    )
    func wrongClocks(ofServer server: Double, ofOurs own: Double) async throws {
        let start = SetClock().now
        let bench = try Bench { number in
            let date = start.addingTimeInterval(number == 1 ? server : 2)
            return [
                ("Date", HTTPDate.format(date)), ("Cache-Control", "no-cache"), ("ETag", "\"1\""),
            ]
        }
        #expect(try await bench.get().text == "1")
        bench.bench.clock.advance(by: own)
        #expect(try await bench.get().text == "2")
        let texts = await bench.bench.cache.stored(for: .make("api.test", "/a"), policy: .http)
            .variants.compactMap { try? $0.entry.body.load() }
        #expect(texts == [Array("2".utf8)])
    }

    @Test("the log of invalidations has a limit, and what it forgets counts as invalidated")
    func limit() {
        var log = InvalidationLog(limit: 2)
        let names = (0..<4).map { KeyName("\($0)") }
        let start = log.mark
        let own = log.note(names[0], after: start)
        #expect(log.has(names[0], after: start) && !log.has(names[0], after: own))
        #expect(!log.has(names[1], after: start))
        #expect(log.note(names[0], after: start) == start)
        _ = log.note(names[1], after: start)
        #expect(!log.has(names[2], after: start))
        _ = log.note(names[2], after: start)
        #expect(names.allSatisfy { log.has($0, after: start) })
        #expect(!log.has(names[0], after: log.mark))
    }
}
