import Documents
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Chains")
struct ChainTests {
    private func provider(_ transport: ScriptedTransport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    private struct Broken: Error {}

    @Test("each step is made from the response before it")
    func captures() async {
        let transport = ScriptedTransport { .make($0, ($0.head.path ?? "") + "x") }
        let chain = Chain(startingWith: TestTarget(path: "/a")) { step in
            guard step.index < 2, case .success(let response) = step.result else { return nil }
            return TestTarget(path: response.text ?? "")
        }
        let summary = await provider(transport).summary(of: chain)
        #expect(transport.received.map(\.head.path) == ["/a", "/ax", "/axx"])
        #expect(summary.steps.map(\.index) == [0, 1, 2])
        guard case .done = summary.ending else {
            Issue.record("\(summary.ending)")
            return
        }
    }

    @Test("a chain's policy keeps its responses, and a step's own comes first")
    func caching() async throws {
        let cache = ResponseCache.inMemory
        let provider = Provider<MultiTarget>(
            transport: ScriptedTransport.answering("x"),
            cache: cache
        )
        let kept = CachePolicy.keep(in: .memory)
        let target = TestTarget(cachePolicy: .none)
        _ = await provider.summary(of: Chain(startingWith: target, caching: kept) { _ in nil })
        #expect(await cache.statistics().memoryCount == 1)
        let plan = ChainPlan(
            [
                .init("a") { _ in TestTarget(path: "/a", cachePolicy: .none) },
                .init("b", caching: CachePolicy.none) { _ in TestTarget(path: "/b") },
            ],
            caching: kept
        )
        _ = await provider.summary(of: try ChainGraph(plan))
        #expect(await cache.statistics().memoryCount == 2)
    }

    @Test("a cached response without what a step captures is a miss, and is not kept")
    func unreadable() async throws {
        let answers = Mutex(["<html>Please sign in</html>", #"{"id":7}"#])
        let transport = ScriptedTransport { request in
            .make(request, answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
        let provider = Provider<MultiTarget>(transport: transport, cache: .inMemory)
        func run(from source: DataSource) async throws -> ChainStepResult {
            let step = ChainPlan.Step("a", captures: [try .init("id", "$.id")]) { _ in
                TestTarget(cachePolicy: .keep(in: .memory))
            }
            let summary = await provider.summary(
                of: try ChainGraph(ChainPlan([step], from: source))
            )
            return try #require(summary.steps.first)
        }
        // A response that is stored by a call which reads nothing of it.
        _ = try await provider.response(for: MultiTarget(TestTarget()))
        let path = try CapturePath("$.id").description
        let missing = ChainStepResult.Outcome.failed(.capture(name: "id", path: path))
        #expect(try await run(from: .cache).outcome == missing)
        for _ in 1...2 {
            let step = try await run(from: .cacheIfPossible)
            #expect(step.outcome == .done)
            #expect(step.captures["id"]?.int == 7)
        }
        #expect(transport.received.count == 2)
        answers.withLock { $0 = ["<html>Please sign in</html>"] }
        #expect(try await run(from: .server).outcome == missing)
        #expect(try await run(from: .cache).outcome == .done)
    }

    @Test("the end of a step's request tells what its hooks sent")
    func children() async {
        let plugin = TestPlugin(preparing: { request, context in
            guard context.parent == nil else { return request }
            _ = try await context.send(TestTarget(path: "/token"))
            return request
        })
        let chain = Chain(startingWith: TestTarget(path: "/a")) { _ in nil }
        var children: [Int] = []
        for await event in Provider.make(plugins: [plugin]).events(for: chain) {
            guard case .requestEnded(_, _, let summary) = event else { continue }
            children.append(summary.children.count)
        }
        #expect(children == [1])
    }

    @Test("the rule is asked after a failure too")
    func afterFailure() async {
        let chain = Chain(startingWith: TestTarget()) { step in
            guard step.index == 0, case .failure = step.result else { return nil }
            return TestTarget(path: "/again")
        }
        #expect(await provider(.down).summary(of: chain).steps.count == 2)
    }

    @Test("a rule that throws ends the chain and says why")
    func throwing() async {
        let chain = Chain(startingWith: TestTarget()) { _ in throw Broken() }
        let summary = await provider(.answering("x")).summary(of: chain)
        guard case .ruleFailed(let detail) = summary.ending else {
            Issue.record("\(summary.ending)")
            return
        }
        #expect(detail.contains("Broken"))
    }

    @Test("a rule that never ends is ended")
    func endless() async {
        let chain = Chain(startingWith: TestTarget(), maximumSteps: 5) { _ in TestTarget() }
        let summary = await provider(.answering("x")).summary(of: chain)
        #expect(summary.steps.count == 5)
        guard case .tooManySteps(limit: 5) = summary.ending else {
            Issue.record("\(summary.ending)")
            return
        }
    }

    @Test("cancelling ends the step under way and sends nothing more")
    func cancel() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport.silent(continuation)
        let provider = provider(transport)
        let chain = Chain(startingWith: TestTarget()) { _ in TestTarget() }
        let reader = Task {
            var last: ChainEvent?
            for await event in provider.events(for: chain) { last = event }
            return last
        }
        for await _ in isWaiting { break }
        reader.cancel()
        guard case .finished(let summary)? = await reader.value, case .cancelled = summary.ending
        else {
            Issue.record("the chain did not end as cancelled")
            return
        }
        #expect(transport.received.count == 1)
    }

    @Test("a step that fails before the chain is cancelled ends it as failed")
    func firstCause() async {
        let held = Mutex<Task<ChainSummary, Never>?>(nil)
        let gate = Gate()
        let transport = ScriptedTransport { request throws(ApusError) in
            await gate.pass()
            held.withLock { $0?.cancel() }
            throw ApusError(.transport(code: 7, detail: ""))
        }
        let provider = provider(transport)
        let chain = Chain(startingWith: TestTarget(), onFailure: .ends) { _ in nil }
        let run = Task { await provider.summary(of: chain) }
        held.withLock { $0 = run }
        gate.open()
        #expect(await run.value.ending == .failed(step: "step 1"))
    }
}
