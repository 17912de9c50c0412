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

    /// Takes the signals over for the calling thread, for good.
    init() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next; only on the thread that made this value.
    func next() -> Arrival {
        var signals = Self.signals
        var number: Int32 = 0
        sigwait(&signals, &number)
        return number == SIGUSR1 ? .wakeUp : .interruption
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
