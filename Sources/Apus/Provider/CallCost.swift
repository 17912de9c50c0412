import Synchronization

/// What the requests for one answer have cost.
final class CallCost: Sendable {
    private let state = Mutex((attempts: 0, sharedBy: 1))

    /// How often something was sent.
    var attempts: Int { state.withLock { $0.attempts } }
    /// How many exchanges shared one transfer.
    var sharedBy: Int { state.withLock { $0.sharedBy } }

    /// Counts one sending; its number.
    func countAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    func note(attempts: Int, sharedBy: Int) {
        state.withLock { state in
            state.attempts += attempts
            state.sharedBy = max(state.sharedBy, sharedBy)
        }
    }
}
