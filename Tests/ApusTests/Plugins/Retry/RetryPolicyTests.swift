import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Retrying what failed for reasons that pass")
struct RetryPolicyTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private let pauses = HookLog()

    private func policy(
        limit: Int = 2,
        maximumPause: Duration = .seconds(60),
        random: Double = 0
    ) -> RetryPolicy {
        RetryPolicy(
            limit: limit,
            maximumPause: maximumPause,
            environment: RetryPolicy.Environment(
                clock: HastyClock(pauses),
                now: { Self.now },
                random: { random }
            )
        )
    }

    private func attempts(
        _ transport: ScriptedTransport,
        _ policy: RetryPolicy,
        _ target: TestTarget = TestTarget()
    ) async -> Int? {
        await Provider.make(transport, interceptors: [policy]).ending(of: target).summary?.attempts
    }

    @Test(
        "these statuses are repeated, twice and then shown",
        arguments: [408, 429, 500, 502, 503, 504]
    )
    func temporaryStatuses(status: Int) async throws {
        let transport = ScriptedTransport.answering("ill", status: status)
        let provider = Provider.make(transport, interceptors: [policy()])
        #expect(try await provider.response(for: TestTarget()).status == status)
        #expect(transport.received.count == 3)
        #expect(pauses.all == ["0.5 seconds", "1.0 seconds"])
    }

    @Test("other statuses are responses", arguments: [200, 304, 400, 401, 404, 501, 505])
    func otherStatuses(status: Int) async {
        #expect(await attempts(.answering("x", status: status), policy()) == 1)
    }

    @Test("a status that validation refuses is repeated as well")
    func refused() async {
        let target = TestTarget(validation: .successCodes)
        #expect(await attempts(.answering("x", status: 503), policy(), target) == 3)
        #expect(await attempts(.answering("x", status: 404), policy(), target) == 1)
    }

    @Test("it ends as soon as the server is well")
    func heals() async throws {
        let turns = StubSequence(StubResponse(status: 503), .text("well"))
        let provider = Provider.make(
            interceptors: [policy(limit: 5)],
            stubs: Stubs { _ in .immediate(turns.next()) }
        )
        #expect(try await provider.response(for: TestTarget()).text == "well")
        #expect(turns.count == 2)
    }

    private static let connect = ApusError.Reason.connect(host: "h", port: 1, detail: "")

    private static let table: [(HTTPRequest.Method, ApusError.Reason, Int)] = [
        (.get, connect, 3),
        (.post, connect, 3),
        (.get, .nameLookup(host: "h", detail: ""), 3),
        (.post, .timeout(.connecting, limit: .seconds(1)), 3),
        (.get, .timeout(.waiting, limit: .seconds(1)), 3),
        (.post, .timeout(.waiting, limit: .seconds(1)), 1),
        (.put, .timeout(.receiving, limit: .seconds(1)), 3),
        (.get, .cancelled, 1),
        (.get, .vetoed(reason: ""), 1),
        (.get, .bodyTooLarge(limit: 1), 1),
    ]

    @Test(
        "what reached the server is repeated only with an idempotent method",
        arguments: table.indices
    )
    func faults(row: Int) async {
        let (method, reason, expected) = Self.table[row]
        let transport = ScriptedTransport { _ throws(ApusError) in throw ApusError(reason) }
        let target = TestTarget(method: method)
        #expect(await attempts(transport, policy(), target) == expected)
    }

    @Test(
        "a POST that was answered by a redirect to nothing is not repeated",
        arguments: [302, 307]
    )
    func redirected(status: Int) async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let server = try RawServer { _ in
            let head = "HTTP/1.1 \(status) X\r\nLocation: \(closed.base)/\r\n"
            return [.send(head + "Content-Length: 0\r\n\r\n")]
        }
        let provider = Provider<TestTarget>(
            transport: CurlTransport(),
            interceptors: [policy()]
        )
        let target = TestTarget(base: "http://\(server.authority)", method: .post)
        let end = await provider.ending(of: target)
        #expect(end.summary?.attempts == 1)
        #expect(server.received.count == 1)
        let safe = TestTarget(base: "http://\(server.authority)", method: .put)
        #expect(await provider.ending(of: safe).summary?.attempts == 3)
    }

    @Test("a POST that got a 503 is not repeated")
    func unsafePost() async {
        let target = TestTarget(method: .post)
        #expect(await attempts(.answering("x", status: 503), policy(), target) == 1)
    }

    @Test(
        "Retry-After takes the pause's place",
        arguments: [
            ("7", ["7.0 seconds", "7.0 seconds"]),
            ("0", ["0.0 seconds", "0.0 seconds"]),
            // Five seconds after the test's now.
            ("Sun, 06 Nov 1994 08:49:42 GMT", ["5.0 seconds", "5.0 seconds"]),
            ("Sun, 06 Nov 1994 08:00:00 GMT", ["0.0 seconds", "0.0 seconds"]),
            ("soon", ["0.5 seconds", "1.0 seconds"]),
            // Longer than it may be: no use to ask again.
            ("3600", []),
        ]
    )
    func retryAfter(value: String, expected: [String]) async {
        let transport = ScriptedTransport { request in
            var response = Response.make(request, "x", status: 503)
            response.head.headerFields[.retryAfter] = value
            return response
        }
        #expect(await attempts(transport, policy()) == expected.count + 1)
        #expect(pauses.all == expected)
    }

    @Test("pauses grow up to the longest, and chance shortens them")
    func growth() async {
        var long = policy(limit: 6, maximumPause: .seconds(4), random: 0)
        _ = await attempts(.answering("x", status: 503), long)
        #expect(
            pauses.all
                == ["0.5", "1.0", "2.0", "4.0", "4.0", "4.0"].map { "\($0) seconds" }
        )
        long = policy(limit: 1, random: 0.5)
        _ = await attempts(.answering("x", status: 503), long)
        #expect(pauses.all.last == "0.375 seconds")
    }

    @Test("a pause ends with the exchange")
    func cancelled() async {
        let clock = ManualClock()
        let policy = RetryPolicy(environment: RetryPolicy.Environment(clock: clock))
        let provider = Provider.make(.answering("x", status: 503), interceptors: [policy])
        let run = Task { await provider.ending(of: TestTarget()) }
        await clock.waitUntilAsleep()
        run.cancel()
        let (summary, count) = await run.value
        #expect(count == 1)
        let error = #expect(throws: ApusError.self) { try summary?.result.get() }
        #expect(error?.reason == .cancelled)
        #expect(summary?.attempts == 1)
    }

    @Test("a download that is repeated is not in its own way")
    func download() async throws {
        let path = Temporary.folder() + "/file"
        let turns = StubSequence(
            StubResponse(status: 503, body: .bytes(Array("ill".utf8))),
            .text("well")
        )
        let provider = Provider.make(
            interceptors: [policy()],
            stubs: Stubs { _ in .immediate(turns.next()) }
        )
        let target = TestTarget(
            task: .download(to: DownloadDestination(path: path), sending: .plain)
        )
        #expect(try await provider.response(for: target).text == "well")
        #expect(try FileBytes.read(path) == Array("well".utf8))
    }
}
