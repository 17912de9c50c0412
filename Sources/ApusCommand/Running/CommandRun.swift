import ArgumentParser
import Glibc
import Synchronization
import Terminal

/// Runs the asynchronous work of a command from the main thread.
final class CommandRun: Sendable {
    /// A write that waits longer than this twice has a reader that does not read.
    private static let patience = Duration.milliseconds(250)

    private let outcome = Mutex<Result<Int32, any Error>?>(nil)

    private init() {}

    /// Waits until `work` has ended.
    ///
    /// SIGINT, SIGTERM and SIGHUP cancel the work, which then says what there is; the status is 130 then.
    /// A second one ends the program at once, and so does a reader who does not take what is said.
    ///
    /// - Parameters:
    ///   - executor: where the work runs; nil for Swift's threads.
    ///   - work: gives the exit status.
    /// - Throws: the exit status unless it is 0, and what `work` throws.
    static func untilEnd(
        on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable () async throws -> Int32
    ) throws {
        // If the reader closes the pipe, the write fails instead.
        signal(SIGPIPE, SIG_IGN)
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

    /// Ends the process though the work goes on.
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

/// The wait of one thread for signals, of the system or of other threads.
///
/// Threads that are started after it leave these signals to it. Dispatch's signal sources would
/// do the same with two threads and 1 ms more.
struct SignalWait: Sendable {
    /// What has come.
    enum Arrival {
        /// SIGINT, SIGTERM or SIGHUP: the program is told to end.
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
        // A wait would have it also where nohup has it ignored.
        if !IgnoredSignals.contain(SIGHUP) { sigaddset(&signals, SIGHUP) }
        return signals
    }
}
