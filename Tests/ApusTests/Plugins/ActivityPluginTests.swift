import FoundationEssentials
import Synchronization
import Testing

@testable import Apus

@Suite("The activity counter")
struct ActivityPluginTests {
    private let log = HookLog()

    private func plugin() -> ActivityPlugin {
        let log = log
        return ActivityPlugin { change, count, _ in log.add("\(change) \(count)") }
    }

    @Test("an exchange begins and ends once, however often it is sent")
    func paired() async throws {
        let again = TestInterceptor { request, _, next in
            _ = try await next(request)
            return try await next(request)
        }
        let plugin = plugin()
        let provider = Provider.make(plugins: [plugin], interceptors: [again])
        _ = try await provider.response(for: TestTarget())
        #expect(log.all == ["began 1", "ended 0"])
        #expect(plugin.count == 0)
    }

    @Test("it ends also after a veto, a failure and a cancellation")
    func failures() async {
        let veto = TestPlugin(sending: { _, _ in throw Veto("no") })
        _ = await Provider.make(plugins: [plugin(), veto]).ending(of: TestTarget())
        _ = await Provider.make(.down, plugins: [plugin()]).ending(of: TestTarget())
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let provider = Provider.make(.silent(continuation), plugins: [plugin()])
        let run = Task { await provider.ending(of: TestTarget()) }
        for await _ in isWaiting { break }
        run.cancel()
        _ = await run.value
        #expect(log.all == Array(repeating: ["began 1", "ended 0"], count: 3).flatMap { $0 })
    }

    @Test("what is never sent is no activity")
    func idle() async throws {
        let provider = Provider.make(plugins: [plugin()])
        _ = await provider.ending(of: TestTarget(base: "ftp://h"))
        _ = await provider.ending(of: TestTarget(), from: .cache)
        #expect(log.all.isEmpty)
    }

    @Test("exchanges that overlap are counted")
    func overlapping() async {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            await gate.pass()
            return .make(request, "x")
        }
        let plugin = plugin()
        let provider = Provider.make(transport, plugins: [plugin])
        let runs = (0..<10).map { _ in Task { await provider.ending(of: TestTarget()) } }
        await gate.waitForArrivals(10)
        #expect(plugin.count == 10)
        gate.open()
        for run in runs { _ = await run.value }
        #expect(plugin.count == 0)
    }
}
