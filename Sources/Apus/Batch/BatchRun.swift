/// One run of a batch: as many workers as its concurrency, each taking the next
/// target when it has ended one.
struct BatchRun: Sendable {
    typealias Send =
        @Sendable (any TargetType, DataSource, Exchange.Emit?) async -> ExchangeSummary

    /// Who is told what happens; what is nil costs nothing.
    struct Listener: Sendable {
        /// All events but the terminal one.
        var emit: (@Sendable (BatchEvent) -> Void)?
        /// Each result; the worker goes on when it returns.
        var each: (@Sendable (Int, Result<Response, ApusError>) async -> Void)?
        /// One is taken before a target is begun, and given back by who listens.
        var turns: Turns?
    }

    let batch: Batch
    let control: BatchControl?
    let send: Send

    /// Runs to the end.
    func run(_ listener: Listener) async -> BatchSummary {
        let start = ContinuousClock.now
        let ledger = BatchLedger(batch)
        let supply = makeSupply()
        let workers = min(batch.concurrency, batch.count.map { $0 - batch.done.count } ?? .max)
        let send = { @Sendable in
            await withTaskGroup { group in
                for _ in 0..<max(0, workers) {
                    group.addTask { await work(from: supply, ledger, listener) }
                }
                for await hasFailed in group where hasFailed { group.cancelAll() }
            }
        }
        if let control { await control.runAll(send) } else { await send() }
        return ledger.summary(
            of: batch,
            reached: supply.reached,
            wasCancelled: Task.isCancelled || control?.isCancelled == true,
            after: .now - start
        )
    }

    private func makeSupply() -> any BatchSupply {
        switch batch.content {
        case .groups(let groups): GroupSupply(groups, of: batch)
        case .made(_, let make): MadeSupply(make, of: batch)
        }
    }

    /// Takes targets until there are none, or until a failure ends the batch.
    ///
    /// - Returns: whether the others are to end too.
    private func work(
        from supply: any BatchSupply,
        _ ledger: BatchLedger,
        _ listener: Listener
    ) async -> Bool {
        while !Task.isCancelled {
            guard await listener.turns?.take() ?? true else { return false }
            let item: BatchItem
            do {
                guard let next = try await supply.next() else {
                    listener.turns?.give()
                    return false
                }
                item = next
            } catch {
                listener.turns?.give()
                ledger.fail(error)
                return batch.mode == .all
            }
            let result = await take(item, ledger, listener)
            supply.ended(item)
            if case .failure = result, batch.mode == .all { return true }
        }
        return false
    }

    private func take(
        _ item: BatchItem,
        _ ledger: BatchLedger,
        _ listener: Listener
    ) async -> Result<Response, ApusError> {
        let index = item.index
        listener.emit?(.started(index: index))
        let summary = await exchange(item, ledger, listener)
        let progress = ledger.record(summary.result, at: index)
        listener.emit?(.ended(index: index, summary, progress))
        await listener.each?(index, summary.result)
        return summary.result
    }

    private func exchange(
        _ item: BatchItem,
        _ ledger: BatchLedger,
        _ listener: Listener
    ) async -> ExchangeSummary {
        let index = item.index
        var tell: Exchange.Emit?
        if let emit = listener.emit {
            tell = { event in
                emit(.exchange(index: index, event))
                guard case .progress(let transfer) = event else { return }
                emit(.moved(ledger.move(index, to: transfer)))
            }
        }
        guard let control else { return await send(item.target, item.source, tell) }
        guard !control.isCancelled(index) else { return .cancelled }
        return await control.run(index) { [tell] in
            await send(item.target, item.source, tell)
        }
    }
}

extension ExchangeSummary {
    /// Of an exchange that was cancelled before it began.
    static var cancelled: ExchangeSummary {
        ExchangeSummary(
            result: .failure(ApusError(.cancelled)),
            responseCount: 0,
            attempts: 0,
            duration: .zero
        )
    }
}
