/// What an answer to HEAD does to the stored answers to GET.
struct HeadUpdatePlan: Sendable, Equatable {
    let decision: CacheDecision
    /// Stored responses as they are from now on, by their ids.
    let updates: [StoredHead]
}
