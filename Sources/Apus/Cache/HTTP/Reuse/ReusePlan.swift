/// How a request is answered.
struct ReusePlan: Sendable, Equatable {
    /// What is done.
    enum Action: Sendable, Equatable {
        /// From the cache.
        case answer(StoredAnswer)
        /// From the cache, while the origin is asked in the background.
        ///
        /// The request is sent by itself; it is not a condition if there is no validator.
        case answerAndRevalidate(StoredAnswer, Validation)
        /// By the origin or from the cache, as the origin says.
        case validate(ConditionalRequest)
        /// By the origin, which is asked only for what a stored part lacks.
        case complete(PartCompletion)
        /// By the origin, with the caller's request as it is.
        case fetch
        /// By a 504 of the cache's own.
        case gatewayTimeout
    }

    /// How the origin is asked in the background.
    enum Validation: Sendable, Equatable {
        case conditional(ConditionalRequest)
        case plain
    }

    let decision: CacheDecision
    let action: Action
    /// The stored response that may stand in if the origin fails; nil if there is none.
    let selected: Int?
}
