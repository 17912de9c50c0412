import Apus
import Terminal

extension Model {
    /// Takes what happens in a chain.
    mutating func take(_ event: ChainEvent, of id: RunID) {
        let now = now.uptime
        runs.updateChain(id) { $0.take(event, at: now) }
        if case .finished = event { runs.end(id, at: now) }
    }

    /// Takes what was taken out of a step's answer.
    mutating func note(_ captures: [ResolvedChain.Capture], ofStep index: Int, in id: RunID) {
        runs.updateChain(id) { chain in
            guard chain.steps.indices.contains(index) else { return }
            chain.steps[index].captures = captures
        }
    }
}

extension ChainRunState {
    fileprivate mutating func take(_ event: ChainEvent, at now: Duration) {
        switch event {
        case .started(let index, let target):
            if !steps.indices.contains(index) {
                steps.append(
                    Step(name: "step \(index + 1)", title: "\(target.method) \(target.path)")
                )
            }
            steps[index].state = .running(since: now)
        case .exchange: break
        case .ended(let step):
            guard steps.indices.contains(step.index) else { return }
            steps[step.index].state = Step.State(step)
        case .finished(let summary): finish(summary)
        }
    }

    private mutating func finish(_ summary: ChainSummary) {
        for index in steps.indices {
            if case .waiting = steps[index].state { steps[index].state = .skipped() }
        }
        switch summary.ending {
        case .done: break
        case .ruleFailed(let detail): problem = detail
        case .tooManySteps(let limit): problem = "stopped after \(limit) steps"
        case .stepFailed: break
        case .timedOut(let limit): problem = "stopped after \(Readable.duration(limit))"
        case .cancelled: problem = "cancelled"
        }
    }
}

extension ChainRunState.Step.State {
    fileprivate init(_ step: ChainStep) {
        switch step.result {
        case .success(let response) where response.status < 400:
            self = .done(status: response.status, step.duration)
        case .success(let response): self = .failed(String(response.status), step.duration)
        case .failure(let error): self = .failed(error.reason.shortName, step.duration)
        }
    }
}
