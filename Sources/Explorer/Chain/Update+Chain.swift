import Apus
import Documents
import Secrets
import Terminal
import TreeView

extension Model {
    /// Handles an event of a chain.
    mutating func apply(_ event: ChainEvent, to id: RunID) -> [Effect] {
        let now = clock.now.uptime
        runs.updateChain(id) { $0.apply(event, at: now) }
        switch event {
        case .ended: break
        case .finished:
            runs.end(id, at: now)
            arrangeSession()
        case .began, .sending, .exchange, .requestEnded: return []
        }
        return shownRun?.id == id ? showStep() : []
    }

    /// Opens the response of the step that is shown.
    mutating func showStep() -> [Effect] {
        guard let chain = shownChain, let part = chain.part, let result = chain.result else {
            return []
        }
        let effects = prepare(part, result, checkedBy: chain.checkedTarget, after: chain.duration)
        fitPanes()
        return effects
    }

    /// Counts what is not as expected in a step's response.
    mutating func count(unmet count: Int, ofStep index: Int, in id: RunID) {
        runs.updateChain(id) { chain in
            guard chain.steps.indices.contains(index) else { return }
            chain.steps[index].unmetCount += count
        }
    }

    /// Keeps the values captured from a step's response.
    mutating func keep(_ captures: [ResolvedChain.Capture], ofStep index: Int, in id: RunID) {
        runs.updateChain(id) { chain in
            guard chain.steps.indices.contains(index) else { return }
            chain.steps[index].captures = captures
        }
    }
}

extension ChainRunState {
    fileprivate mutating func apply(_ event: ChainEvent, at now: Duration) {
        switch event {
        case .began(let step, _):
            // The steps of a rule become known when they begin.
            if step == steps.count { steps.append(Step(name: "step \(step + 1)", title: "")) }
            set(step, .running(since: now))
        case .sending(let step, _, let target):
            guard steps.indices.contains(step) else { break }
            steps[step].target = target
            if steps[step].title.isEmpty {
                steps[step].title = "\(target.method) \(CredentialMask().masking(url: target.path))"
            }
        case .requestEnded(let step, _, let summary): keep(summary, ofStep: step)
        case .exchange: break
        case .ended(let result, _): set(result.index, Step.State(result))
        case .finished(let summary): finish(summary)
        }
    }

    /// Keeps a response unless it is large; of the responses for a list, keeps the failed one.
    private mutating func keep(_ summary: ExchangeSummary, ofStep step: Int) {
        guard steps.indices.contains(step) else { return }
        steps[step].attempts = max(steps[step].attempts, summary.attempts)
        if case .failure? = steps[step].result { return }
        let size = summary.result.response?.body.count ?? 0
        steps[step].result = size <= Self.largestKept ? summary.result : nil
    }

    private mutating func set(_ step: Int, _ state: Step.State) {
        guard steps.indices.contains(step) else { return }
        steps[step].state = state
    }

    private mutating func finish(_ summary: ChainSummary) {
        done = summary.state
        // Planned steps that a rule did not reach.
        for index in steps.indices where steps[index].state == .waiting {
            steps[index].state = .skipped()
        }
        switch summary.ending {
        case .done, .failed: break
        case .ruleFailed(let detail): problem = detail
        case .tooManySteps(let limit): problem = "stopped after \(limit) steps"
        case .timedOut(let limit): problem = "timed out after \(Readable.span(limit))"
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
    /// A word or two, to fit into a box.
    fileprivate var shortText: String {
        switch self {
        case .failed(let step): "\(step) failed"
        case .skipped(let step): "\(step) skipped"
        case .condition: "condition not met"
        }
    }
}

extension ChainFailure {
    /// A word or two, to fit into a box.
    fileprivate var shortText: String {
        switch self {
        case .exchange(let error): error.reason.shortName
        case .status(let status): String(status)
        default: description
        }
    }
}

extension Model {
    /// Performs an action on the steps of the shown chain; nil if the action does not apply to steps.
    mutating func performInChain(_ action: Action) -> [Effect]? {
        guard let id = targets.selected?.id else { return nil }
        switch action {
        case .open: return openStep()
        case .sendAgain: return runFromStep()
        case .runAlone: return runStepAlone()
        default: break
        }
        guard let move = ChainStepMove(action), let chain = shownChain else { return nil }
        guard !chain.steps.isEmpty else { return [] }
        let step = chain.step(after: move, in: layout)
        changeView(of: id) { $0.chosenStep = step }
        return showStep()
    }

    /// Shows a step's request and response in full.
    private mutating func openStep() -> [Effect] {
        guard let chain = shownChain, let part = chain.part else { return sendSelected() }
        guard let result = chain.result else {
            return say("\(part.name) has no response to look at")
        }
        return open(part, result, checkedBy: chain.checkedTarget, after: chain.duration)
    }

    /// Runs the chain again from the selected step; runs all of it if none is selected.
    mutating func runFromStep() -> [Effect] {
        guard let row = targets.selected,
            case .chain(let chain)? = workspace.catalog?.nodes.node(with: row.id),
            let shown = shownChain, let last = shown.state, shown.run?.isRunning == false,
            let step = shown.chosenStep, var done = last.done
        else { return sendSelected() }
        if needsConfirmation(.fromStep, .chain(chain)) { return [] }
        done.forget(last.steps[step].name)
        do throws(CatalogError) {
            let effects = try send(chain, resuming: done, after: last)
            warnAboutUnsavedEdits("the chain")
            return effects
        } catch {
            return fail(error.description)
        }
    }

    /// Sends the step's request alone.
    mutating func runStepAlone() -> [Effect] {
        guard let chain = shownChain, let part = chain.part else {
            return say("choose a step with the arrow keys first")
        }
        if let result = chain.result {
            _ = prepare(part, result, checkedBy: chain.checkedTarget, after: chain.duration)
        }
        let effects = sendAlone(part, asking: .stepAlone)
        guard !effects.isEmpty else { return [] }
        responses.shown = .part(part)
        panes.focus = .server
        fitPanes()
        return effects
    }
}
