import Dispatch
import Synchronization
import TestSupport

/// Requests that a `RawServer` has taken and answers when it is told to.
final class HeldRequests: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let state = Mutex((now: 0, most: 0))

    /// The most that were here at once.
    var most: Int { state.withLock { $0.most } }

    /// Counts one more; how many there were, this one included.
    func count() -> Int {
        state.withLock {
            $0.most += 1
            return $0.most
        }
    }

    /// Holds the calling thread until it is released.
    func hold() {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        arrived.signal()
        released.wait()
        state.withLock { $0.now -= 1 }
    }

    /// Returns when so many more have come.
    func waitFor(_ count: Int) {
        for _ in 0..<count { arrived.wait() }
    }

    /// Lets so many go.
    func release(_ count: Int) {
        for _ in 0..<count { released.signal() }
    }
}
