import Synchronization

/// What the workers of a batch share: whose turn it is, and the results.
final class BatchLedger: Sendable {
    private struct State {
        var next = 0
        var progress: BatchProgress
        var results: [Result<Response, ApusError>?]
        var failure: ApusError?
    }

    private let state: Mutex<State>

    /// Makes a ledger for so many targets.
    init(count: Int) {
        state = Mutex(
            State(
                progress: BatchProgress(total: count),
                results: Array(repeating: nil, count: count)
            )
        )
    }

    /// The place of the next target; nil when all have been taken.
    func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < state.results.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    /// Writes down a result and tells how far the batch has come.
    func record(_ result: Result<Response, ApusError>, at index: Int) -> BatchProgress {
        state.withLock { state in
            state.results[index] = result
            switch result {
            case .success: state.progress.succeeded += 1
            case .failure(let error):
                state.progress.failed += 1
                state.failure = state.failure ?? error
            }
            return state.progress
        }
    }

    /// The end of a batch; targets that were never taken count as cancelled.
    func summary(mode: Batch.Mode, wasCancelled: Bool, after duration: Duration) -> BatchSummary {
        let state = state.withLock { $0 }
        let failure = mode == .all ? state.failure : nil
        let isCut = wasCancelled && state.progress.ended < state.progress.total
        return BatchSummary(
            results: state.results.map { $0 ?? .failure(ApusError(.cancelled)) },
            failure: failure ?? (isCut ? ApusError(.cancelled) : nil),
            progress: state.progress,
            duration: duration
        )
    }
}
