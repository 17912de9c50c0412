import CCurl
import Glibc

/// Starts named threads that receive no signals.
enum DetachedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a detached thread; returns 0 or an errno.
    static func begin(
        _ thread: inout pthread_t,
        named name: String,
        _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        // A new thread inherits the mask, as do libcurl's own threads for name lookups.
        var blocked = blockableSignals
        var former = sigset_t()
        pthread_sigmask(SIG_SETMASK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let start = Unmanaged.passRetained(Start(name, body))
        let failure = pthread_create(&thread, &attributes, runThread, start.toOpaque())
        if failure != 0 { start.release() }
        return failure
    }

    /// All signals except those of a crash, whose handler restores the terminal; the others are for the
    /// main thread.
    private static var blockableSignals: sigset_t {
        var signals = sigset_t()
        sigfillset(&signals)
        for crash in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS] {
            sigdelset(&signals, crash)
        }
        return signals
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        ccurl_name_this_thread(start.name)
        start.body()
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { DetachedThread.run(context) }
    return nil
}
