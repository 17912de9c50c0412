import Synchronization

/// Bounds the time that an interceptor takes for itself: between its calls of
/// `next`, never during them.
final class InterceptorLeash: Sendable {
    private struct State {
        var alarm: UInt64?
        var callsRunning = 0
        var isOver = false
    }

    private let race: HookRace<Response>
    private let watchdog: Watchdog
    private let limit: Duration?
    private let state = Mutex(State())

    init(_ race: HookRace<Response>, _ watchdog: Watchdog, limit: Duration?) {
        self.race = race
        self.watchdog = watchdog
        self.limit = limit
    }

    /// Begins to measure.
    func start() {
        state.withLock { state in
            if state.callsRunning == 0 { setAlarm(&state) }
        }
    }

    /// Runs a call of `next` without measuring it.
    ///
    /// - Throws: also `.cancelled`, if the interceptor's time is over.
    func call(
        _ next: () async throws(ApusError) -> Response
    ) async throws(ApusError) -> Response {
        guard race.ending == nil else { throw ApusError(.cancelled) }
        state.withLock { state in
            state.callsRunning += 1
            removeAlarm(&state)
        }
        defer {
            state.withLock { state in
                state.callsRunning -= 1
                if state.callsRunning == 0 { setAlarm(&state) }
            }
        }
        return try await next()
    }

    /// Ends the measuring.
    func end() {
        state.withLock { state in
            state.isOver = true
            removeAlarm(&state)
        }
    }

    private func setAlarm(_ state: inout State) {
        guard let limit, !state.isOver, state.alarm == nil else { return }
        let race = race
        state.alarm = watchdog.set(after: limit) { race.end(.timedOut) }
    }

    private func removeAlarm(_ state: inout State) {
        if let alarm = state.alarm.take() { watchdog.remove(alarm) }
    }
}
