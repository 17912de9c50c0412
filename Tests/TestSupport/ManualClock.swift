import Synchronization

/// A clock that stands until a test moves it.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Instant
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var next = 0
        var slept: [Duration] = []
    }

    private let state: Mutex<State>
    private let fellAsleep = AsyncStream<Duration>.makeStream()

    /// Makes a clock that shows so much time since its beginning.
    package init(showing offset: Duration = .zero) {
        state = Mutex(State(now: Instant(offset: offset)))
    }

    package var now: Instant { state.withLock(\.now) }
    package var minimumResolution: Duration { .nanoseconds(1) }
    /// How long each sleep was to be, in order.
    package var slept: [Duration] { state.withLock(\.slept) }

    /// Waits until somebody sleeps for longer than nothing.
    package func waitUntilAsleep() async {
        for await _ in fellAsleep.stream { return }
    }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            state.slept.append(deadline.offset - state.now.offset)
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(deadline: deadline, continuation: continuation), id)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ sleeper: Sleeper, _ id: Int) {
        enum Fate { case sleeps, wakes, ends }
        let fate = state.withLock { state -> Fate in
            if state.cancelled.contains(id) { return .ends }
            if sleeper.deadline <= state.now { return .wakes }
            state.sleepers[id] = sleeper
            return .sleeps
        }
        switch fate {
        case .sleeps: fellAsleep.continuation.yield(.zero)
        case .wakes: sleeper.continuation.resume()
        case .ends: sleeper.continuation.resume(throwing: CancellationError())
        }
    }
}
