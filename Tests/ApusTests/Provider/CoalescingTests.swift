import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Equal requests in flight")
struct CoalescingTests {
    private let gate = Gate()

    private func held(_ text: String = "shared") -> ScriptedTransport {
        ScriptedTransport { [gate] request throws(ApusError) in
            await gate.pass()
            return .make(request, text)
        }
    }

    /// Waits until so many share the one call of a provider.
    private func wait(
        for count: Int,
        _ provider: Provider<TestTarget>,
        _ target: TestTarget = TestTarget()
    ) async throws {
        let endpoint = try Endpoint(target, defaults: provider.headerFields)
        let fingerprint = ServerCall.Fingerprint(
            request: endpoint.request,
            validation: endpoint.validation
        )
        while provider.pipeline?.calls.count(for: fingerprint) != count { await Task.yield() }
    }

    @Test("100 equal requests give one call and 100 responses, each processed by its own hooks")
    func hundred() async throws {
        let processed = HookLog()
        let plugin = TestPlugin(processing: { result, context in
            processed.add("\(context.id)")
            return .result(result)
        })
        let transport = held()
        let provider = Provider.make(transport, plugins: [plugin], coalesces: true)
        let runs = (0..<100).map { _ in Task { await provider.ending(of: TestTarget()) } }
        try await wait(for: 100, provider)
        gate.open()
        for run in runs {
            let (summary, count) = await run.value
            #expect(count == 1)
            #expect(try summary?.result.get().text == "shared")
            #expect(summary?.sharedBy == 100)
            #expect(summary?.attempts == 1)
        }
        #expect(transport.received.count == 1)
        #expect(Set(processed.all).count == 100)
        // The next one asks anew: nothing is left behind.
        _ = try await provider.response(for: TestTarget())
        #expect(transport.received.count == 2)
    }

    @Test("when building fails everybody hears of it, and nothing is left behind")
    func buildingFails() async {
        let provider = Provider.make(coalesces: true)
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { await provider.ending(of: TestTarget(base: "ftp://h")) }
            }
            for await (summary, count) in group {
                #expect(count == 1)
                #expect(throws: ApusError.self) { try summary?.result.get() }
            }
        }
    }

    @Test("whoever leaves leaves alone, the first too")
    func firstLeaves() async throws {
        let provider = Provider.make(held(), coalesces: true)
        let first = Task { await provider.ending(of: TestTarget()) }
        try await wait(for: 1, provider)
        let others = (0..<3).map { _ in Task { await provider.ending(of: TestTarget()) } }
        try await wait(for: 4, provider)
        first.cancel()
        let (left, count) = await first.value
        #expect(count == 1)
        let error = #expect(throws: ApusError.self) { try left?.result.get() }
        #expect(error?.reason == .cancelled)
        others[0].cancel()
        _ = await others[0].value
        gate.open()
        for other in others.dropFirst() {
            let (summary, _) = await other.value
            #expect(try summary?.result.get().text == "shared")
        }
    }

    @Test("the last one to leave ends the transfer")
    func lastLeaves() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let transport = ScriptedTransport { _ throws(ApusError) in
            continuation.yield()
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            end.yield(Task.isCancelled)
            throw ApusError(.cancelled)
        }
        let provider = Provider.make(transport, coalesces: true)
        let runs = (0..<2).map { _ in Task { await provider.ending(of: TestTarget()) } }
        try await wait(for: 2, provider)
        for await _ in isWaiting { break }
        for run in runs { run.cancel() }
        for await wasCancelled in ended {
            #expect(wasCancelled)
            break
        }
        for run in runs { #expect(await run.value.count == 1) }
    }

    @Test("who joins hears of the sending and of the progress")
    func events() async throws {
        let (steps, step) = AsyncStream<Void>.makeStream()
        let transport = ProgressTransport(steps: steps)
        let provider = Provider<TestTarget>(
            transport: transport,
            cache: .inMemory,
            coalesces: true
        )
        let readers = (0..<2).map { _ in
            Task {
                var seen: [String] = []
                for await event in provider.events(for: TestTarget()) {
                    switch event {
                    case .willSend(_, let attempt): seen.append("send \(attempt)")
                    case .progress(let progress): seen.append("\(progress.bytesReceived)")
                    case .response: seen.append("answer")
                    default: continue
                    }
                }
                return seen
            }
        }
        try await wait(for: 2, provider)
        step.yield()
        for reader in readers {
            let seen = await reader.value
            #expect(seen == ["send 1", "7", "answer"])
        }
    }

    private struct ProgressTransport: Transport {
        let steps: AsyncStream<Void>

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            for await _ in steps { break }
            progress?(TransferProgress(bytesReceived: 7))
            return .make(request, "x")
        }
    }

    @Test(
        "requests that differ in anything do not share",
        arguments: [
            TestTarget(path: "/users/8"),
            TestTarget(headerFields: [.accept: "text/csv"]),
            TestTarget(task: .data([1])),
            TestTarget(validation: .successCodes),
            TestTarget(options: TransportOptions(timeout: .seconds(1))),
            TestTarget(
                task: .download(to: DownloadDestination(path: "/tmp/x"), sending: .plain)
            ),
        ]
    )
    func different(target: TestTarget) throws {
        func fingerprint(_ target: TestTarget) throws -> ServerCall.Fingerprint {
            let endpoint = try Endpoint(target)
            return ServerCall.Fingerprint(
                request: endpoint.request,
                validation: endpoint.validation
            )
        }
        #expect(try fingerprint(target) != fingerprint(TestTarget()))
        #expect(try fingerprint(target) == fingerprint(target))
    }

    @Test("unsafe methods share only when asked", arguments: [(true, 2), (false, 1)])
    func unsafeMethods(onlySafe: Bool, calls: Int) async throws {
        let transport = held()
        let provider = Provider.make(transport, coalesces: onlySafe ? .safeMethods : .all)
        let target = TestTarget(method: .post)
        let runs = (0..<2).map { _ in Task { await provider.ending(of: target) } }
        if onlySafe {
            await gate.waitForArrivals(2)
        } else {
            try await wait(for: 2, provider, target)
        }
        gate.open()
        for run in runs { #expect(await run.value.count == 1) }
        #expect(transport.received.count == calls)
    }

    @Test("a plugin hears of the end of an exchange that left a shared call last")
    func pairedEnd() async throws {
        let log = HookLog()
        let (told, tell) = AsyncStream<Void>.makeStream()
        let plugin = TestPlugin(
            sending: { _, context in log.add("\(context.id) sent") },
            finishing: { _, context in
                log.add("\(context.id) ended")
                tell.yield()
            }
        )
        let second = Gate()
        let interceptor = TestInterceptor { request, _, next in
            _ = try await next(request)
            await second.pass()
            return try await next(request)
        }
        let provider = Provider.make(
            plugins: [plugin],
            interceptors: [interceptor],
            coalesces: true
        )
        let first = Task { await provider.ending(of: TestTarget()) }
        await second.waitForArrivals()
        let other = Task { await provider.ending(of: TestTarget()) }
        try await wait(for: 2, provider)
        first.cancel()
        _ = await first.value
        second.open()
        _ = await other.value
        var ends = 0
        for await _ in told {
            ends += 1
            if ends == 2 { break }
        }
        // Whatever was sent in an exchange's name came before its end.
        let own = log.all.filter { $0.hasPrefix("#1 ") }
        #expect(own == ["#1 sent", "#1 sent", "#1 ended"])
    }
}
