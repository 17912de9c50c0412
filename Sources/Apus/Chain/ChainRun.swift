/// One run of a graph.
///
/// ```
/// ready steps ─▶ condition ─▶ forEach ─▶ [turn ─▶ target ─▶ exchange ─▶ captures] …
///      ▲                                                                   │
///      └───────────── what needs it, or is skipped because of it ◀─────────┘
/// ```
struct ChainGraphRun: Sendable {
    /// What the number of an element is called, from 1.
    static let indexName = "index"

    /// Who is told what happens.
    struct Listener: Sendable {
        /// All events but the terminal one.
        var emit: @Sendable (ChainGraphEvent) -> Void = { _ in }
        /// One is taken before a request is begun, and given back by who listens.
        var turns: AsyncSemaphore?
    }

    let graph: ChainGraph
    let state: ChainState?
    let send: BatchRun.Send

    /// Runs to the end.
    func run(_ listener: Listener) async -> ChainGraphSummary {
        let start = ContinuousClock.now
        let plan = graph.plan
        let (course, didTimeOut) = await TimeLimited.run(plan.timeout, plan.clock) {
            await follow(listener)
        }
        return course.summary(
            timedOutAfter: didTimeOut ? plan.timeout : nil,
            duration: .now - start
        )
    }

    private func follow(_ listener: Listener) async -> ChainScheduler {
        var course = ChainScheduler(graph: graph, resuming: state, emit: listener.emit)
        let limit = AsyncSemaphore(graph.plan.concurrency)
        await withTaskGroup(of: ChainStepResult.self) { group in
            while true {
                if !Task.isCancelled {
                    for step in course.takeReady() {
                        let run = stepRun(step, course, limit, listener)
                        group.addTask { await run.run() }
                    }
                }
                guard let result = await group.next() else { break }
                course.record(result)
            }
        }
        course.cancelRest()
        return course
    }

    private func stepRun(
        _ step: Int,
        _ course: ChainScheduler,
        _ limit: AsyncSemaphore,
        _ listener: Listener
    ) -> ChainStepRun {
        ChainStepRun(
            index: step,
            step: graph.plan.steps[step],
            plan: graph.plan,
            source: graph.plan.steps[step].source ?? graph.source,
            values: course.values(for: step),
            known: course.knownElements(of: step),
            limit: limit,
            listener: listener,
            send: send
        )
    }
}

extension Provider {
    /// What happens while a chain runs, ending with exactly one `finished`.
    public func events(for chain: Chain) -> ChainEvents {
        ChainEvents(run: ChainRun(chain: chain) { [self] in exchange($0, chain.source) })
    }

    /// The steps of a chain, when it has ended.
    public func summary(of chain: Chain) async -> ChainSummary {
        await ChainRun(chain: chain) { [self] in exchange($0, chain.source) }.run { _ in }
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
    ) -> ChainGraphEvents {
        ChainGraphEvents(run: run(of: graph, state))
    }

    /// What became of a graph's steps, when all have ended.
    public func summary(
        of graph: ChainGraph,
        resuming state: ChainState? = nil
    ) async -> ChainGraphSummary {
        await run(of: graph, state).run(.init())
    }

    private func run(of graph: ChainGraph, _ state: ChainState?) -> ChainGraphRun {
        ChainGraphRun(graph: graph, state: state) { [self] target, source, emit in
            await exchange(target, source).run(emit)
        }
    }
}
