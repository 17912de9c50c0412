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
    }

    let configuration: CurlTransport.Configuration
    private let state = Mutex(State())

    init(_ configuration: CurlTransport.Configuration) { self.configuration = configuration }

    /// Puts a command at the end of the queue; from any thread.
    func post(_ command: Command) {
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
            wakeIfNeeded(&state)
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
        state.withLock { state in
            state.isStopped = true
            if let multi = state.multi { multi.wake() }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { post(.run(UnownedJob(job))) }

    /// Under the lock, because the engine's thread frees the set after it has
    /// taken it out of the state.
    private func wakeIfNeeded(_ state: inout State) {
        guard state.commands.count == 1, let thread = state.thread,
            pthread_equal(pthread_self(), thread) == 0
        else { return }
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
        state.withLock { $0.multi = loop.multi }
        var batch: [Command] = []
        while takeCommands(&batch, keepsRunning: loop.multi != nil) {
            execute(&batch, on: loop)
            loop.perform()
            if !hasWork { loop.wait() }
        }
        loop.close()
    }

    /// Carries commands out, and those that they lead to: an ended transfer's task
    /// sends the next request, which then needs no look at the sockets of its own.
    private func execute(_ batch: inout [Command], on loop: CurlLoop) {
        // Not without end: a task that always has more to do may not stop the sockets.
        for _ in 0..<4 where !batch.isEmpty {
            for command in batch { loop.execute(command) }
            batch.removeAll(keepingCapacity: true)
            state.withLock { swap(&batch, &$0.commands) }
        }
        guard !batch.isEmpty else { return }
        state.withLock { $0.commands.insert(contentsOf: batch, at: 0) }
        batch.removeAll(keepingCapacity: true)
    }

    /// Swaps the queue with an empty one; false if the thread is to end.
    private func takeCommands(_ batch: inout [Command], keepsRunning: Bool) -> Bool {
        state.withLock { state in
            swap(&batch, &state.commands)
            guard batch.isEmpty, state.isStopped || !keepsRunning else { return true }
            state.multi = nil
            state.thread = nil
            return false
        }
    }

    /// Whether there is a reason not to sleep.
    private var hasWork: Bool {
        state.withLock { !$0.commands.isEmpty || $0.isStopped || $0.multi == nil }
    }

    /// Whether transfers are still begun.
    var isStopped: Bool { state.withLock { $0.isStopped } }
}
