/// How a batch ended.
///
/// It holds no answers, so that it is small however many there were.
public struct BatchSummary: Sendable {
    /// With the mode `.all` and `.allFinishing` the first failure; `.cancelled` if
    /// the batch was; the error of targets that could not be made.
    public let failure: ApusError?
    /// How many succeeded and failed.
    public let progress: BatchProgress
    /// From the call to the end.
    public let duration: Duration

    let succeeded: PlaceSet
    let reached: Int

    /// Whether the target at this place has ended with an answer, in this run or
    /// in the one that it retried.
    public func hasSucceeded(at index: Int) -> Bool { succeeded.contains(index) }

    /// The places of those that failed or were never begun, in order.
    ///
    /// Of targets that were to be made, only those that were.
    public var unsuccessful: [Int] { (0..<reached).filter { !succeeded.contains($0) } }
}
