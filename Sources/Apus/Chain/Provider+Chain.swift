extension Provider {
    /// What happens while a chain runs, ending with exactly one `finished`.
    public func events(for chain: Chain) -> ChainEvents {
        ChainEvents(run: ChainRun(chain: chain) { [self] in exchange($0, chain.source) })
    }

    /// The steps of a chain, when it has ended.
    public func summary(of chain: Chain) async -> ChainSummary {
        await ChainRun(chain: chain) { [self] in exchange($0, chain.source) }.run { _ in }
    }
}
