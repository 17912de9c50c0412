import CCurl
import Glibc

/// A thread with a name that no signal is delivered to.
enum CurlThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Begins a thread; gives 0 or an errno.
    static func begin(
        _ thread: inout pthread_t,
        named name: String = "apus-transport",
        _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        // A thread inherits the mask, also libcurl's own threads for names.
        var blocked = blockableSignals
        var former = sigset_t()
        pthread_sigmask(SIG_SETMASK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let start = Unmanaged.passRetained(Start(name, body))
        let failure = pthread_create(&thread, &attributes, runThread, start.toOpaque())
        if failure != 0 { start.release() }
        return failure
    }

    /// Signals belong to the program's main thread; those of a crash stay, for
    /// its handler restores the terminal.
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
    if let context { CurlThread.run(context) }
    return nil
}
