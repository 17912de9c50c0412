import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Hooks that fail, refuse or never answer")
struct HookFaultTests {
    private struct Oops: Error {}

    private func reason(
        _ provider: Provider<TestTarget>,
        from source: DataSource = .server
    ) async -> ApusError.Reason? {
        let (summary, count) = await provider.ending(of: TestTarget(), from: source)
        #expect(count == 1)
        guard case .failure(let error) = summary?.result else { return nil }
        return error.reason
    }

    @Test("a veto ends the exchange with its reason, and nothing is sent")
    func veto() async {
        let transport = ScriptedTransport.answering("x")
        let plugin = TestPlugin(sending: { _, _ in throw Veto("read-only") })
        let provider = Provider.make(transport, plugins: [plugin])
        #expect(await reason(provider) == .vetoed(reason: "read-only"))
        #expect(transport.received.isEmpty)
    }

    @Test("an error of a hook's own names the plugin")
    func named() async {
        let transport = ScriptedTransport.answering("x")
        let plugin = TestPlugin(name: "Tokens", preparing: { _, _ in throw Oops() })
        let provider = Provider.make(transport, plugins: [plugin])
        #expect(await reason(provider) == .hookFailed(plugin: "Tokens", detail: "Oops()"))
        #expect(transport.received.isEmpty)
    }

    private enum Hook: CaseIterable { case prepare, willSend, didReceive, process, didFinish }

