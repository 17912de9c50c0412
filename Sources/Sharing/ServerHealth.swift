import Synchronization

/// Whether a server works, and when one that does not is tried again.
///
/// ```
///            failed: reported once          the time has come: one attempt
/// working ───────────────────────▶ failing ────────────────────▶ …
///    ▲                                │ ▲ failed again: twice as long, at most a minute
///    └────── succeeded: reported ─────┘ └──┘
/// ```
final class ServerHealth: Sendable {
    /// A change that is worth a notice.
    enum Change: Sendable, Hashable {
        case failed(RedisFault)
        case recovered
    }

    private struct Failure {
        let fault: RedisFault
        var pause: Duration
        var retry: ContinuousClock.Instant
    }

    private struct State {
        var isKnown = false
        var failure: Failure?
    }

    private let state = Mutex(State())
    private let firstPause: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        firstPause: Duration = .seconds(1),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.firstPause, self.now) = (firstPause, now)
    }

    /// The longest time between two attempts.
    private static let longestPause = Duration.seconds(60)

    /// Nil if nothing has been tried yet; else whether it works, or why not.
    var result: Result<Void, RedisFault>? {
        state.withLock { state in
            if let failure = state.failure { return .failure(failure.fault) }
            return state.isKnown ? .success(()) : nil
        }
    }

    /// Whether to try now; if not, why.
    ///
    /// Of many that ask when the time has come only one may try.
    func mayTry() -> Result<Void, RedisFault> {
        let now = now()
        return state.withLock { state in
            guard let failure = state.failure else { return .success(()) }
            guard now >= failure.retry else { return .failure(failure.fault) }
            state.failure?.retry = now.advanced(by: failure.pause)
            return .success(())
        }
    }

    /// Notes a failure; returns the change if it is the first.
    func fail(_ fault: RedisFault) -> Change? {
        let now = now()
        return state.withLock { state in
            state.isKnown = true
            guard let former = state.failure else {
                let retry = now.advanced(by: firstPause)
                state.failure = Failure(fault: fault, pause: firstPause, retry: retry)
                return .failed(fault)
            }
            let pause = min(former.pause * 2, Self.longestPause)
            state.failure = Failure(fault: fault, pause: pause, retry: now.advanced(by: pause))
            return nil
        }
    }

    /// Notes that it works; returns the change if it did not before.
    func succeed() -> Change? {
        state.withLock { state in
            state.isKnown = true
            return state.failure.take() == nil ? nil : .recovered
        }
    }
}
