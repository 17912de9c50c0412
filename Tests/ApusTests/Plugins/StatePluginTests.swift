import FoundationEssentials
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
                "#1 succeeded(Apus.ResponseSource.server)",
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
