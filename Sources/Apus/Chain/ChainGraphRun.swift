/// One run of a graph.
///
/// ```
/// ready steps ─▶ condition ─▶ forEach ─▶ [turn ─▶ target ─▶ exchange ─▶ captures] …
///      ▲                                                                   │
///      └───────────── what needs it, or is skipped because of it ◀─────────┘
/// ```
struct ChainGraphRun: Sendable {
    /// The name of the value with an element's number, which counts from 1.
    static let indexName = "index"

    /// Receives the events of a run.
    struct Listener: Sendable {
        /// Called with every event except `finished`.
        var emit: @Sendable (ChainEvent) -> Void = { _ in }
        /// Waited on before each request begins, and signaled when its result is read.
        var semaphore: AsyncSemaphore?
    }

    let graph: ChainGraph
    let state: ChainState?
    let send: BatchRun.Send

    func run(_ listener: Listener) async -> ChainSummary {
        let start = ContinuousClock.now
        let plan = graph.plan
        let (scheduler, didTimeOut) = await Timeout.run(plan.timeout, plan.clock) {
            await follow(listener)
        }
        return scheduler.summary(
            timedOutAfter: didTimeOut ? plan.timeout : nil,
            duration: .now - start
        )
    }

    private func follow(_ listener: Listener) async -> ChainScheduler {
        var scheduler = ChainScheduler(graph: graph, resuming: state, emit: listener.emit)
        let limit = AsyncSemaphore(graph.plan.concurrency)
        await withTaskGroup(of: ChainStepResult.self) { group in
            while true {
                if !Task.isCancelled {
                    for step in scheduler.takeReady() {
                        let run = stepRun(step, scheduler, limit, listener)
                        group.addTask { await run.run() }
                    }
                }
                guard let result = await group.next() else { break }
                scheduler.record(result)
            }
        }
        scheduler.cancelRest()
        return scheduler
    }

    private func stepRun(
        _ step: Int,
        _ scheduler: ChainScheduler,
        _ limit: AsyncSemaphore,
        _ listener: Listener
    ) -> ChainStepRun {
        ChainStepRun(
            index: step,
            step: graph.plan.steps[step],
            plan: graph.plan,
            cachePlan: CachePlan(
                source: graph.plan.steps[step].source ?? graph.source,
                policy: graph.plan.steps[step].caching ?? graph.plan.caching
            ),
            values: scheduler.values(for: step),
            known: scheduler.knownElements(of: step),
            limit: limit,
            listener: listener,
            send: send
        )
    }
}

extension AnyProvider {
    /// The events of a chain's run, ending with exactly one `finished`.
    public func events(for chain: Chain) -> ChainEvents {
        ChainEvents(concurrency: 1, run: ChainRuleRun(chain: chain, send: send).run)
    }

    /// Runs a chain, and returns the results of its steps.
    public func summary(of chain: Chain) async -> ChainSummary {
        await ChainRuleRun(chain: chain, send: send).run(.init())
    }

    /// The events of a graph's run, ending with exactly one `finished`.
    ///
    /// - Parameters:
    ///   - graph: the graph to run.
    ///   - state: the state of an earlier run. Steps that are done in it are not sent again, and keep their
    ///     captures.
    /// - Returns: the events; each reader has its own run.
    public func events(
        for graph: ChainGraph,
        resuming state: ChainState? = nil
    ) -> ChainEvents {
        let run = ChainGraphRun(graph: graph, state: state, send: send)
        return ChainEvents(concurrency: graph.plan.concurrency, run: run.run)
    }

    /// Runs a graph, and returns the results of its steps.
    public func summary(
        of graph: ChainGraph,
        resuming state: ChainState? = nil
    ) async -> ChainSummary {
        await ChainGraphRun(graph: graph, state: state, send: send).run(.init())
    }

    private var send: BatchRun.Send {
        { [self] target, plan, reader, emit in
            await exchange(target, plan.source, plan.policy, reader).run(emit)
        }
    }
}
