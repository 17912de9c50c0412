/// What a private HTTP cache decided, and why.
///
/// ```
/// request ──reuse──▶ decision ──(revalidate)──▶ answer ──▶ decision ──store──▶ decision
/// ```
public struct CacheDecision: Sendable, Hashable {
    /// What is done.
    public enum Outcome: Sendable, Hashable {
        /// The stored response answers: it is fresh.
        case fresh
        /// The stored response answers although it is stale.
        case staleAllowed
        /// The origin is asked whether the stored response is still the current one.
        case revalidate
        /// The origin is asked for the response.
        case mustFetch
        /// The cache answers 504: it must not ask the origin and has nothing that may be used.
        case onlyIfCached
        /// The answer is kept.
        case stored
        /// The answer is not kept.
        case notStored
        /// The stored response is the current one; its fields are brought up to date.
        case updated
        /// The answer takes the stored response's place.
        case replaced
        /// The answer goes to the caller as it is.
        case forwarded
        /// The origin is asked again, without conditions.
        case fetchAgain
        /// The failure goes to the caller.
        case failed
        /// Stored responses are not used any more.
        case invalidated
        /// The stored responses stay as they are.
        case notInvalidated
    }

    /// What is done.
    public let outcome: Outcome
    /// The rule that decided.
    public let rule: CacheRule
    /// What was looked at, in that order.
    public let findings: [CacheFinding]

    /// Makes a decision.
    public init(outcome: Outcome, rule: CacheRule, findings: [CacheFinding] = []) {
        self.outcome = outcome
        self.rule = rule
        self.findings = findings
    }
}
