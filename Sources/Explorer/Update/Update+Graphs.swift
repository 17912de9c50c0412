import Apus

extension Model {
    /// Takes what happens in a chain whose steps need one another.
    mutating func take(_ event: ChainGraphEvent, of id: RunID) {
        let now = now.uptime
        runs.updateChain(id) { $0.take(event, at: now) }
        if case .finished = event { runs.end(id, at: now) }
    }
}

extension ChainRunState {
    fileprivate mutating func take(_ event: ChainGraphEvent, at now: Duration) {
        switch event {
        case .began(let step, _): set(step, .running(since: now))
        case .sending, .exchange, .answered: break
        case .ended(let result, _): set(result.index, Step.State(result))
        case .finished(let summary): finish(summary)
        }
    }

    private mutating func set(_ step: Int, _ state: Step.State) {
        guard steps.indices.contains(step) else { return }
        steps[step].state = state
    }

    private mutating func finish(_ summary: ChainGraphSummary) {
        switch summary.ending {
        case .done, .failed: break
        case .timedOut: problem = "took too long"
        case .cancelled: problem = "cancelled"
        }
    }
}

extension ChainRunState.Step.State {
    fileprivate init(_ result: ChainStepResult) {
        switch result.outcome {
        case .done, .restored: self = .done(status: result.status, result.duration)
        case .failed(let failure): self = .failed(failure.shortText, result.duration)
        case .skipped(let skip): self = .skipped(because: skip.shortText)
        case .cancelled: self = .skipped()
        }
    }
}

extension ChainSkip {
    /// A word or two for what has a box's width.
    fileprivate var shortText: String {
        switch self {
        case .failed(let step): "\(step) failed"
        case .skipped(let step): "\(step) skipped"
        case .condition: "condition not met"
        }
    }
}

extension ChainFailure {
    /// A word or two for what has a box's width.
    fileprivate var shortText: String {
        switch self {
        case .exchange(let error): error.reason.shortName
        case .status(let status): String(status)
        default: description
        }
    }
}
