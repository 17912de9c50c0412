import ArgumentParser
import Glibc
import Synchronization
import Terminal

/// The asynchronous work of a command, run from the main thread to its end.
final class CommandRun: Sendable {
    /// A write that waits longer than this once and twice waits for somebody who does not read.
    private static let patience = Duration.milliseconds(250)

    private let outcome = Mutex<Result<Int32, any Error>?>(nil)

    private init() {}

    /// Waits until `work` has ended.
    ///
    /// SIGINT and SIGTERM cancel the work, which then says what there is; the status is 130 then.
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
        // Whoever reads our output may go away: the write says so.
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
    private static func giveUp() -> Never {
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
