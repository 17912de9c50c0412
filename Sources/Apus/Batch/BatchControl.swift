import Synchronization

/// Cancels a running batch, or one of its requests.
///
/// A control belongs to one run at a time. Cancelling the task that reads or awaits the batch has the same
/// effect as `cancelAll()`.
public final class BatchControl: Sendable {
    private enum Part: Hashable {
        case all
        case request(Int)
    }

    private struct State {
        var isCancelled = false
        var cancelled: Set<Int> = []
        var running: [Part: @Sendable () -> Void] = [:]

        func isUnwanted(_ part: Part) -> Bool {
            guard case .request(let index) = part else { return isCancelled }
            return isCancelled || cancelled.contains(index)
        }
    }

    private let state = Mutex(State())

    /// Creates a control for a run.
    public init() {}

    /// Cancels the request with this index; one that has not started is never sent.
    ///
    /// Does nothing if it has ended.
    public func cancel(_ index: Int) {
        let cancel = state.withLock { state in
            state.cancelled.insert(index)
            return state.running[.request(index)]
        }
        cancel?()
    }

    /// Cancels the running requests and starts no more.
    public func cancelAll() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.running[.all]
        }
        cancel?()
    }

    /// Whether the whole batch was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs a whole batch so that `cancelAll` can cancel it.
    func runAll<Value: Sendable>(_ batch: @escaping @Sendable () async -> Value) async -> Value {
        await run(.all, batch)
    }

    /// Runs an exchange so that it can be cancelled by its index.
    func run(
        _ index: Int,
        _ exchange: @escaping @Sendable () async -> ExchangeSummary
    ) async -> ExchangeSummary {
        await run(.request(index), exchange)
    }

    private func run<Value: Sendable>(
        _ part: Part,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        // A child task has no handle to cancel it with.
        let task = Task { await work() }
        let isUnwanted = state.withLock { state in
            state.running[part] = { task.cancel() }
            return state.isUnwanted(part)
        }
        if isUnwanted { task.cancel() }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { _ = $0.running.removeValue(forKey: part) }
        return value
    }

    /// Whether a request must not start.
    func isCancelled(_ index: Int) -> Bool {
        state.withLock { $0.isUnwanted(.request(index)) }
    }
}
