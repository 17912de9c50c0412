/// What the caller gets when the origin fails.
struct FailurePlan: Sendable, Equatable {
    /// How it failed.
    enum Failure: Sendable, Equatable {
        /// It answered 500, 502, 503 or 504.
        case status(Int)
        /// It gave no whole answer.
        case unreachable
    }

    let decision: CacheDecision
    /// The stale answer that stands in; nil to deliver the failure.
    let answer: StoredAnswer?
}
