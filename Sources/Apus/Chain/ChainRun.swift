/// One run of a graph.
///
/// ```
/// ready steps ─▶ condition ─▶ forEach ─▶ [turn ─▶ target ─▶ exchange ─▶ captures] …
///      ▲                                                                   │
///      └───────────── what needs it, or is skipped because of it ◀─────────┘
/// ```
struct ChainRun: Sendable {
    /// What the number of an element is called, from 1.
    static let indexName = "index"

    /// Who is told what happens.
    struct Listener: Sendable {
        /// All events but the terminal one.
        var emit: @Sendable (ChainEvent) -> Void = { _ in }
        /// Is waited for before a request is begun, and signalled by who reads its end.
        var semaphore: AsyncSemaphore?
    }

    let graph: ChainGraph
    let state: ChainState?
    let send: BatchRun.Send

    /// Runs to the end.
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

extension Provider {
    /// What happens while a chain runs, ending with exactly one `finished`.
    public func events(for chain: Chain) -> ChainEvents {
        ChainEvents(concurrency: 1, run: RuleRun(chain: chain, send: send).run)
    }

    /// What became of a chain's steps, when it has ended.
    public func summary(of chain: Chain) async -> ChainSummary {
        await RuleRun(chain: chain, send: send).run(.init())
    }

    /// What happens while a graph runs, ending with exactly one `finished`.
    ///
    /// - Parameters:
    ///   - graph: What is sent.
    ///   - state: What an earlier run has done; those steps are not sent again, and
    ///     what they captured stands.
    /// - Returns: the events; each reader has a run of its own.
    public func events(
        for graph: ChainGraph,
        resuming state: ChainState? = nil
    ) -> ChainEvents {
        let run = ChainRun(graph: graph, state: state, send: send)
        return ChainEvents(concurrency: graph.plan.concurrency, run: run.run)
    }

    /// What became of a graph's steps, when all have ended.
    public func summary(
        of graph: ChainGraph,
        resuming state: ChainState? = nil
    ) async -> ChainSummary {
        await ChainRun(graph: graph, state: state, send: send).run(.init())
    }

    private var send: BatchRun.Send {
        { [self] target, plan, reader, emit in
            await exchange(target, plan.source, plan.policy, reader).run(emit)
        }
    }
}
