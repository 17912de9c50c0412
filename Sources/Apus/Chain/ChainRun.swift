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
        var steps: [ChainStep] = []
        let ending = await follow(&steps, emit)
        return ChainSummary(steps: steps, ending: ending, duration: .now - start)
    }

    private func follow(
        _ steps: inout [ChainStep],
        _ emit: @escaping Emit
    ) async -> ChainSummary.Ending {
        var target = chain.first
        while true {
            let step = await take(target, at: steps.count, emit)
            steps.append(step)
            if Task.isCancelled { return .cancelled }
            do {
                guard let next = try await chain.next(step) else { return .done }
                guard steps.count < chain.maximumSteps else {
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
        let summary = await exchange(target).run { emit(.exchange(index: index, $0)) }
        let step = ChainStep(
            index: index,
            target: target,
            result: summary.result,
            duration: summary.duration
        )
        emit(.ended(step))
        return step
    }
}
