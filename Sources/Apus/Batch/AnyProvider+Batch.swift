import BitCollections
import Synchronization

extension AnyProvider {
    /// The events of a batch, ending with exactly one `finished`.
    ///
    /// No response is kept after it was read.
    public func events(for batch: Batch, control: BatchControl? = nil) -> BatchEvents {
        BatchEvents(run: run(of: batch, control))
    }

    /// Runs a batch and passes on each result when it ends, in any order, without keeping it.
    ///
    /// - Parameters:
    ///   - batch: The batch to send.
    ///   - control: Can cancel the batch or one request while it runs.
    ///   - each: Is called with an index and its result, concurrently for as many requests as may run at
    ///     once. The worker starts its next target when the call returns.
    /// - Returns: how the batch ended, after all calls have returned.
    public func run(
        _ batch: Batch,
        control: BatchControl? = nil,
        _ each: @escaping @Sendable (Int, Result<Response, ApusError>) async -> Void
    ) async -> BatchSummary {
        await run(of: batch, control).run(.init(each: each))
    }

    /// The results of a batch in its order, all of them in memory.
    ///
    /// A target that never started has the error `cancelled`. With the mode `.all` a failure cancels the
    /// others; with `.allFinishing` all are sent.
    ///
    /// - Throws: with these two modes the first failure, with the index of its target in `batchIndex`; with
    ///   any mode, the error of making the targets.
    public func results(
        of batch: Batch,
        control: BatchControl? = nil
    ) async throws(ApusError) -> [Result<Response, ApusError>] {
        let results = try await collected(batch, control)
        guard let count = batch.count else {
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
        return (0..<count).filter { !batch.done.contains($0) }
            .map { results[$0] ?? .failure(ApusError(.cancelled)) }
    }

    /// The results of a batch of which some are known; sends only the targets that failed and those after the
    /// known results.
    ///
    /// - Throws: the same as `results(of:)`.
    public func results(
        of batch: Batch,
        completing earlier: [Result<Response, ApusError>],
        control: BatchControl? = nil
    ) async throws(ApusError) -> [Result<Response, ApusError>] {
        var rest = batch
        rest.done = BitSet()
        for (index, result) in earlier.enumerated() {
            if case .success = result { rest.done.insert(index) }
        }
        let fresh = try await collected(rest, control)
        let count = batch.count ?? max(earlier.count, (fresh.keys.max() ?? -1) + 1)
        return (0..<count).map { index in
            fresh[index]
                ?? (index < earlier.count ? earlier[index] : .failure(ApusError(.cancelled)))
        }
    }

    private func collected(
        _ batch: Batch,
        _ control: BatchControl?
    ) async throws(ApusError) -> [Int: Result<Response, ApusError>] {
        let results = BatchResults()
        let summary = await run(batch, control: control) { results.add($1, at: $0) }
        if let failure = summary.failure, failure.reason != .cancelled || batch.mode != .settled {
            throw failure
        }
        return results.all
    }

    private func run(of batch: Batch, _ control: BatchControl?) -> BatchRun {
        BatchRun(batch: batch, control: control) { [self] target, plan, reader, emit in
            await exchange(target, plan.source, plan.policy, reader).run(emit)
        }
    }
}

/// Collects the results of a batch.
private final class BatchResults: Sendable {
    private let results = Mutex<[Int: Result<Response, ApusError>]>([:])

    var all: [Int: Result<Response, ApusError>] { results.withLock { $0 } }

    func add(_ result: Result<Response, ApusError>, at index: Int) {
        results.withLock { $0[index] = result }
    }
}
