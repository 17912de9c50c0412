/// What becomes of an answer.
struct StoragePlan: Sendable, Equatable {
    let decision: CacheDecision
    /// What is stored, with the id 0; nil for nothing.
    let stored: StoredHead?
    /// Whether older stored responses that match the request go, because
    /// this newer answer is known (RFC 9111, 4: the most recent one counts).
    let removesOlder: Bool
}
