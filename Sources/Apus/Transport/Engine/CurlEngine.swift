import Glibc
import Synchronization

/// The thread that runs all transfers of a transport, and its command queue.
///
/// ```
/// any thread ── post ──▶ queue ──▶ engine's thread: commands, sockets, callbacks
///                          └─ 0→1: wake
/// ```
/// The thread starts with the first command and ends with `stop`. A job that is enqueued later still runs,
/// on a new thread that lives while there are jobs, because an executor must not lose a job.
final class CurlEngine: TaskExecutor, Sendable {
    enum Command {
        case start(CurlTransfer)
        /// Ends a transfer in any state.
        case cancel(CurlTransfer)
        /// Resumes a paused transfer.
        case unpause(CurlTransfer)
        case run(UnownedJob)
    }

    private struct State {
        var commands: [Command] = []
        var multi: CurlMulti?
        var thread: pthread_t?
        var isStopped = false
        /// Whether the thread sleeps or is about to.
        var isAsleep = false
    }

    let configuration: CurlTransport.Configuration
    private let state = Mutex(State())
    /// A copy of `State.isStopped` that can be read without the lock while the thread processes a body.
    let isToStop = Atomic(false)
    /// The thread while it runs; otherwise 0.
    private let ownThread = Atomic<pthread_t>(0)
    /// Unsafe because only the engine's thread may use it; see `ownLoop`.
    nonisolated(unsafe) private var loop: CurlLoop?

    init(_ configuration: CurlTransport.Configuration) { self.configuration = configuration }

    /// Appends a command to the queue; callable from any thread.
    func post(_ command: Command) {
        if case .cancel(let transfer) = command {
            transfer.isCancelled.store(true, ordering: .relaxed)
        }
        if let ownLoop { return ownLoop.post(command) }
        let failure = state.withLock { state -> Int32 in
            switch command {
            case .start, .run: break
            case .cancel, .unpause:
                // Without a thread there is no transfer for these commands, unless its start is still queued.
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
            let detail = "the thread for transfers could not be started"
            transfer.fail(.transport(code: Int(failure), detail: detail))
        // An executor must run its job; the calling thread can do that.
        case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .cancel, .unpause: break
        }
    }

    /// Ends all transfers and then the thread; does not wait for it.
    func stop() {
        isToStop.store(true, ordering: .relaxed)
        state.withLock { state in
            state.isStopped = true
            wakeIfAsleep(&state)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { post(.run(UnownedJob(job))) }

    /// The loop if the caller is on the engine's thread; otherwise nil.
    private var ownLoop: CurlLoop? {
        ownThread.load(ordering: .relaxed) == pthread_self() ? loop : nil
    }

    /// Wakes the thread; call it under the lock, because the engine's thread frees the multi handle after
    /// it has removed it from the state.
    private func wakeIfAsleep(_ state: inout State) {
        guard state.isAsleep else { return }
        state.isAsleep = false
        state.multi?.wake()
    }

    /// Starts the thread if the command needs it; returns 0 or an errno.
    private func begin(_ state: inout State, for command: Command) -> Int32 {
        switch command {
        case .cancel, .unpause: return 0
        case .start, .run: break
        }
        var thread = pthread_t()
        let failure = DetachedThread.begin(&thread, named: "apus-transport") { self.run() }
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

    /// Swaps the queue with the empty `batch`; returns false if the thread must end.
    private func takeCommands(_ batch: inout [Command], for loop: CurlLoop) -> Bool {
        let (goesOn, isStopped) = state.withLock { state in
            swap(&batch, &state.commands)
            state.isAsleep = false
            guard batch.isEmpty, !loop.hasCommands, state.isStopped || loop.multi == nil else {
                return (true, state.isStopped)
            }
            state.multi = nil
            state.thread = nil
            // A command posted from here on starts another thread.
            ownThread.store(0, ordering: .relaxed)
            self.loop = nil
            return (false, state.isStopped)
        }
        if isStopped { loop.stop() }
        return goesOn
    }

    /// Whether the thread may sleep; if so, a posted command wakes it.
    private func maySleep(_ loop: CurlLoop) -> Bool {
        guard !loop.hasCommands, !loop.hasResting else { return false }
        return state.withLock { state in
            state.isAsleep = state.commands.isEmpty && !state.isStopped && state.multi != nil
            return state.isAsleep
        }
    }
}
