/// One run of a batch: as many workers as its concurrency, each taking the next
/// target when it has ended one.
struct BatchRun: Sendable {
    typealias Emit = @Sendable (BatchEvent) -> Void

    let batch: Batch
    let exchange: @Sendable (any TargetType) -> Exchange

    /// Runs to the end.
    ///
    /// All events but the terminal one go to `listener`, if there is one.
    func run(_ listener: Emit?) async -> BatchSummary {
        let start = ContinuousClock.now
        let ledger = BatchLedger(count: batch.targets.count)
        await withTaskGroup { group in
            for _ in 0..<min(batch.concurrency, batch.targets.count) {
                group.addTask { await work(from: ledger, listener) }
            }
            for await hasFailed in group where hasFailed && batch.mode == .all {
                group.cancelAll()
            }
        }
        return ledger.summary(
            mode: batch.mode,
            wasCancelled: Task.isCancelled,
            after: .now - start
        )
    }

    /// Takes targets until there are none, or until a failure ends the batch.
    ///
    /// - Returns: whether the last one failed.
    private func work(from ledger: BatchLedger, _ listener: Emit?) async -> Bool {
        while !Task.isCancelled, let index = ledger.takeNext() {
            listener?(.started(index: index))
            let summary = await exchange(batch.targets[index])
                .run(Self.listener(listener, at: index))
            let progress = ledger.record(summary.result, at: index)
            listener?(.ended(index: index, summary, progress))
            if case .failure = summary.result, batch.mode == .all { return true }
        }
        return false
    }

    private static func listener(_ listener: Emit?, at index: Int) -> Exchange.Emit? {
        guard let listener else { return nil }
        return { listener(.exchange(index: index, $0)) }
    }
}
