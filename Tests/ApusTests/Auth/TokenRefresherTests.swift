import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Refreshing a token")
struct TokenRefresherTests {
    /// A server that takes one token at a time, and counts.
    private final class Gate: Sendable {
        struct State {
            var good = "1"
            var refreshes = 0
            var refused = 0
        }
        let state = Mutex(State())

        var refreshes: Int { state.withLock(\.refreshes) }
        var refused: Int { state.withLock(\.refused) }

        func transport() -> ScriptedTransport {
            ScriptedTransport { [self] request throws(ApusError) in
                let token = request.head.headerFields[.authorization]
                let isGood = state.withLock { state in
                    let isGood = token == "Bearer \(state.good)"
                    if !isGood { state.refused += 1 }
                    return isGood
                }
                return .make(request, token ?? "none", status: isGood ? 200 : 401)
            }
        }

        /// Gives the next token, which is then the good one.
        func renew() -> AccessToken {
            state.withLock { state in
                state.refreshes += 1
                state.good = "new\(state.refreshes)"
                return AccessToken(Secret(state.good))
            }
        }
    }

    private static func provider(
        _ transport: ScriptedTransport,
        _ refresher: TokenRefresher,
        limit: Int = 1
    ) -> Provider<TestTarget> {
        .make(transport, interceptors: [RefreshInterceptor(refresher, limit: limit)])
    }

