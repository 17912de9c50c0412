import ArgumentParser
import Glibc
import Synchronization
import Terminal

/// Runs the asynchronous work of a command from the main thread.
final class CommandRun: Sendable {
    /// How often an interrupted run checks for a waiting write; the program ends when two checks find the same write.
    private static let patience = Duration.milliseconds(250)

    private let outcome = Mutex<Result<Int32, any Error>?>(nil)

    private init() {}

    /// Runs `work`, and waits until it has ended.
    ///
    /// SIGINT, SIGTERM or SIGHUP cancels the work, which may still print what it has; the status is then 130.
    /// A second signal ends the program at once, and so does a write that nobody reads.
    ///
    /// - Parameters:
    ///   - executor: where the work runs; nil for Swift's threads.
    ///   - work: returns the exit status.
    /// - Throws: `ExitCode` unless the status is 0, and what `work` throws.
    static func untilEnd(
        on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable () async throws -> Int32
    ) throws {
        // A write to a closed pipe fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        try ThreadCheck.requireThreads()
        let run = CommandRun()
        let signals = SignalWait()
        defer { signals.giveBack() }
        let task = Task.detached(executorPreference: executor) {
            await run.perform(work)
            signals.wakeUp()
        }
        var isInterrupted = false
        var outcome: Result<Int32, any Error>?
        var waitingWrite: Int?
        while outcome == nil {
            switch signals.next(within: isInterrupted ? patience : nil) {
            case .interruption:
                if isInterrupted { Self.giveUp() }
                isInterrupted = true
                task.cancel()
            case .wakeUp: break
            case nil:
                // Without threads, nothing that was cancelled ever ends.
                if !ThreadCheck.canStart(1) { Self.giveUp() }
                let pending = DescriptorWrite.pending
                if pending != nil, pending == waitingWrite { Self.giveUp() }
                waitingWrite = pending
            }
            outcome = run.outcome.withLock { $0 }
        }
        let status: Int32
        do {
            status = try outcome?.get() ?? 0
        } catch is CancellationError {
            status = ExitStatus.interrupted
        }
        if isInterrupted { throw ExitCode(ExitStatus.interrupted) }
        if status != 0 { throw ExitCode(status) }
    }

    /// Ends the process while the work is still running.
    static func giveUp() -> Never {
        FileReplacement.abandonAll()
        _exit(ExitStatus.interrupted)
    }

    private func perform(_ work: @Sendable () async throws -> Int32) async {
        let result: Result<Int32, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
    }
}

/// Checks whether threads can be started.
///
/// Dispatch and Swift's executors wait forever where the system starts none, because of `ulimit -u`, a limit of a
/// container, or too little address space.
enum ThreadCheck {
    /// What a request needs at once: one that runs the work, one that waits for timers, one for transfers, and
    /// one that records.
    private static let needed = 4

    /// - Throws: `CommandError` if so few threads can be started that the work would never end.
    static func requireThreads() throws(CommandError) {
        guard !canStart(needed) else { return }
        throw CommandError(
            """
            the system starts no more threads (\(systemMessage(EAGAIN))): raise the limit of processes \
            (ulimit -u) or of memory (ulimit -v), or end other programs
            """
        )
    }

    /// Whether this many threads can run at the same time.
    static func canStart(_ count: Int) -> Bool {
        var threads: [pthread_t] = []
        // They wait for this lock, so that all of them are there at once.
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        while threads.count < count {
            var thread = pthread_t()
            let code = pthread_create(
                &thread,
                nil,
                { gate in
                    let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
                    if let gate {
                        pthread_mutex_lock(gate)
                        pthread_mutex_unlock(gate)
                    }
                    return nil
                },
                gate
            )
            guard code == 0 else { break }
            threads.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        return threads.count == count
    }
}

/// Stops long work whose task is cancelled meanwhile.
///
/// Work that begins after the cancellation is not stopped: it prints what there is to say then.
struct CancellationCheck {
    private let isLate = Task.isCancelled

    /// - Throws: `CancellationError` if the task was cancelled since this value was made.
    func check() throws {
        if !isLate { try Task.checkCancellation() }
    }
}

/// Lets one thread wait for signals from the system and wake-ups from other threads.
///
/// Threads that are started later do not receive these signals. Dispatch's signal sources would do the same, but
/// take two threads and 1 ms more.
struct SignalWait: Sendable {
    /// What ended a wait.
    enum Arrival {
        /// SIGINT, SIGTERM or SIGHUP: the program is asked to end.
        case interruption
        /// A call of `wakeUp`.
        case wakeUp
    }

    private let thread = pthread_self()

    /// Blocks the signals on the calling thread, so that it can wait for them.
    init() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Unblocks the signals on the thread that made this value, so that they end the program again.
    ///
    /// SIGUSR1 stays blocked, because a call of `wakeUp` may come late.
    func giveBack() {
        var signals = Self.signals
        sigdelset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Waits for a signal or a wake-up, on the thread that made this value; nil after `limit`.
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
            // Stopping and continuing the process also ends the wait (EINTR).
            if errno == EAGAIN { return nil }
        }
    }

    /// Ends the current wait, or the next one.
    func wakeUp() { pthread_kill(thread, SIGUSR1) }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&signals, number) }
        // A wait would receive SIGHUP even if it is ignored, as under nohup.
        if !IgnoredSignals.contain(SIGHUP) { sigaddset(&signals, SIGHUP) }
        return signals
    }
}
