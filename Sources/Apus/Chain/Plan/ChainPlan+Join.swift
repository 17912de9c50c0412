extension ChainPlan {
    /// How the steps that a step needs must have ended for it to run.
    ///
    /// A step that is skipped because of a failure counts as failed, one that is skipped by a
    /// condition, its own or that of a step before it, does not. What was not run has captured
    /// nothing: a step that uses such a value fails with `.noValue`.
    public enum Join: String, Sendable, Hashable, CaseIterable {
        /// All are done; one that is not skips the step at once.
        case all
        /// All have ended and none has failed: some may be skipped by their conditions.
        case noneFailed
        /// All have ended and at least one is done.
        case any
        /// All have ended, however: for what tidies up, or tells of a failure.
        case ended
    }
}
