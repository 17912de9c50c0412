import Glibc

/// The wait of one thread for signals, of the system or of other threads.
///
/// Threads that are started after it leave these signals to it. Dispatch's signal sources would
/// do the same with two threads and 1 ms more.
struct SignalWait: Sendable {
    /// What has come.
    enum Arrival {
        /// SIGINT or SIGTERM: the program is told to end.
        case interruption
        /// A call of `wakeUp`.
        case wakeUp
    }

    private let thread = pthread_self()

    /// Takes the signals over for the calling thread.
    init() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Lets the signals end the program again, on the thread that made this value.
    ///
    /// SIGUSR1 stays blocked: a call of `wakeUp` may come late.
    func giveBack() {
        var signals = Self.signals
        sigdelset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Waits for the next, on the thread that made this value; nil when `limit` has passed.
    func next(within limit: Duration?) -> Arrival? {
        var signals = Self.signals
        while true {
            let number: Int32
            if let limit {
                var time = timespec(
                    tv_sec: Int(limit.components.seconds),
                    tv_nsec: Int(limit.components.attoseconds / 1_000_000_000)
                )
                number = sigtimedwait(&signals, nil, &time)
            } else {
                number = sigwaitinfo(&signals, nil)
            }
            if number > 0 { return number == SIGUSR1 ? .wakeUp : .interruption }
            // A stop and its continuation end the wait, too.
            if errno == EAGAIN { return nil }
        }
    }

    /// Ends a wait, or the next one.
    func wakeUp() { pthread_kill(thread, SIGUSR1) }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&signals, number) }
        return signals
    }
}
