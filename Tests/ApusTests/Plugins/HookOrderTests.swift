import FoundationEssentials
import Testing

@testable import Apus

@Suite("The hooks, in their order")
struct HookOrderTests {
    private let log = HookLog()

    private func plugins() -> [any Plugin] {
        [LoggingPlugin(log), LoggingPlugin(log, as: "b")]
    }

    private func interceptors() -> [any Interceptor] {
        ["x", "y"].map { name in
            TestInterceptor(name: name) { [log] request, context, next in
                log.add("\(name) in \(context.attempt)")
                let response = try await next(request)
                log.add("\(name) out")
                return response
            }
        }
    }

    private static func pairs(_ names: String...) -> [String] {
        names.flatMap { ["a \($0)", "b \($0)"] }
    }

    private static func sent(_ source: String) -> [String] {
        pairs("plan", "adapt", "prepare") + ["x in 1", "y in 1"] + pairs("willSend 1") + [
            "y out", "x out",
        ]
            + pairs("didReceive \(source)", "process \(source)", "didFinish \(source)")
    }

    @Test("a response of the server passes every hook of every plugin")
    func live() async throws {
        let provider = Provider.make(plugins: plugins(), interceptors: interceptors())
        _ = try await provider.response(for: TestTarget())
        #expect(log.all == Self.sent("server"))
    }

    @Test("a stubbed response passes the same hooks", arguments: [true, false])
    func stubbed(isDelayed: Bool) async throws {
        let provider = Provider.make(
            plugins: plugins(),
            interceptors: interceptors(),
            stubs: isDelayed ? .delayed(.zero) : .immediate
        )
        _ = try await provider.response(for: TestTarget())
        #expect(log.all == Self.sent("stub"))
    }

    @Test("a replayed response passes the same hooks")
    func replayed() async throws {
        let provider = Provider.make(
            plugins: plugins(),
            interceptors: interceptors(),
            stubs: .replaying(ScriptedTransport.answering("recorded"))
        )
        _ = try await provider.response(for: TestTarget())
        #expect(log.all == Self.sent("replay"))
    }

    @Test("a cached response passes the same hooks but those around the server")
    func cached() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(cache: cache).response(for: TestTarget())
        let provider = Provider.make(
            cache: cache,
            plugins: plugins(),
            interceptors: interceptors()
        )
        let answer = try await provider.response(for: TestTarget(), from: .cache)
        #expect(answer.text == "new")
        #expect(
            log.all
                == Self.pairs(
                    "plan",
                    "adapt",
                    "prepare",
                    "didReceive memory",
                    "process memory",
                    "didFinish memory"
                )
        )
    }

    @Test("both responses of cacheAndServer are received and processed, and there is one end")
    func twice() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(cache: cache).response(for: TestTarget())
        let provider = Provider.make(cache: cache, plugins: [LoggingPlugin(log)])
        _ = try await provider.response(for: TestTarget(), from: .cacheAndServer)
        #expect(
            log.all == [
                "a plan", "a adapt", "a prepare", "a didReceive memory", "a process memory",
                "a willSend 1",
                "a didReceive server", "a process server", "a didFinish server",
            ]
        )
    }

    private struct Failing: Sendable, CustomStringConvertible {
        let description: String
        var target = TestTarget()
        var transport: @Sendable () -> ScriptedTransport = { .answering("new") }
        var plugin = TestPlugin()
        var source = DataSource.server
        let hooks: [String]
    }

    private static let failures = [
        Failing(
            description: "a target that cannot be built",
            target: TestTarget(base: "ftp://h"),
            hooks: ["plan", "adapt", "didReceive invalid", "process invalid", "didFinish invalid"]
        ),
        Failing(
            description: "prepare throws",
            plugin: TestPlugin(preparing: { _, _ in throw Oops() }),
            hooks: [
                "plan", "adapt", "prepare", "didReceive hookFailed", "process hookFailed",
                "didFinish hookFailed",
            ]
        ),
        Failing(
            description: "a veto",
            plugin: TestPlugin(sending: { _, _ in throw Veto("not today") }),
            hooks: [
                "plan", "adapt", "prepare", "willSend 1", "didReceive vetoed", "process vetoed",
                "didFinish vetoed",
            ]
        ),
        Failing(
            description: "the server is down",
            transport: { .down },
            hooks: [
                "plan", "adapt", "prepare", "willSend 1", "didReceive down", "process down",
                "didFinish down",
            ]
        ),
        Failing(
            description: "validation refuses the status",
            target: TestTarget(validation: .successCodes),
            transport: { .answering("gone", status: 410) },
            hooks: [
                "plan", "adapt", "prepare", "willSend 1", "didReceive status 410",
                "process status 410",
                "didFinish status 410",
            ]
        ),
        Failing(
            description: "process throws",
            plugin: TestPlugin(processing: { _, _ in throw Oops() }),
            hooks: [
                "plan", "adapt", "prepare", "willSend 1", "didReceive server", "process server",
                "didFinish hookFailed",
            ]
        ),
        Failing(
            description: "a cache miss",
            source: .cache,
            hooks: [
                "plan", "adapt", "prepare", "didReceive miss", "process miss", "didFinish miss",
            ]
        ),
    ]

    private struct Oops: Error {}

    @Test("a failure goes on with didReceive, process and didFinish", arguments: failures.indices)
    func failing(row: Int) async {
        let failing = Self.failures[row]
        let provider = Provider.make(
            failing.transport(),
            plugins: [LoggingPlugin(log), failing.plugin]
        )
        let (summary, count) = await provider.ending(of: failing.target, from: failing.source)
        #expect(count == 1, "\(failing)")
        #expect(throws: ApusError.self) { try summary?.result.get() }
        #expect(log.all == failing.hooks.map { "a \($0)" }, "\(failing)")
    }

    @Test("a cancelled exchange is not processed, and still ends")
    func cancelled() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let provider = Provider.make(.silent(continuation), plugins: [LoggingPlugin(log)])
        let reader = Task { await provider.ending(of: TestTarget()).count }
        for await _ in isWaiting { break }
        reader.cancel()
        #expect(await reader.value == 1)
        #expect(
            log.all == [
                "a plan", "a adapt", "a prepare", "a willSend 1", "a didReceive cancelled",
                "a didFinish cancelled",
            ]
        )
    }

    @Test("a plugin that retries begins again at prepare")
    func retried() async throws {
        let turns = HookLog()
        let plugin = TestPlugin(processing: { result, _ in
            turns.add("turn")
            return turns.all.count == 1 ? .retry(after: .zero) : .result(result)
        })
        let provider = Provider.make(plugins: [LoggingPlugin(log), plugin])
        let (summary, _) = await provider.ending(of: TestTarget())
        #expect(summary?.attempts == 2)
        #expect(
            log.all == [
                "a plan", "a adapt", "a prepare", "a willSend 1", "a didReceive server",
                "a process server",
                "a prepare", "a willSend 2", "a didReceive server", "a process server",
                "a didFinish server",
            ]
        )
    }
}
