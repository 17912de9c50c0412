import Apus
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite("What ends a chain")
struct ChainPolicyTests {
    @Test(
        "a failed step ends the chain as its policy says",
        arguments: [
            (Chain.FailurePolicy.asksRule, 500, 3, ChainSummary.Ending.done),
            (.ends, 500, 3, .done), (.endsOnErrorStatus, 500, 2, .failed(step: "step 2")),
            (.endsOnErrorStatus, 399, 3, .done),
        ]
    )
    func status(
        policy: Chain.FailurePolicy,
        status: Int,
        count: Int,
        ending: ChainSummary.Ending
    ) async {
        let transport = ScriptedTransport { request in
            .make(request, "", status: request.head.path == "/1" ? status : 200)
        }
        let chain = Chain(startingWith: TestTarget(path: "/0"), onFailure: policy) { step in
            step.index < 2 ? TestTarget(path: "/\(step.index + 1)") : nil
        }
        let summary = await Provider.sending(over: transport).summary(of: chain)
        #expect(summary.steps.count == count)
        #expect(summary.ending == ending)
    }

    @Test(
        "a step without a response ends the chain, and its results are kept",
        arguments: [
            Chain.FailurePolicy.ends, .endsOnErrorStatus,
        ]
    )
    func failure(policy: Chain.FailurePolicy) async {
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path == "/0" else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "first")
        }
        let chain = Chain(startingWith: TestTarget(path: "/0"), onFailure: policy) { step in
            TestTarget(path: "/\(step.index + 1)")
        }
        let summary = await Provider.sending(over: transport).summary(of: chain)
        #expect(summary.ending == .failed(step: "step 2"))
        #expect(summary.steps.map(\.result?.failureCode) == [nil, 2901])
        #expect(transport.received.count == 2)
    }

    @Test("a step that takes too long fails with a timeout, and the rule is asked")
    func stepTimeout() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let clock = ManualClock()
        let chain = Chain(
            startingWith: TestTarget(),
            stepTimeout: .seconds(3),
            clock: clock
        ) { _ in nil }
        let provider = Provider.sending(over: ScriptedTransport.silent(continuation))
        async let summary = provider.summary(of: chain)
        for await _ in isWaiting { break }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(9))
        let ended = await summary
        #expect(ended.steps.map(\.result?.failureCode) == [2005])
        #expect(ended.ending == .done)
    }

    @Test("a chain that takes too long as a whole ends, with the steps it had")
    func timeout() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let clock = ManualClock()
        let chain = Chain(
            startingWith: TestTarget(),
            timeout: .seconds(9),
            clock: clock
        ) { _ in TestTarget() }
        let provider = Provider.sending(over: ScriptedTransport.silent(continuation))
        async let summary = provider.summary(of: chain)
        for await _ in isWaiting { break }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(9))
        let ended = await summary
        #expect(ended.ending == .timedOut(limit: .seconds(9)))
        #expect(ended.steps.map(\.result?.failureCode) == [1201])
    }

    @Test("cancelling while the rule thinks ends the chain, and nothing more is sent")
    func cancelledRule() async {
        let (isThinking, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport.answering("x")
        let chain = Chain(startingWith: TestTarget()) { _ in
            continuation.yield()
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            return TestTarget()
        }
        let provider = Provider.sending(over: transport)
        let run = Task { await provider.summary(of: chain) }
        for await _ in isThinking { break }
        run.cancel()
        #expect(await run.value.ending == .cancelled)
        #expect(transport.received.count == 1)
    }
}
