extension Provider {
    /// What happens while a batch runs, ending with exactly one `finished`.
    public func events(for batch: Batch) -> BatchEvents {
        BatchEvents(
            run: BatchRun(batch: batch) { [self] in exchange($0, batch.source) }
        )
    }

    /// The results of a batch, in its order.
    ///
    /// - Throws: with the mode `.all`, the first failure; the others are
    ///   cancelled then.
    public func results(of batch: Batch) async throws(ApusError) -> [Result<Response, ApusError>] {
        let run = BatchRun(batch: batch) { [self] in exchange($0, batch.source) }
        let summary = await run.run(nil)
        if batch.mode == .all, let failure = summary.failure { throw failure }
        return summary.results
    }
}
