import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("The hooks under HTTP caching")
struct HookOrderHTTPTests {
    private let log = HookLog()
    private let clock = SetClock()

    private func provider(_ control: String) -> (Provider<TestTarget>, ScriptedTransport) {
        let transport = ScriptedTransport { [clock] request in
            var response = Response.make(request, "new", received: clock.now)
            response.head.headerFields[.cacheControl] = control
            response.head.headerFields[.eTag] = "\"1\""
            guard request.head.headerFields[.ifNoneMatch] != nil else { return response }
            response.head.status = .notModified
            response.body = .bytes([])
            return response
        }
        let cache = ResponseCache(
            configuration: .init(directory: "/dev/null/apus-tests"),
            clock: { [clock] in clock.now }
        )
        return (Provider.make(transport, cache: cache, plugins: [LoggingPlugin(log)]), transport)
    }

    private var target: TestTarget { TestTarget(cachePolicy: .http(in: .memory)) }

    @Test("a fresh response is not sent for, and passes the other hooks")
    func fresh() async throws {
        let (provider, transport) = provider("max-age=60")
        _ = try await provider.response(for: target, from: .cacheIfPossible)
        let before = log.all.count
        _ = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(
            Array(log.all.dropFirst(before)) == [
                "a plan", "a adapt", "a prepare", "a didReceive memory", "a process memory",
                "a didFinish memory",
            ]
        )
        #expect(transport.received.count == 1)
    }

    @Test("a response that is validated is sent for, and processed once")
    func validated() async throws {
        let (provider, transport) = provider("max-age=60")
        _ = try await provider.response(for: target, from: .cacheIfPossible)
        clock.advance(by: 61)
        let before = log.all.count
        let answer = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(answer.text == "new")
        let hooks = Array(log.all.dropFirst(before))
        #expect(hooks.prefix(4) == ["a plan", "a adapt", "a prepare", "a willSend 1"])
        #expect(hooks.count { $0.contains("didReceive") } == 1)
        #expect(hooks.count { $0.contains("process") } == 1)
        #expect(hooks.count { $0.contains("didFinish") } == 1)
        #expect(transport.received.count == 2)
    }

    @Test("what is repeated behind a stale response begins and ends for plugins too")
    func behind() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let counter = HookLog()
        let activity = ActivityPlugin { change, count, context in
            counter.add("\(change) \(context.parent?.description ?? "-")")
            if change == .ended { end.yield() }
        }
        let (plain, transport) = provider("max-age=1, stale-while-revalidate=600")
        let provider = Provider.make(transport, cache: plain.cache, plugins: [activity])
        _ = try await plain.response(for: target, from: .cacheIfPossible)
        clock.advance(by: 10)
        let answer = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(answer.text == "new")
        for await _ in ended { break }
        #expect(counter.all == ["began #1", "ended #1"])
        #expect(activity.count == 0)
    }
}