    @Test("a hundred requests with a refused token share one refresh, and all are answered")
    func hundred() async throws {
        let gate = Gate()
        gate.state.withLock { $0.good = "other" }
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher(token: AccessToken("old")) { old, _ in
            #expect(old?.value == "old")
            // Until all of them have been refused.
            for await _ in opened.stream { break }
            return gate.renew()
        }
        let provider = Self.provider(gate.transport(), refresher)
        let answers = try await withThrowingTaskGroup(of: Response.self) { group in
            for number in 0..<100 {
                group.addTask { try await provider.response(for: TestTarget(path: "/\(number)")) }
            }
            while refresher.waitingCount < 100 { await Task.yield() }
            opened.continuation.yield()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.status == 200 && $0.text == "Bearer new1" })
        #expect(gate.refreshes == 1)
        #expect(gate.refused == 100)
    }

    @Test("a request whose token was replaced while it was under way does not refresh again")
    func comparesTokens() async throws {
        let gate = Gate()
        gate.state.withLock { $0.good = "new" }
        let refresher = TokenRefresher(token: AccessToken("old")) { _, _ in gate.renew() }
        let transport = ScriptedTransport { request throws(ApusError) in
            let token = request.head.headerFields[.authorization]
            // Somebody else signs in before the refusal arrives.
            if token == "Bearer old" { refresher.token = AccessToken("new") }
            return .make(request, "", status: token == "Bearer new" ? 200 : 401)
        }
        let answer = try await Self.provider(transport, refresher).response(for: TestTarget())
        #expect(answer.status == 200)
        #expect(gate.refreshes == 0)
    }

    @Test("a server that refuses every token is asked as often as the limit says", arguments: 0...2)
    func bounded(limit: Int) async throws {
        let refresher = TokenRefresher(token: AccessToken("0")) { old, _ in
            AccessToken(Secret((old?.value.value ?? "") + "+"))
        }
        let transport = ScriptedTransport.answering("no", status: 401)
        let provider = Self.provider(transport, refresher, limit: limit)
        let answer = try await provider.response(for: TestTarget())
        #expect(answer.status == 401)
        #expect(transport.received.count == limit + 1)
    }

    @Test("a refusal that validation makes an error is refreshed too")
    func validation() async throws {
        let gate = Gate()
        gate.state.withLock { $0.good = "other" }
        let refresher = TokenRefresher(token: AccessToken("old")) { _, _ in gate.renew() }
        let provider = Self.provider(gate.transport(), refresher)
        let answer = try await provider.response(for: TestTarget(validation: .successCodes))
        #expect(answer.status == 200)
    }

    @Test("the hooks see one response, and an attempt for each sending")
    func hooks() async throws {
        let gate = Gate()
        gate.state.withLock { $0.good = "other" }
        let log = HookLog()
        let refresher = TokenRefresher(token: AccessToken("old")) { _, _ in gate.renew() }
        let provider = Provider.make(
            gate.transport(),
            plugins: [LoggingPlugin(log)],
            interceptors: [RefreshInterceptor(refresher)]
        )
        _ = try await provider.response(for: TestTarget())
        #expect(
            log.all == [
                "a plan", "a adapt", "a prepare", "a willSend 1", "a willSend 2",
                "a didReceive server",
                "a process server", "a didFinish server",
            ]
        )
    }

    @Test("a refresh that fails, fails all who wait with its cause; the next one tries again")
    func failing() async throws {
        struct Refused: Error {}
        let gate = Gate()
        let tries = Mutex(0)
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher { _, _ in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            guard number == 1 else { return AccessToken("1") }
            for await _ in opened.stream { break }
            throw ApusError(.refused(OAuth2Refusal(code: "invalid_grant")))
        }
        let provider = Self.provider(gate.transport(), refresher)
        let causes = await withTaskGroup(of: ApusError.Reason?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do throws(ApusError) {
                        _ = try await provider.response(for: TestTarget())
                        return nil
                    } catch {
                        return error.reason
                    }
                }
            }
            while refresher.waitingCount < 10 { await Task.yield() }
            opened.continuation.yield()
            return await group.reduce(into: []) { $0.append($1) }
        }
        let cause = ApusError.Reason.authorization(.refused(OAuth2Refusal(code: "invalid_grant")))
        #expect(causes == Array(repeating: cause, count: 10))
        let answer = try await provider.response(for: TestTarget())
        #expect(answer.status == 200)
    }

    @Test("one who is cancelled leaves the refresh to the others")
    func cancelsOne() async throws {
        let gate = Gate()
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher { _, _ in
            for await _ in opened.stream { break }
            try Task.checkCancellation()
            return AccessToken("1")
        }
        let provider = Self.provider(gate.transport(), refresher)
        let leaving = Task { try await provider.response(for: TestTarget()) }
        while refresher.waitingCount < 1 { await Task.yield() }
        let staying = Task { try await provider.response(for: TestTarget()) }
        while refresher.waitingCount < 2 { await Task.yield() }
        leaving.cancel()
        let result = await leaving.result
        #expect(throws: ApusError.self) { try result.get() }
        opened.continuation.yield()
        #expect(try await staying.value.status == 200)
    }

    @Test("what a refresh sends goes on for the others when the one who began it is cancelled")
    func cancelsBeginner() async throws {
        let server = Gate()
        let login = AsyncStream<Void>.makeStream()
        let isAsked = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path == "/login" else {
                return try await server.transport().send(request, progress: nil)
            }
            isAsked.continuation.yield()
            for await _ in login.stream { return .make(request, "1") }
            throw ApusError(.cancelled)
        }
        let refresher = TokenRefresher { _, context in
            let answer = try await context.send(TestTarget(path: "/login"))
            return AccessToken(Secret(answer.text ?? ""))
        }
        let provider = Self.provider(transport, refresher)
        let beginning = Task { try await provider.response(for: TestTarget()) }
        for await _ in isAsked.stream { break }
        let staying = Task { try await provider.response(for: TestTarget()) }
        while refresher.waitingCount < 2 { await Task.yield() }
        beginning.cancel()
        _ = await beginning.result
        login.continuation.yield()
        #expect(try await staying.value.status == 200)
    }

    @Test("when all who wait are cancelled, so is the refresh")
    func cancelsAll() async throws {
        let gate = Gate()
        let ended = AsyncStream<Bool>.makeStream()
        let refresher = TokenRefresher { _, _ in
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            ended.continuation.yield(Task.isCancelled)
            throw CancellationError()
        }
        let provider = Self.provider(gate.transport(), refresher)
        let tasks = (0..<3).map { _ in
            Task { try await provider.response(for: TestTarget()) }
        }
        while refresher.waitingCount < 3 { await Task.yield() }
        for task in tasks { task.cancel() }
        var wasCancelled = false
        for await isCancelled in ended.stream {
            wasCancelled = isCancelled
            break
        }
        #expect(wasCancelled)
        #expect(refresher.token == nil)
    }

    @Test(
        "who signs out or in during a refresh stays so, and the requests that wait are cancelled",
        arguments: [nil, "other"] as [String?]
    )
    func sessionEnds(next: String?) async throws {
        let gate = Gate()
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher(token: AccessToken("old")) { _, _ in
            for await _ in opened.stream { break }
            return gate.renew()
        }
        let provider = Self.provider(gate.transport(), refresher)
        let waiting = Task { try await provider.response(for: TestTarget()) }
        while refresher.waitingCount < 1 { await Task.yield() }
        refresher.token = next.map { AccessToken(Secret($0)) }
        opened.continuation.yield()
        let error = await #expect(throws: ApusError.self) { try await waiting.value }
        #expect(error?.reason == .cancelled)
        #expect(refresher.token?.value.value == next)
    }

    @Test("a token that is set during a refresh of the same account is for those who wait")
    func sameAccount() async throws {
        let gate = Gate()
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher { _, _ in
            for await _ in opened.stream { break }
            return AccessToken("late")
        }
        let provider = Self.provider(gate.transport(), refresher)
        let waiting = Task { try await provider.response(for: TestTarget()) }
        while refresher.waitingCount < 1 { await Task.yield() }
        refresher.token = AccessToken("1")
        opened.continuation.yield()
        #expect(try await waiting.value.text == "Bearer 1")
        #expect(refresher.token?.value == "1")
    }

    @Test("a request of the next user does not wait for the refresh of the last one")
    func ownRefresh() async throws {
        let gate = Gate()
        let opened = AsyncStream<Void>.makeStream()
        let refresher = TokenRefresher(token: AccessToken("old")) { old, _ in
            if old?.value == "other" { return AccessToken("1") }
            for await _ in opened.stream { break }
            return AccessToken("late")
        }
        let provider = Self.provider(gate.transport(), refresher)
        let waiting = Task { try await provider.response(for: TestTarget()) }
        while gate.refused < 1 || refresher.waitingCount < 1 { await Task.yield() }
        refresher.token = AccessToken("other")
        #expect(try await provider.response(for: TestTarget()).text == "Bearer 1")
        opened.continuation.yield()
        _ = await waiting.result
        #expect(refresher.token?.value == "1")
    }

    @Test(
        "a token is replaced before it ends, by the leeway",
        arguments: [(31, 0), (30, 1), (0, 1), (-5, 1)]
    )
    func expiry(secondsLeft: Int, refreshes: Int) async throws {
        let gate = Gate()
        let date = Date(timeIntervalSince1970: 1000)
        let token = AccessToken("1", expires: date.addingTimeInterval(Double(secondsLeft)))
        let refresher = TokenRefresher(
            token: token,
            now: { date },
            refresh: { _, _ in gate.renew() }
        )
        _ = try await Self.provider(gate.transport(), refresher).response(for: TestTarget())
        #expect(gate.refreshes == refreshes)
        #expect(gate.refused == 0)
    }

    @Test("a refresh through the same provider goes without a token, and not in a circle")
    func sameProvider() async throws {
        let gate = Gate()
        let refresher = TokenRefresher { _, context in
            let answer = try await context.sendIndependently(TestTarget(path: "/login"))
            return AccessToken(Secret(answer.text ?? ""))
        }
        let inner = gate.transport()
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path == "/login" else {
                return try await inner.send(request, progress: nil)
            }
            #expect(request.head.headerFields[.authorization] == nil)
            return .make(request, "1", status: 200)
        }
        let answer = try await Self.provider(transport, refresher).response(for: TestTarget())
        #expect(answer.text == "Bearer 1")
        #expect(transport.received.map(\.head.path) == ["/login", "/users/7"])
    }

    @Test("a new token of the same account still finds what the cache keeps, another does not")
    func cacheKey() async throws {
        let gate = Gate()
        let refresher = TokenRefresher(token: AccessToken("1")) { _, _ in gate.renew() }
        let provider = Self.provider(gate.transport(), refresher)
        _ = try await provider.response(for: TestTarget())
        let account = refresher.account
        refresher.token = AccessToken("2")
        await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget(), from: .cache)
        }
        refresher.account = account
        let cached = try await provider.response(for: TestTarget(), from: .cache)
        #expect(cached.text == "Bearer 1")
    }
}
