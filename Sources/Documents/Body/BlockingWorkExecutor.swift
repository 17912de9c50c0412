import Glibc
import Synchronization

/// Threads for work that may take seconds on a hostile text: reading by libraries, and queries.
///
/// Such work must not block the threads of Swift's pool, of which there is one per processor. It runs in the
/// same task, so that cancelling the task ends it.
package final class BlockingWorkExecutor: TaskExecutor {
    /// For work with a `CPUTimeBudget`: a few texts at a time, while others wait.
    package static let bounded = BlockingWorkExecutor(threadLimit: 2)
    /// For work that runs until the user ends it; has more threads, so that a few such jobs do not block others.
    package static let interactive = BlockingWorkExecutor(threadLimit: 8)

    private let threadLimit: Int

    private struct State {
        var threadCount = 0
        var waiting: [UnownedJob] = []
    }

    private let state = Mutex(State())

    private init(threadLimit: Int) { self.threadLimit = threadLimit }

    /// Runs work on one of the threads.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(self) { @concurrent () async throws(Failure) in
            try work()
        }
    }

    /// Reads a text of a format: XML, HTML and YAML on one of the threads, others on the calling thread,
    /// because our own readers take linear time and check for cancellation.
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

    /// Runs waiting jobs until there are none.
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

/// Limits the processor time that a library or a query may use for a text, and checks for cancellation.
package final class CPUTimeBudget {
    /// Why a reading ends early.
    enum End { case cancelled, tookTooLong }

    private(set) var end: End?
    let limit: Duration
    private let began = CPUTimeBudget.processorTime()
    private let isCancellable: Bool

    /// Without a `limit`, the budget is many times what an ordinary text takes.
    ///
    /// For some hostile texts, libxml2, gumbo, libyaml and queries take quadratic time or more.
    package init(ofText count: Int, limit: Duration?, isCancellable: Bool = true) {
        self.limit = limit ?? .seconds(5) + .seconds(count >> 22)
        self.isCancellable = isCancellable
    }

    /// Whether the reading must end; call it every few kilobytes.
    package func isOver() -> Bool { isOver(after: Self.processorTime() - began) }

    /// Whether the reading must end, which has taken `time` on another thread.
    func isOver(after time: Duration) -> Bool {
        if !isCancelled(), end == nil, time > limit { end = .tookTooLong }
        return end != nil
    }

    /// Whether the task was cancelled before the time was over.
    func isCancelled() -> Bool {
        if end == nil, isCancellable, Task.isCancelled { end = .cancelled }
        return end == .cancelled
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
