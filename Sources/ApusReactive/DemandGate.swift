import OpenCombine
import Synchronization

/// Lets as many values through as were asked for.
final class DemandGate: Sendable {
    private struct State {
        var demand = Subscribers.Demand.none
        var isClosed = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Whether it lets nothing through any more.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Lets so many more through.
    func add(_ demand: Subscribers.Demand) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.demand += demand
            guard state.demand > .none, let waiter = state.waiter.take() else { return nil }
            state.demand -= 1
            return waiter
        }
        waiter?.resume(returning: true)
    }

    /// Lets nothing through any more, and sends the one that waits away.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }

    /// Waits until a value may pass; false if none may any more.
    ///
    /// One waits at a time.
    func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.demand > .none {
                    state.demand -= 1
                    return true
                }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
