/// Which stored responses an answer makes unusable.
struct InvalidationPlan: Sendable, Equatable {
    let decision: CacheDecision
    /// All that is stored for these goes, or is validated before its next use.
    let targets: [TargetURI]
}
