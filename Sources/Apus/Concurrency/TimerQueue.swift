import Synchronization

/// Calls a closure after a delay, unless the alarm is removed first.
///
/// A single task sleeps for all alarms. A task for each hook would leave its timer in the system until the
/// limit, however early the hook ends.
final class TimerQueue: Sendable {
    private struct Alarm {
        let deadline: Duration
        let ring: @Sendable () -> Void
    }

    private struct State {
        var alarms: [UInt64: Alarm] = [:]
        var next: UInt64 = 0
        var sleeper: (deadline: Duration, task: Task<Void, Never>)?
    }

    private let state = Mutex(State())
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (_ deadline: Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        elapsed = { origin.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    }

    deinit { state.withLock { $0.sleeper?.task.cancel() } }

    /// Calls `ring` after a delay; returns an ID for `remove`.
    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = elapsed() + time
        return state.withLock { state in
            state.next += 1
            state.alarms[state.next] = Alarm(deadline: deadline, ring: ring)
            if state.sleeper.map({ deadline < $0.deadline }) ?? true {
                sleep(until: deadline, &state)
            }
            return state.next
        }
    }

    func remove(_ id: UInt64) {
        state.withLock { _ = $0.alarms.removeValue(forKey: id) }
    }

    private func sleep(until deadline: Duration, _ state: inout State) {
        state.sleeper?.task.cancel()
        let sleep = sleep
        // Weak, because the sleeping task must not keep its owner alive.
        let task = Task { [weak self] in
            // Sleeping fails only on cancellation.
            guard (try? await sleep(deadline)) != nil else { return }
            self?.ringDue()
        }
        state.sleeper = (deadline, task)
    }

    private func ringDue() {
        let now = elapsed()
        let due = state.withLock { state in
            let due = state.alarms.filter { $0.value.deadline <= now }
            for id in due.keys { state.alarms[id] = nil }
            state.sleeper = nil
            if let next = state.alarms.values.map(\.deadline).min() { sleep(until: next, &state) }
            return due.values
        }
        for alarm in due { alarm.ring() }
    }
}
