import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("The states of exchanges")
struct StatePluginTests {
    private let log = HookLog()

    private func plugin() -> StatePlugin {
        let log = log
        return StatePlugin { state, context in log.add("\(context.id) \(state)") }
    }

    @Test("the last state is how it ended, and then it is forgotten")
    func ends() async throws {
        let plugin = plugin()
        let provider = Provider.make(plugins: [plugin])
        _ = try await provider.response(for: TestTarget())
        #expect(
            log.all == [
                "#1 preparing", "#1 sending(attempt: 1)", "#1 processing",
                "#1 succeeded(server)",
            ]
        )
        #expect(plugin.running.isEmpty)
    }

    @Test("a failure is the last state of an exchange that failed")
    func fails() async {
        let provider = Provider.make(plugins: [plugin()])
        _ = await provider.ending(of: TestTarget(base: "ftp://h"))
        #expect(log.all.first == "#1 processing")
        #expect(log.all.last?.hasPrefix("#1 failed(") == true)
        #expect(log.all.count == 2)
    }

    private enum Show: TargetType, Hashable {
        case page(Int)

        var baseURL: URL { TestTarget().baseURL }
        var path: String { "/show" }
    }

    @Test("a target has the state of the exchange that began last, also after its end")
    func ofTarget() async throws {
        let (arrived, isWaiting) = AsyncStream<Void>.makeStream()
        let (held, open) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request throws(ApusError) in
            isWaiting.yield()
            for await _ in held {}
            throw ApusError(.vetoed(reason: "no"))
        }
        let plugin = plugin()
        let failing = Provider<MultiTarget>(transport: transport, plugins: [plugin])
        #expect(plugin.state(of: Show.page(1)) == nil)
        let run = Task {
            // A wrapper is no target of its own.
            try await failing.response(for: MultiTarget(Show.page(1)))
        }
        for await _ in arrived { break }
        #expect(plugin.state(of: Show.page(1)) == .sending(attempt: 1))
        #expect(plugin.state(of: Show.page(2)) == nil)
        open.finish()
        _ = await run.result
        #expect(plugin.state(of: Show.page(1)) == .failed(.vetoed(reason: "no")))
        #expect(plugin.running.isEmpty)
    }

    @Test("an older exchange that ends later does not count, and only so many are remembered")
    func newestOfTarget() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.headerFields[.accept] == nil else { return .make(request, "new") }
            await gate.pass()
            throw ApusError(.vetoed(reason: "late"))
        }
        let plugin = StatePlugin(maximumTargets: 2)
        let provider = Provider<Show>(transport: transport, plugins: [plugin])
        let older = Task { try await provider.response(for: .page(1)) }
        await gate.waitForArrivals(1)
        _ = try await provider.modifying { $0.head.headerFields[.accept] = "now" }
            .response(for: .page(1))
        gate.open()
        _ = await older.result
        #expect(plugin.state(of: Show.page(1)) == .succeeded(.server))
        let quick = provider.modifying { $0.head.headerFields[.accept] = "now" }
        for page in 2...3 { _ = try await quick.response(for: .page(page)) }
        #expect(plugin.state(of: Show.page(1)) == nil)
        #expect(plugin.state(of: Show.page(3)) == .succeeded(.server))
    }

    @Test("to prepare a request, or to look into the cache, is no state of the target")
    func unsent() async throws {
        let plugin = plugin()
        let provider = Provider<Show>(
            transport: ScriptedTransport { .make($0, "x") },
            cache: .inMemory,
            plugins: [plugin]
        )
        _ = try await provider.preparedRequest(for: .page(1))
        #expect(try await provider.cachedResponse(for: .page(1)) == nil)
        #expect(plugin.state(of: Show.page(1)) == nil)
        _ = try await provider.response(for: .page(1))
        _ = try await provider.preparedRequest(for: .page(1))
        #expect(plugin.state(of: Show.page(1)) == .succeeded(.server))
        #expect(plugin.running.isEmpty)
        // Each call is reported nevertheless, and none as a failure.
        #expect(log.all.last == "#4 previewed", "\(log.all)")
    }

    @Test("states of exchanges at the same time do not mix")
    func atOnce() async {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            await gate.pass()
            return .make(request, "x")
        }
        let plugin = plugin()
        let provider = Provider.make(transport, plugins: [plugin])
        let runs = (0..<20).map { _ in Task { await provider.ending(of: TestTarget()) } }
        await gate.waitForArrivals(20)
        #expect(plugin.running.count == 20)
        #expect(plugin.running.values.allSatisfy { $0 == .sending(attempt: 1) })
        gate.open()
        for run in runs { _ = await run.value }
        #expect(plugin.running.isEmpty)
        #expect(log.all.count { $0.contains("succeeded") } == 20)
    }
}
