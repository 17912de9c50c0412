import Synchronization

/// The first of several possible endings of a hook: its own result, its time limit or a cancellation.
final class FirstOutcome<Value: Sendable>: Sendable {
    enum Ending: Sendable {
        case returned(Value)
        case threw(any Error)
        case timedOut
        case cancelled
    }

    private struct State {
        var ending: Ending?
        var waiter: CheckedContinuation<Ending, Never>?
    }

    private let state = Mutex(State())

    /// How it ended; nil if it has not.
    var ending: Ending? { state.withLock(\.ending) }

    /// Sets the ending, unless there is one already.
    func end(_ ending: Ending) {
        let waiter = state.withLock { state -> CheckedContinuation<Ending, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            return state.waiter.take()
        }
        waiter?.resume(returning: ending)
    }

    /// Waits for the ending; only one caller may wait.
    func wait() async -> Ending {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                if state.ending == nil { state.waiter = continuation }
                return state.ending
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
