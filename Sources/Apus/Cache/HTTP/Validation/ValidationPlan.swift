/// What becomes of the stored responses, and of the caller, once the origin has answered.
struct ValidationPlan: Sendable, Equatable {
    /// What the caller gets.
    enum Action: Sendable, Equatable {
        /// An answer made from a stored response, after the updates.
        case answer(StoredAnswer)
        /// The origin's answer; whether it is stored is another question.
        case deliver
        /// The answer to the caller's own request, without the cache's conditions.
        case fetchAgain
    }

    let decision: CacheDecision
    let action: Action
    /// Stored responses with their new fields and times, by their ids.
    let updates: [StoredHead]
    /// The updated response that is to be stored for this request's fields, too, with a new id:
    /// it was stored for other fields (RFC 9111, 4.1).
    let newVariant: StoredHead?
}
