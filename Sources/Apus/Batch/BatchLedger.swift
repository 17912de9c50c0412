import Synchronization

/// What the workers of a batch write down together.
final class BatchLedger: Sendable {
    private struct State {
        var progress: BatchProgress
        var transfers: [Int: TransferProgress] = [:]
        var succeeded: PlaceSet
        /// What failed first: a request, if that fails the batch, or the making of targets.
        ///
        /// Requests that are cancelled because of it come later.
        var failure: ApusError?

        /// Adds what moved since this target's last report.
        mutating func add(_ transfer: TransferProgress, at index: Int) {
            let last = transfers.updateValue(transfer, forKey: index) ?? TransferProgress()
            // A further attempt counts from 0 again; its bytes travelled too.
            func moved(_ now: Int, _ before: Int) -> Int { now < before ? now : now - before }
            progress.bytesSent += moved(transfer.bytesSent, last.bytesSent)
            progress.bytesReceived += moved(transfer.bytesReceived, last.bytesReceived)
        }

        /// Adds what was never reported, as of an answer that came in one piece.
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

    /// Writes down bytes that moved, and tells how many have in all.
    func move(_ index: Int, to transfer: TransferProgress) -> BatchProgress {
        state.withLock { state in
            state.add(transfer, at: index)
            return state.progress
        }
    }

    /// Writes down a result and tells how far the batch has come.
    func record(_ result: Result<Response, ApusError>, at index: Int) -> BatchProgress {
        state.withLock { state in
            state.progress.count(result)
            switch result {
            case .success(let response):
                state.add(response, at: index)
                state.succeeded.insert(index)
            case .failure(let error):
                if mode != .settled { state.failure = state.failure ?? error }
            }
            state.transfers[index] = nil
            return state.progress
        }
    }

    /// Writes down that no more targets can be made.
    func fail(_ error: any Error) {
        let failure =
            switch error {
            case let error as ApusError: error
            case is CancellationError: ApusError(.cancelled)
            default: ApusError(.invalidRequest(.target(detail: String(describing: error))))
            }
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// The end of a batch.
    func summary(
        of batch: Batch,
        reached: Int,
        wasCancelled: Bool,
        after duration: Duration
    ) -> BatchSummary {
        let state = state.withLock { $0 }
        let isCut = wasCancelled && state.progress.ended != state.progress.total
        return BatchSummary(
            failure: state.failure ?? (isCut ? ApusError(.cancelled) : nil),
            progress: state.progress,
            duration: duration,
            succeeded: state.succeeded,
            reached: reached
        )
    }
}
