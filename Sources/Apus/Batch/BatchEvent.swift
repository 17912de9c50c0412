/// What happens in a batch.
///
/// The last event is always `finished`.
public enum BatchEvent: Sendable {
    /// A target's turn has come; `index` is its place in the batch.
    case started(index: Int)
    /// Something happened to one target, other than its end.
    case exchange(index: Int, ExchangeEvent)
    /// A target has ended, well or not.
    case ended(index: Int, ExchangeSummary, BatchProgress)
    /// The end.
    case finished(BatchSummary)
}

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// Targets in all.
    public var total: Int
    /// Targets that ended with an answer.
    public var succeeded: Int
    /// Targets that ended without one.
    public var failed: Int

    /// Makes a progress.
    public init(total: Int, succeeded: Int = 0, failed: Int = 0) {
        self.total = total
        self.succeeded = succeeded
        self.failed = failed
    }

    /// Targets that have ended.
    public var ended: Int { succeeded + failed }
}

/// How a batch ended.
public struct BatchSummary: Sendable {
    /// A result for each target, in the order of the batch; a target that was
    /// never begun has the error `cancelled`.
    public let results: [Result<Response, ApusError>]
    /// The first failure, if the mode is `.all`, or `.cancelled` if the batch was.
    public let failure: ApusError?
    /// How many succeeded and failed.
    public let progress: BatchProgress
    /// From the call to the end.
    public let duration: Duration
}
