import Synchronization

/// Targets sent one after the other, each made from what came before.
///
/// They may be of any kinds, whatever the kind of the ``Provider`` that sends them.
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

/// One run of a chain.
struct ChainRun: Sendable {
    typealias Emit = @Sendable (ChainEvent) -> Void

    let chain: Chain
    let exchange: @Sendable (any TargetType) -> Exchange

    /// Runs to the end.
    ///
    /// All events but the terminal one go through `emit`.
    func run(_ emit: @escaping Emit) async -> ChainSummary {
        let start = ContinuousClock.now
        let steps = ChainSteps()
        let (ending, didTimeOut) = await TimeLimited.run(chain.timeout, chain.clock) {
            await follow(steps, emit)
        }
        let isCut = didTimeOut && ending == .cancelled
        return ChainSummary(
            steps: steps.all,
            ending: isCut ? .timedOut(limit: chain.timeout ?? .zero) : ending,
            duration: .now - start
        )
    }

    private func follow(_ steps: ChainSteps, _ emit: @escaping Emit) async -> ChainSummary.Ending {
        var target = chain.first
        var count = 0
        while true {
            let step = await take(target, at: count, emit)
            steps.add(step)
            count += 1
            // A failure of the step's own came before a cancellation of the chain.
            let isCut = Task.isCancelled && step.isCancelled
            if !isCut, chain.onFailure.ends(after: step) {
                return .stepFailed(index: step.index)
            }
            if Task.isCancelled { return .cancelled }
            do {
                guard let next = try await chain.next(step) else { return .done }
                if Task.isCancelled { return .cancelled }
                guard count < chain.maximumSteps else {
                    return .tooManySteps(limit: chain.maximumSteps)
                }
                target = next
            } catch {
                return Task.isCancelled
                    ? .cancelled : .ruleFailed(detail: String(describing: error))
            }
        }
    }

    private func take(
        _ target: any TargetType,
        at index: Int,
        _ emit: @escaping Emit
    ) async -> ChainStep {
        emit(.started(index: index, target))
        let (summary, didTimeOut) = await TimeLimited.run(chain.stepTimeout, chain.clock) {
            await exchange(target).run { emit(.exchange(index: index, $0)) }
        }
        let step = ChainStep(
            index: index,
            target: target,
            result: didTimeOut
                ? summary.result.timedOut(after: chain.stepTimeout) : summary.result,
            duration: summary.duration
        )
        emit(.ended(step))
        return step
    }
}

extension ChainStep {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = result { error.reason == .cancelled } else { false }
    }
}

extension Chain.FailurePolicy {
    fileprivate func ends(after step: ChainStep) -> Bool {
        switch (self, step.result) {
        case (.asksRule, _): false
        case (_, .failure): true
        case (.ends, .success): false
        case (.endsOnErrorStatus, .success(let response)): response.status >= 400
        }
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// The same, or the timeout that cancelled it.
    func timedOut(after limit: Duration?) -> Self {
        guard case .failure(let error) = self, error.reason == .cancelled, let limit else {
            return self
        }
        return .failure(
            ApusError(
                .timeout(.step, limit: limit),
                request: error.request,
                response: error.response
            )
        )
    }
}

/// The steps of a chain so far; they outlast the task that takes them.
private final class ChainSteps: Sendable {
    private let steps = Mutex<[ChainStep]>([])

    var all: [ChainStep] { steps.withLock { $0 } }

    func add(_ step: ChainStep) { steps.withLock { $0.append(step) } }
}

/// A step of a chain that has ended.
public struct ChainStep: Sendable {
    /// Its place, from 0.
    public let index: Int
    /// What was sent.
    public let target: any TargetType
    /// The answer, or why there is none.
    public let result: Result<Response, ApusError>
    /// From the step's begin to its end.
    public let duration: Duration
}
