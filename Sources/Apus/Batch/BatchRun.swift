import BitCollections
import Synchronization

/// One run of a batch: at most as many workers as its concurrency, each taking the next target when it has
/// ended one.
///
/// A worker starts when the last one has got a target, so that a batch with few targets has few workers.
struct BatchRun: Sendable {
    typealias Send =
        @Sendable (any TargetType, CachePlan, (any ResponseReader)?, RunningExchange.Emit?) async ->
        ExchangeSummary

    /// Receives what happens; parts that are nil cost nothing.
    struct Listener: Sendable {
        /// Receives all events but the terminal one.
        var emit: (@Sendable (BatchEvent) -> Void)?
        /// Receives each result; the worker continues when it returns.
        var each: (@Sendable (Int, Result<Response, ApusError>) async -> Void)?
        /// Is waited for before a target starts, and signaled by the reader of the target's end.
        var semaphore: AsyncSemaphore?
    }

    let batch: Batch
    let control: BatchControl?
    let send: Send

    func run(_ listener: Listener) async -> BatchSummary {
        let start = ContinuousClock.now
        let accumulator = BatchAccumulator(batch)
        let targets = makeSource()
        let workers = min(batch.concurrency, batch.count.map { $0 - batch.done.count } ?? .max)
        let send = { @Sendable in
            await withTaskGroup(of: Step.self) { group in
                var left = workers
                if left > 0 { group.addTask { await next(from: targets, accumulator, listener) } }
                while let step = await group.next() {
                    switch step {
                    case .took(let item):
                        group.addTask { await work(on: item, targets, accumulator, listener) }
                        left -= 1
                        guard left > 0 else { continue }
                        group.addTask { await next(from: targets, accumulator, listener) }
                    case .ended(let hasFailed): if hasFailed { group.cancelAll() }
                    }
                }
            }
        }
        if let control { await control.runAll(send) } else { await send() }
        return accumulator.summary(
            of: batch,
            reached: targets.reached,
            missed: targets.missed,
            wasCancelled: Task.isCancelled || control?.isCancelled == true,
            after: .now - start
        )
    }

    private func makeSource() -> any BatchSource {
        switch batch.content {
        case .groups(let groups): GroupedTargets(groups, of: batch)
        case .made(_, let make): GeneratedTargets(make, of: batch)
        }
    }

    /// What a worker did last.
    private enum Step {
        case took(BatchItem)
        /// It has no more targets; after a failure the other workers must end too.
        case ended(hasFailed: Bool)
    }

    /// Takes the next target.
    private func next(
        from targets: any BatchSource,
        _ accumulator: BatchAccumulator,
        _ listener: Listener
    ) async -> Step {
        guard !Task.isCancelled, await listener.semaphore?.wait() ?? true else {
            return .ended(hasFailed: false)
        }
        do {
            if let item = try await targets.next() { return .took(item) }
            listener.semaphore?.signal()
            return .ended(hasFailed: false)
        } catch {
            listener.semaphore?.signal()
            accumulator.fail(error)
            return .ended(hasFailed: batch.mode == .all)
        }
    }

    /// Sends a target and those after it, until there are none left or a failure ends the batch.
    private func work(
        on first: BatchItem,
        _ targets: any BatchSource,
        _ accumulator: BatchAccumulator,
        _ listener: Listener
    ) async -> Step {
        var item = first
        while true {
            let result = await send(item, accumulator, listener)
            targets.ended(item)
            if case .failure = result, batch.mode == .all { return .ended(hasFailed: true) }
            let step = await next(from: targets, accumulator, listener)
            guard case .took(let following) = step else { return step }
            item = following
        }
    }

    private func send(
        _ item: BatchItem,
        _ accumulator: BatchAccumulator,
        _ listener: Listener
    ) async -> Result<Response, ApusError> {
        let index = item.index
        listener.emit?(.started(index: index))
        let summary = await exchange(item, accumulator, listener)
        let progress = accumulator.record(summary.result, at: index)
        listener.emit?(.ended(index: index, summary, progress))
        await listener.each?(index, summary.result)
        return summary.result
    }

