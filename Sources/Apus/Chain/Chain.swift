/// Targets sent one after the other, each made from what came before.
///
/// ```swift
/// let chain = Chain(startingWith: API.register) { step in
///     guard case .success(let response) = step.result else { return nil }
///     return step.index == 0 ? API.verify(id: try id(in: response)) : nil
/// }
/// ```
///
/// Steps that need several others, or run side by side, are a `ChainPlan`.
public struct Chain: Sendable {
    /// Given a step that has ended: the next target, or nil for the end.
    public typealias Next = @Sendable (ChainStep) async throws -> (any TargetType)?

    /// What a step that failed does to the chain.
    public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
        /// The rule is asked what comes next, as after any other step.
        case asksRule
        /// A step without an answer ends the chain.
        case ends
        /// A step without an answer, or with a status of 400 or more, ends the chain.
        case endsOnErrorStatus
    }

    /// The first target.
    public var first: any TargetType
    /// Where the answers come from.
    public var source: DataSource
    /// How many steps there may be, so that a rule that never says nil ends.
    public var maximumSteps: Int
    /// What a step that failed does to the chain.
    public var onFailure: FailurePolicy
    /// How long each step may take; nil for no limit beyond the target's own.
    ///
    /// A step that takes longer fails with the reason `.timeout(.step, …)`.
    public var stepTimeout: Duration?
    /// How long all steps together may take, the rule's own time with them; nil
    /// for no limit.
    public var timeout: Duration?
    /// What the limits are measured by.
    public var clock: any Clock<Duration>
    /// What comes next.
    public var next: Next

    /// Makes a chain.
    public init(
        startingWith first: any TargetType,
        from source: DataSource = .server,
        maximumSteps: Int = 100,
        onFailure: FailurePolicy = .asksRule,
        stepTimeout: Duration? = nil,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        next: @escaping Next
    ) {
        self.first = first
        self.source = source
        self.maximumSteps = max(1, maximumSteps)
        self.onFailure = onFailure
        self.stepTimeout = stepTimeout
        self.timeout = timeout
        self.clock = clock
        self.next = next
    }
}
