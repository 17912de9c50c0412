import Synchronization

/// Who ends a hook: itself, its time limit or a cancellation; the first one counts.
final class HookRace<Value: Sendable>: Sendable {
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

    /// How it ended, if it has.
    var ending: Ending? { state.withLock(\.ending) }

    /// Ends it, unless it has ended.
    func end(_ ending: Ending) {
        let waiter = state.withLock { state -> CheckedContinuation<Ending, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            return state.waiter.take()
        }
        waiter?.resume(returning: ending)
    }

    /// Waits for the end; one waits.
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