    private func exchange(
        _ item: BatchItem,
        _ accumulator: BatchAccumulator,
        _ listener: Listener
    ) async -> ExchangeSummary {
        let index = item.index
        var tell: RunningExchange.Emit?
        if let emit = listener.emit {
            tell = { event in
                emit(.exchange(index: index, event))
                guard case .progress(let transfer) = event else { return }
                emit(.moved(accumulator.move(index, to: transfer)))
            }
        }
        guard let control else { return await send(item.target, item.plan, nil, tell) }
        guard !control.isCancelled(index) else { return .cancelled }
        return await control.run(index) { [tell] in
            await send(item.target, item.plan, nil, tell)
        }
    }
}

extension ExchangeSummary {
    /// The summary of an exchange that was cancelled before it started.
    static var cancelled: ExchangeSummary {
        ExchangeSummary(
            result: .failure(ApusError(.cancelled)),
            responseCount: 0,
            attempts: 0,
            duration: .zero
        )
    }
}

/// Collects the results and the progress of all workers.
final class BatchAccumulator: Sendable {
    private struct State {
        var progress: BatchProgress
        var transfers: [Int: TransferProgress] = [:]
        var succeeded: BitSet
        /// The first failure: of a request, if that fails the batch, or of making the targets.
        ///
        /// Requests that are cancelled because of it fail later.
        var failure: ApusError?

        /// Adds what was transferred since this target's last report.
        mutating func add(_ transfer: TransferProgress, at index: Int) {
            let last = transfers.updateValue(transfer, forKey: index) ?? TransferProgress()
            // Another attempt starts from 0; the bytes of the last one count too.
            func moved(_ now: Int, _ before: Int) -> Int { now < before ? now : now - before }
            progress.bytesSent += moved(transfer.bytesSent, last.bytesSent)
            progress.bytesReceived += moved(transfer.bytesReceived, last.bytesReceived)
        }

        /// Adds bytes that were never reported, as for a response that arrived in one piece.
        mutating func add(_ response: Response, at index: Int) {
            guard response.source == .server, let metrics = response.metrics else { return }
            add(
                TransferProgress(
                    bytesSent: metrics.bytesSent,
                    bytesReceived: metrics.bytesReceived
                ),
                at: index
            )
        }
    }

    private let state: Mutex<State>
    private let mode: Batch.Mode

    init(_ batch: Batch) {
        mode = batch.mode
        state = Mutex(State(progress: BatchProgress(of: batch), succeeded: batch.done))
    }

    /// Records transferred bytes and returns the progress of the batch.
    func move(_ index: Int, to transfer: TransferProgress) -> BatchProgress {
        state.withLock { state in
            state.add(transfer, at: index)
            return state.progress
        }
    }

    /// Records a result and returns the progress of the batch.
    func record(_ result: Result<Response, ApusError>, at index: Int) -> BatchProgress {
        state.withLock { state in
            state.progress.count(result)
            switch result {
            case .success(let response):
                state.add(response, at: index)
                state.succeeded.insert(index)
            case .failure(var error):
                guard mode != .settled, state.failure == nil else { break }
                error.batchIndex = index
                state.failure = error
            }
            state.transfers[index] = nil
            return state.progress
        }
    }

    /// Records that no more targets can be made.
    func fail(_ error: any Error) {
        let failure =
            switch error {
            case let error as ApusError: error
            case is CancellationError: ApusError(.cancelled)
            default: ApusError(.invalidRequest(.target(detail: String(describing: error))))
            }
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    func summary(
        of batch: Batch,
        reached: Int,
        missed: Int,
        wasCancelled: Bool,
        after duration: Duration
    ) -> BatchSummary {
        let state = state.withLock { $0 }
        let isCut = wasCancelled && state.progress.total.map { $0 - missed } != state.progress.ended
        return BatchSummary(
            failure: state.failure ?? (isCut ? ApusError(.cancelled) : nil),
            progress: state.progress,
            duration: duration,
            missed: missed,
            succeeded: state.succeeded,
            reached: reached
        )
    }
}
