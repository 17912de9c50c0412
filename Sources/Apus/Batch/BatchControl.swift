import Synchronization

/// A hand on a batch that runs: cancels all of it, or one of its requests.
///
/// It belongs to one run at a time. Cancelling the task that reads or awaits the
/// batch does as much as `cancelAll()`.
public final class BatchControl: Sendable {
    /// What can be cancelled.
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

    /// Makes a control, to be given to a run.
    public init() {}

    /// Cancels one request, by its place; one that was not begun is never sent.
    ///
    /// Nothing happens if it has ended.
    public func cancel(_ index: Int) {
        let cancel = state.withLock { state in
            state.cancelled.insert(index)
            return state.running[.request(index)]
        }
        cancel?()
    }

    /// Cancels what is under way and begins nothing more.
    public func cancelAll() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.running[.all]
        }
        cancel?()
    }

    /// Whether all was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs a whole batch so that it can be cancelled.
    func runAll<Value: Sendable>(_ batch: @escaping @Sendable () async -> Value) async -> Value {
        await run(.all, batch)
    }

    /// Runs an exchange so that it can be cancelled by its place.
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
        // A child task has no handle of its own.
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

    /// Whether a request is not to be begun.
    func isCancelled(_ index: Int) -> Bool {
        state.withLock { $0.isUnwanted(.request(index)) }
    }
}
