import ArgumentParser
import Glibc
import Synchronization

/// The asynchronous work of a command, run from the main thread to its end.
final class CommandRun: Sendable {
    private let outcome = Mutex<Result<Int32, any Error>?>(nil)

    private init() {}

    /// Waits until `work` has ended.
    ///
    /// SIGINT and SIGTERM cancel the work, which then says what there is; the status is 130 then.
    /// A second one ends the program at once.
    ///
    /// - Parameters:
    ///   - executor: where the work runs; nil for Swift's threads.
    ///   - work: gives the exit status.
    /// - Throws: the exit status unless it is 0, and what `work` throws.
    static func untilEnd(
        on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable () async throws -> Int32
    ) throws {
        // Whoever reads our output may go away: the write says so.
        signal(SIGPIPE, SIG_IGN)
        let run = CommandRun()
        let signals = SignalWait()
        let task = Task.detached(executorPreference: executor) {
            await run.perform(work)
            signals.wakeUp()
        }
        var isInterrupted = false
        var outcome: Result<Int32, any Error>?
        while outcome == nil {
            if signals.next() == .interruption {
                if isInterrupted { _exit(ExitStatus.interrupted) }
                isInterrupted = true
                task.cancel()
            }
            outcome = run.outcome.withLock { $0 }
        }
        let status = try outcome?.get() ?? 0
        if isInterrupted { throw ExitCode(ExitStatus.interrupted) }
        if status != 0 { throw ExitCode(status) }
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
