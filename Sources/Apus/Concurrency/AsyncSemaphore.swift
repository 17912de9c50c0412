import DequeModule
import Synchronization

/// A counting semaphore for tasks, first come, first served.
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

    /// Waits until the count is above zero, then decrements it.
    ///
    /// - Returns: False, without decrementing, if the task is cancelled.
    func wait() async -> Bool {
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
            await withCheckedContinuation { enqueue(Waiter(id: id, continuation: $0)) }
        } onCancel: {
            leave(id)
        }
    }

    /// Resumes the next waiter, or increments the count if there is none.
    func signal() {
        let next = state.withLock { state -> Waiter? in
            if let next = state.waiters.popFirst() { return next }
            state.free += 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }

    private func enqueue(_ waiter: Waiter) {
        let response = state.withLock { state -> Bool? in
            // Checked under the lock, so that a cancellation is either seen here or finds the waiter.
            if Task.isCancelled { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiters.append(waiter)
            return nil
        }
        if let response { waiter.continuation.resume(returning: response) }
    }

    private func leave(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}
