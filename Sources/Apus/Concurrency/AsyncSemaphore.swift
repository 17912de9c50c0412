import DequeModule
import Synchronization

/// So many turns, taken by tasks and given back; who waits longest is next.
final class AsyncSemaphore: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var waiters: Deque<Waiter> = []
        var nextID = 0
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a turn.
    ///
    /// - Returns: false, and no turn, if the task is cancelled.
    func take() async -> Bool {
        if Task.isCancelled { return false }
        let id = state.withLock { state -> Int? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait(Waiter(id: id, continuation: $0)) }
        } onCancel: {
            give(up: id)
        }
    }

    /// Gives a turn back.
    func give() {
        let next = state.withLock { state -> Waiter? in
            if let next = state.waiters.popFirst() { return next }
            state.free += 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }

    private func wait(_ waiter: Waiter) {
        let answer = state.withLock { state -> Bool? in
            // Under the lock: a cancellation is seen here, or finds the waiter.
            if Task.isCancelled { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiters.append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(returning: answer) }
    }

    private func give(up id: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}
