import Synchronization

/// Holds those who come until it is opened, and tells how many are held.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let arrivals = AsyncStream<Void>.makeStream()

    /// Waits until so many have come since the last call.
    func waitForArrivals(_ count: Int = 1) async {
        var rest = count
        guard rest > 0 else { return }
        for await _ in arrivals.stream {
            rest -= 1
            if rest == 0 { return }
        }
    }

    /// Waits for `open`, whether or not the task is cancelled.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            arrivals.continuation.yield()
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
