/// Targets sent one after the other, each made from the results before it.
///
/// The targets may be of any type, whatever the target type of the ``Provider`` that sends them.
///
/// ```swift
/// let chain = Chain(startingWith: API.register) { step in
///     guard case .success(let response) = step.result else { return nil }
///     return step.index == 0 ? API.verify(id: try id(in: response)) : nil
/// }
/// ```
///
/// Events and results name the steps `step 1`, `step 2` and so on. For steps that need several others, or
/// that run side by side, use a `ChainPlan`.
public struct Chain: Sendable {
    /// Given a step that has ended, returns the next target, or nil to end the chain.
    public typealias Next = @Sendable (ChainStepResult) async throws -> (any TargetType)?

    /// What a failed step does to the chain.
    public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
        /// The rule decides what comes next, as after any other step.
        case asksRule
        /// A step without a response ends the chain.
        case ends
        /// A step without a response, or with a status of 400 or more, ends the chain.
        case endsOnErrorStatus
    }

    /// The first target to send.
    public var first: any TargetType
    /// Where responses come from.
    public var source: DataSource
    /// Where responses are cached; nil uses each target's own policy.
    public var caching: CachePolicy?
    /// The maximum number of steps, which ends a chain whose rule never returns nil.
    public var maximumSteps: Int
    /// What a failed step does to the chain.
    public var onFailure: FailurePolicy
    /// How long each step may take; nil for no limit beyond the target's own.
    ///
    /// A step that takes longer fails with the reason `.timeout(.step, …)`.
    public var stepTimeout: Duration?
    /// How long the whole chain may take, including the time of the rule; nil for no limit.
    public var timeout: Duration?
    /// The clock for both time limits.
    public var clock: any Clock<Duration>
    /// The rule that chooses the next target.
    public var next: Next

    /// Makes a chain; a `maximumSteps` below 1 becomes 1.
    public init(
        startingWith first: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        maximumSteps: Int = 100,
        onFailure: FailurePolicy = .asksRule,
        stepTimeout: Duration? = nil,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        next: @escaping Next
    ) {
        self.first = first
        self.source = source
        self.caching = caching
        self.maximumSteps = max(1, maximumSteps)
        self.onFailure = onFailure
        self.stepTimeout = stepTimeout
        self.timeout = timeout
        self.clock = clock
        self.next = next
    }
}

extension Chain {
    /// Returns the chain with each target replaced by `transform`, which gets the step's index, a nil name
    /// and the target.
    package func mapTargets(
        _ transform: @escaping @Sendable (Int, String?, any TargetType) -> any TargetType
    ) -> Chain {
        var chain = self
        chain.first = transform(0, nil, first)
        chain.next = { [next] step in
            try await next(step).map { transform(step.index + 1, nil, $0) }
        }
        return chain
    }
}

extension Chain.FailurePolicy {
    fileprivate func ends(after step: ChainStepResult) -> Bool {
        switch self {
        case .asksRule: false
        case .ends: if case .success? = step.result { false } else { true }
        case .endsOnErrorStatus: !step.outcome.isDone
        }
    }
}

/// One run of a chain, in which each step runs, and emits events, like a step of a plan.
struct ChainRuleRun: Sendable {
    let chain: Chain
    let send: BatchRun.Send

    func run(_ listener: ChainGraphRun.Listener) async -> ChainSummary {
        let start = ContinuousClock.now
        let (ended, didTimeOut) = await Timeout.run(chain.timeout, chain.clock) {
            await follow(listener)
        }
        let isCut = didTimeOut && ended.ending == .cancelled
        return ChainSummary(
            steps: ended.steps,
            ending: isCut ? .timedOut(limit: chain.timeout ?? .zero) : ended.ending,
            values: ChainValues(),
            duration: .now - start
        )
    }

    private func follow(
        _ listener: ChainGraphRun.Listener
    ) async -> (steps: [ChainStepResult], ending: ChainSummary.Ending) {
        let limit = AsyncSemaphore(1)
        var steps: [ChainStepResult] = []
        var progress = ChainProgress(total: nil)
        var target = chain.first
        while true {
            let step = await stepRun(target, at: steps.count, limit, listener).run()
            steps.append(step)
            progress.note(step.outcome)
            listener.emit(.ended(step, progress))
            // If the step itself failed, that failure came before the cancellation of the chain.
            let isCut = Task.isCancelled && step.outcome == .cancelled
            if !isCut, chain.onFailure.ends(after: step) {
                return (steps, .failed(step: step.name))
            }
            if Task.isCancelled { return (steps, .cancelled) }
            do {
                guard let next = try await chain.next(step) else { return (steps, .done) }
                if Task.isCancelled { return (steps, .cancelled) }
                guard steps.count < chain.maximumSteps else {
                    return (steps, .tooManySteps(limit: chain.maximumSteps))
                }
                target = next
            } catch {
                let detail = String(describing: error)
                return (steps, Task.isCancelled ? .cancelled : .ruleFailed(detail: detail))
            }
        }
    }

    private func stepRun(
        _ target: any TargetType,
        at index: Int,
        _ limit: AsyncSemaphore,
        _ listener: ChainGraphRun.Listener
    ) -> ChainStepRun {
        ChainStepRun(
            index: index,
            step: ChainPlan.Step("step \(index + 1)") { _ in target },
            plan: ChainPlan([], stepTimeout: chain.stepTimeout, clock: chain.clock),
            cachePlan: CachePlan(source: chain.source, policy: chain.caching),
            values: ChainValues(),
            known: [],
            limit: limit,
            listener: listener,
            send: send
        )
    }
}
