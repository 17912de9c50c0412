import CCurl
import Glibc
import Synchronization

/// The thread that all transfers of a transport run on, and its command queue.
///
/// ```
/// any thread ── post ──▶ queue ──▶ engine's thread: commands, sockets, callbacks
///                          └─ 0→1: wake
/// ```
/// The thread begins with the first command and ends with `stop`. A job that
/// comes later still runs, on a thread that lives as long as there are some:
/// an executor may not lose a job.
final class CurlEngine: TaskExecutor, Sendable {
    /// What the engine is told to do.
    enum Command {
        /// Begin a transfer.
        case start(CurlTransfer)
        /// End a transfer, wherever it is.
        case cancel(CurlTransfer)
        /// Offer a paused transfer's bytes again.
        case unpause(CurlTransfer)
        /// Run a piece of a task.
        case run(UnownedJob)
    }

    private struct State {
        var commands: [Command] = []
        var multi: CurlMulti?
        var thread: pthread_t?
        var isStopped = false
        /// Whether the thread sleeps, or is about to.
        var isAsleep = false
    }

    let configuration: CurlTransport.Configuration
    private let state = Mutex(State())
    /// What `State.isStopped` says, for the thread when it is in the middle of a body.
    let isToStop = Atomic(false)
    /// The thread, while it runs; else 0.
    private let ownThread = Atomic<pthread_t>(0)
    /// Unsafe because only the thread itself may touch it: see `ownLoop`.
    nonisolated(unsafe) private var loop: CurlLoop?

    init(_ configuration: CurlTransport.Configuration) { self.configuration = configuration }

    /// Puts a command at the end of the queue; from any thread.
    func post(_ command: Command) {
        if case .cancel(let transfer) = command {
            transfer.isCancelled.store(true, ordering: .relaxed)
        }
        if let ownLoop { return ownLoop.post(command) }
        let failure = state.withLock { state -> Int32 in
            switch command {
            case .start, .run: break
            case .cancel, .unpause:
                // Without a thread there is nothing that these could concern,
                // unless the start is still on its way.
                if state.thread == nil, state.isStopped { return 0 }
            }
            state.commands.append(command)
            guard state.thread != nil else { return begin(&state, for: command) }
            wakeIfAsleep(&state)
            return 0
        }
        guard failure != 0 else { return }
        switch command {
        case .start(let transfer):
            transfer.fail(.transport(code: Int(failure), detail: "no thread for the transfers"))
        // An executor has to run its job, and here is a thread that can.
        case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .cancel, .unpause: break
        }
    }

    /// Ends all transfers and then the thread, without waiting for it.
    func stop() {
        isToStop.store(true, ordering: .relaxed)
        state.withLock { state in
            state.isStopped = true
            wakeIfAsleep(&state)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { post(.run(UnownedJob(job))) }

    /// What runs the transfers, for the engine's own thread; nil on others.
    private var ownLoop: CurlLoop? {
        ownThread.load(ordering: .relaxed) == pthread_self() ? loop : nil
    }

    /// Under the lock, because the engine's thread frees the set after it has
    /// taken it out of the state.
    private func wakeIfAsleep(_ state: inout State) {
        guard state.isAsleep else { return }
        state.isAsleep = false
        state.multi?.wake()
    }

    /// Begins the thread for a command that needs it.
    private func begin(_ state: inout State, for command: Command) -> Int32 {
        switch command {
        case .cancel, .unpause: return 0
        case .start, .run: break
        }
        var thread = pthread_t()
        let failure = CurlThread.begin(&thread) { self.run() }
        guard failure == 0 else {
            state.commands.removeLast()
            return failure
        }
        state.thread = thread
        return 0
    }

    // MARK: engine's thread

    private func run() {
        let loop = CurlLoop(self)
        self.loop = loop
        ownThread.store(pthread_self(), ordering: .relaxed)
        state.withLock { $0.multi = loop.multi }
        var batch: [Command] = []
        while takeCommands(&batch, for: loop) {
            for command in batch { loop.execute(command) }
            batch.removeAll(keepingCapacity: true)
            loop.perform()
            if maySleep(loop) { loop.wait() }
        }
        loop.close()
    }

    /// Swaps the queue with an empty one; false if the thread is to end.
    private func takeCommands(_ batch: inout [Command], for loop: CurlLoop) -> Bool {
        let (goesOn, isStopped) = state.withLock { state in
            swap(&batch, &state.commands)
            state.isAsleep = false
            guard batch.isEmpty, !loop.hasCommands, state.isStopped || loop.multi == nil else {
                return (true, state.isStopped)
            }
            state.multi = nil
            state.thread = nil
            // Who comes from here on begins another thread.
            ownThread.store(0, ordering: .relaxed)
            self.loop = nil
            return (false, state.isStopped)
        }
        if isStopped { loop.stop() }
        return goesOn
    }

    /// Whether the thread may sleep; from then on who posts a command wakes it.
    private func maySleep(_ loop: CurlLoop) -> Bool {
        guard !loop.hasCommands, !loop.hasResting else { return false }
        return state.withLock { state in
            state.isAsleep = state.commands.isEmpty && !state.isStopped && state.multi != nil
            return state.isAsleep
        }
    }
}

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
