/// How a run of a graph ended.
public struct ChainGraphSummary: Sendable {
    /// Why a run ended.
    public enum Ending: Sendable, Hashable {
        /// Every step is done, or was skipped by a condition.
        case done
        /// A step failed, the one named before all others; what did not need it
        /// was still run.
        case failed(step: String)
        /// It took too long.
        case timedOut(limit: Duration)
        /// It was cancelled.
        case cancelled
    }

    /// What became of the steps, in the plan's order.
    public let steps: [ChainStepResult]
    /// Why it ended.
    public let ending: Ending
    /// All that was captured.
    public let values: ChainValues
    /// From the call to the end.
    public let duration: Duration

    /// The step of this name; nil if there is none.
    public subscript(name: String) -> ChainStepResult? { steps.first { $0.name == name } }

    /// What a later run needs so as to send again only what is not done.
    public var state: ChainState {
        ChainState(
            steps: Dictionary(
                steps.map { ($0.name, ChainState.Step($0)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}
