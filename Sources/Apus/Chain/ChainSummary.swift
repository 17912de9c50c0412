/// How a chain ended.
public struct ChainSummary: Sendable {
    /// Why a chain ended.
    public enum Ending: Sendable {
        /// The rule said that nothing follows.
        case done
        /// The rule threw; the text tells what.
        case ruleFailed(detail: String)
        /// There were as many steps as the chain allows.
        case tooManySteps(limit: Int)
        /// It was cancelled.
        case cancelled
    }

    /// The steps that were taken, in order.
    public let steps: [ChainStep]
    /// Why it ended.
    public let ending: Ending
    /// From the call to the end.
    public let duration: Duration
}
