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
