public import Documents

/// What became of a step of a graph.
public struct ChainStepResult: Sendable {
    /// How a step ended.
    public enum Outcome: Sendable, Hashable {
        /// It was run and all went well.
        case done
        /// It was done in the run that this one resumes, and not sent again.
        case restored
        /// It was run and failed.
        case failed(ChainFailure)
        /// It was not run.
        case skipped(because: ChainSkip)
        /// The chain was cancelled, or took too long, before its end.
        case cancelled

        /// Whether steps that need it may run.
        public var isDone: Bool {
            switch self {
            case .done, .restored: true
            case .failed, .skipped, .cancelled: false
            }
        }
    }

    /// Its place in the plan.
    public let index: Int
    /// Its name.
    public let name: String
    /// How it ended.
    public let outcome: Outcome
    /// Its result; with `forEach` one for each element that was sent, in the order
    /// of the list.
    ///
    /// None if it was not run, or the plan does not keep them.
    public let results: [Result<Response, ApusError>]
    /// The status of its answer; nil with `forEach` or without an answer.
    public let status: Int?
    /// What it captured.
    public let captures: [String: JSON]
    /// From its begin to its end.
    public let duration: Duration

    /// What became of its elements, if it has some.
    let elements: [ChainState.Element?]
}
