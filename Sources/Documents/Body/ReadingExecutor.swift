import Glibc
import Synchronization

/// Threads for what may take seconds for a text that is made for it: reading by libraries, queries.
///
/// The threads of Swift's pool, one for each processor, are everybody's.
///
/// The task stays the same, so that whoever cancels it ends the work.
package final class ReadingExecutor: TaskExecutor {
    /// For what has a `ReadingBudget`: a few texts at a time, and others wait.
    package static let bounded = ReadingExecutor(threadLimit: 2)
    /// For what goes on until somebody who sees it ends it; a few of them are not to keep others
    /// waiting.
    package static let interactive = ReadingExecutor(threadLimit: 8)

    private let threadLimit: Int

    private struct State {
        var threadCount = 0
        var waiting: [UnownedJob] = []
    }

    private let state = Mutex(State())

    private init(threadLimit: Int) { self.threadLimit = threadLimit }

    /// Does work on one of the threads.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(self) { @concurrent () async throws(Failure) in
            try work()
        }
    }

    /// Reads a text of a format: XML, HTML and YAML on one of the threads, any other where it is
    /// called, for our own readers take linear time and look at the task's cancellation.
    static func read<Result: Sendable>(
        _ format: DocumentFormat?,
        _ work: @escaping @Sendable () -> Result
    ) async -> Result {
        guard format == .xml || format == .html || format == .yaml else { return work() }
        return await bounded.run(work)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.waiting.append(job)
            guard state.threadCount < threadLimit else { return false }
            state.threadCount += 1
            return true
        }
        if needsThread { BlockingCall.run { self.runJobs() } }
    }

    /// Runs what waits, and ends.
    private func runJobs() {
        while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}

/// What a library, or a query, may take of a thread's processor time for a text, and whether anybody
/// still waits.
package final class ReadingBudget {
    /// Why a reading ends early.
    enum End { case cancelled, tookTooLong }

    private(set) var end: End?
    let limit: Duration
    private let began = ReadingBudget.processorTime()
    private let isCancellable: Bool

    /// Without a limit of its own it has many times what an honest text takes: libxml2, libyaml and
    /// queries take quadratic time and more for some that are not.
    package init(ofText count: Int, limit: Duration?, isCancellable: Bool = true) {
        self.limit = limit ?? .seconds(5) + .seconds(count >> 22)
        self.isCancellable = isCancellable
    }

    /// Whether the reading is to end; to be asked for every few kilobytes.
    package func isOver() -> Bool {
        guard end == nil else { return true }
        if isCancellable, Task.isCancelled {
            end = .cancelled
        } else if Self.processorTime() - began > limit {
            end = .tookTooLong
        }
        return end != nil
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
