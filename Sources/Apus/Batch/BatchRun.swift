/// One run of a batch: as many workers as its concurrency, each taking the next
/// target when it has ended one.
struct BatchRun: Sendable {
    typealias Emit = @Sendable (BatchEvent) -> Void

    let batch: Batch
    let exchange: @Sendable (any TargetType) -> Exchange

    /// Runs to the end.
    ///
    /// All events but the terminal one go through `emit`.
    func run(_ emit: @escaping Emit) async -> BatchSummary {
        let start = ContinuousClock.now
        let ledger = BatchLedger(count: batch.targets.count)
        await withTaskGroup { group in
            for _ in 0..<min(batch.concurrency, batch.targets.count) {
                group.addTask { await work(from: ledger, emit) }
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
    private func work(from ledger: BatchLedger, _ emit: @escaping Emit) async -> Bool {
        while !Task.isCancelled, let index = ledger.takeNext() {
            emit(.started(index: index))
            let summary = await exchange(batch.targets[index]).run { event in
                emit(.exchange(index: index, event))
            }
            let progress = ledger.record(summary.result, at: index)
            emit(.ended(index: index, summary, progress))
            if case .failure = summary.result, batch.mode == .all { return true }
        }
        return false
    }
}