    @Test("a hook that never returns is ended by the limit", arguments: Hook.allCases)
    private func silent(hook: Hook) async {
        let clock = ManualClock()
        let never = Gate()
        var plugin = TestPlugin(name: "Silent")
        switch hook {
        case .prepare:
            plugin.preparing = { request, _ in
                await never.pass()
                return request
            }
        case .willSend: plugin.sending = { _, _ in await never.pass() }
        case .didReceive: plugin.receiving = { _, _ in await never.pass() }
        case .process:
            plugin.processing = { result, _ in
                await never.pass()
                return .result(result)
            }
        case .didFinish: plugin.finishing = { _, _ in await never.pass() }
        }
        let provider = Provider.make(
            plugins: [plugin],
            limits: HookLimits(time: .seconds(30)),
            clock: clock
        )
        let run = Task { await provider.ending(of: TestTarget()) }
        await never.waitForArrivals()
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(30))
        let (summary, count) = await run.value
        #expect(count == 1)
        switch hook {
        case .didReceive, .didFinish:
            // Hooks that only look on cannot spoil the response.
            #expect(throws: Never.self) { try summary?.result.get() }
        case .prepare, .willSend, .process:
            let error = #expect(throws: ApusError.self) { try summary?.result.get() }
            #expect(error?.reason == .hookTimeout(plugin: "Silent", limit: .seconds(30)))
        }
        never.open()
    }

    @Test("a plugin may have more time than the others")
    func longerLimit() async {
        let clock = ManualClock()
        let gate = Gate()
        let plugin = TestPlugin(
            hookLimit: .seconds(300),
            preparing: { request, _ in
                await gate.pass()
                return request
            }
        )
        let provider = Provider.make(plugins: [plugin], clock: clock)
        let run = Task { await provider.ending(of: TestTarget()) }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(299))
        gate.open()
        let (summary, _) = await run.value
        #expect(throws: Never.self) { try summary?.result.get() }
    }

    @Test("cancelling ends an exchange whose hook does not hear of it")
    func cancelledInHook() async {
        let gate = Gate()
        let plugin = TestPlugin(preparing: { request, _ in
            await gate.pass()
            return request
        })
        let provider = Provider.make(plugins: [plugin])
        let run = Task { await reason(provider) }
        await gate.waitForArrivals()
        run.cancel()
        #expect(await run.value == .cancelled)
        gate.open()
    }

    @Test("an interceptor that never answers is ended by the limit")
    func silentInterceptor() async {
        let clock = ManualClock()
        let never = Gate()
        let interceptor = TestInterceptor(name: "Stuck") { request, _, next in
            await never.pass()
            return try await next(request)
        }
        let provider = Provider.make(interceptors: [interceptor], clock: clock)
        let run = Task { await reason(provider) }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(30))
        #expect(await run.value == .hookTimeout(plugin: "Stuck", limit: .seconds(30)))
        never.open()
    }

    @Test("the time that the server takes does not count for an interceptor")
    func slowServer() async {
        let clock = ManualClock()
        let gate = Gate()
        let transport = ScriptedTransport { request throws(ApusError) in
            await gate.pass()
            return .make(request, "late")
        }
        let interceptor = TestInterceptor { request, _, next in try await next(request) }
        let plugin = TestPlugin(processing: { result, _ in
            // Another hook after it has the clock's attention.
            try await clock.sleep(for: .seconds(1))
            return .result(result)
        })
        let provider = Provider.make(
            transport,
            plugins: [plugin],
            interceptors: [interceptor],
            clock: clock
        )
        let run = Task { await provider.ending(of: TestTarget()) }
        await gate.waitForArrivals()
        clock.advance(by: .seconds(3600))
        gate.open()
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(1))
        let (summary, _) = await run.value
        #expect(throws: Never.self) { try summary?.result.get() }
    }

    @Test("process replaces responses and failures, each plugin after the one before")
    func fold() async throws {
        let rescue = TestPlugin(processing: { result, context in
            guard case .failure = result, let request = context.request else {
                return .result(result)
            }
            return .result(.success(.make(request, "rescued")))
        })
        let shout = TestPlugin(processing: { result, _ in
            .result(result.map { .make($0.request, ($0.text ?? "").uppercased()) })
        })
        let provider = Provider.make(.down, plugins: [rescue, shout])
        #expect(try await provider.response(for: TestTarget()).text == "RESCUED")
    }

    @Test("a plugin that always retries is stopped after the provider's number")
    func boundedRetry() async throws {
        let transport = ScriptedTransport.answering("again")
        let plugin = TestPlugin(processing: { _, _ in .retry(after: .zero) })
        let provider = Provider.make(
            transport,
            plugins: [plugin],
            limits: HookLimits(retries: 4)
        )
        let (summary, count) = await provider.ending(of: TestTarget())
        #expect(count == 1)
        #expect(try summary?.result.get().text == "again")
        #expect(summary?.attempts == 5)
        #expect(transport.received.count == 5)
    }

    @Test("a failure that process made of a cached response is told, or the server is asked")
    func refusedCached() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let plugin = TestPlugin(processing: { result, context in
            if context.source?.cacheHit != nil { throw Veto("too old for me") }
            return .result(result)
        })
        let provider = Provider.make(cache: cache, plugins: [plugin])
        #expect(await reason(provider, from: .cache) == .vetoed(reason: "too old for me"))
        let answer = try await provider.response(for: TestTarget(), from: .cacheIfPossible)
        #expect(answer.text == "new")
    }

    @Test("a cached response that is dropped for a retry counts as a miss")
    func droppedCached() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let plugin = TestPlugin(processing: { result, context in
            context.source?.cacheHit == nil ? .result(result) : .retry(after: .zero)
        })
        let provider = Provider.make(cache: cache, plugins: [plugin])
        guard case .cacheMiss(_, .refused) = await reason(provider, from: .cache) else {
            Issue.record("not refused")
            return
        }
        let answer = try await provider.response(for: TestTarget(), from: .cacheIfPossible)
        #expect(answer.text == "new")
    }

    @Test("the cache keeps what the server said, and every delivery is processed once")
    func processedOnce() async throws {
        let plugin = TestPlugin(processing: { result, _ in
            .result(
                result.map { response in
                    var response = response
                    response.body = .bytes(Array("<\(response.text ?? "")>".utf8))
                    return response
                }
            )
        })
        let provider = Provider.make(plugins: [plugin])
        #expect(try await provider.response(for: TestTarget()).text == "<new>")
        #expect(try await provider.response(for: TestTarget(), from: .cache).text == "<new>")
    }
}
