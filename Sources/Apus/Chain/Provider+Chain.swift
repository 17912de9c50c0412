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
