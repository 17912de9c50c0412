import Apus
import Documents
import HTTPTypes
import TestSupport
import Testing

@Suite("What cuts a graph short")
struct ChainGraphLimitTests {
    @Test("cancelling the reader ends all that is under way; each step says so")
    func cancelling() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport.silent(continuation)
        let graph = try ChainGraph(
            ChainPlan([.make("a"), .make("b"), .make("c", needs: ["a"])])
        )
        let provider = Provider.sending(over: transport)
        let reader = Task {
            var last: ChainEvent?
            for await event in provider.events(for: graph) { last = event }
            return last
        }
        var count = 0
        for await _ in isWaiting {
            count += 1
            if count == 2 { break }
        }
        reader.cancel()
        guard case .finished(let summary)? = await reader.value else {
            Issue.record("no terminal event")
            return
        }
        #expect(summary.ending == .cancelled)
        #expect(summary.steps.map(\.outcome) == [.cancelled, .cancelled, .cancelled])
        #expect(transport.received.count == 2)
    }

    @Test("a request that takes too long fails its step, also while its target is made")
    func stepTimeout() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let clock = ManualClock()
        let plan = ChainPlan(
            [
                ChainPlan.Step("a") { _ in
                    continuation.yield()
                    let never = AsyncStream<Void> { _ in }
                    for await _ in never {}
                    throw CancellationError()
                },
                .make("b", needs: ["a"]),
            ],
            stepTimeout: .seconds(3),
            clock: clock
        )
        let graph = try ChainGraph(plan)
        async let summary = Provider.sending(over: ScriptedTransport.answering("{}")).summary(
            of: graph
        )
        for await _ in isWaiting { break }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(9))
        let outcomes = await summary.steps.map(\.outcome)
        #expect(
            outcomes == [
                .failed(.exchange(ApusError(.timeout(.step, limit: .seconds(3))))),
                .skipped(because: .failed(step: "a")),
            ]
        )
    }

    @Test("a run that takes too long as a whole ends, and keeps what is done")
    func timeout() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let clock = ManualClock()
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/a" else { return .make(request, "{\"id\": 1}") }
            continuation.yield()
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            throw ApusError(.cancelled)
        }
        let plan = ChainPlan(
            [.make("a", captures: ["id": "$.id"]), .make("b", needs: ["a"])],
            timeout: .seconds(9),
            clock: clock
        )
        let graph = try ChainGraph(plan)
        async let summary = Provider.sending(over: transport).summary(of: graph)
        for await _ in isWaiting { break }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(9))
        let ended = await summary
        #expect(ended.ending == .timedOut(limit: .seconds(9)))
        #expect(ended.steps.map(\.outcome) == [.done, .cancelled])
        #expect(ended.values["id"] == 1)
    }
}
