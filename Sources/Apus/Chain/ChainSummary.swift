/// How a chain ended.
public struct ChainSummary: Sendable {
    /// Why a chain ended.
    public enum Ending: Sendable, Hashable {
        /// The rule said that nothing follows.
        case done
        /// A step failed, and the chain's policy ends it then.
        case stepFailed(index: Int)
        /// The rule threw; the text tells what.
        case ruleFailed(detail: String)
        /// There were as many steps as the chain allows.
        case tooManySteps(limit: Int)
        /// The chain as a whole took too long.
        case timedOut(limit: Duration)
        /// It was cancelled.
        case cancelled
    }

    /// The steps that were taken, in order, with their answers.
    public let steps: [ChainStep]
    /// Why it ended.
    public let ending: Ending
    /// From the call to the end.
    public let duration: Duration
}
