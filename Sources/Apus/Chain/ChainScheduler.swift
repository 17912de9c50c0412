import BitCollections
import Documents

/// The progress of a graph's run: how steps have ended, and which may begin.
struct ChainScheduler: Sendable {
    let graph: ChainGraph
    private let state: ChainState?
    private let emit: @Sendable (ChainEvent) -> Void
    private var results: [ChainStepResult?]
    /// For each step, how many needs have not ended yet.
    private var open: [Int]
    /// For each step, how many needs are done.
    private var doneNeeds: [Int]
    /// The steps that failed, and those that were skipped because of a failure.
    private var failed = BitSet()
    private var hasBegun: [Bool]
    private var ready: [Int] = []
    private var progress: ChainProgress
    private var firstFailure: String?
    /// The secrets of the run.
    private let secrets = ChainSecrets()

    init(
        graph: ChainGraph,
        resuming state: ChainState?,
        emit: @escaping @Sendable (ChainEvent) -> Void
    ) {
        let count = graph.plan.steps.count
        self.graph = graph
        self.state = state
        self.emit = emit
        results = Array(repeating: nil, count: count)
        hasBegun = Array(repeating: false, count: count)
        doneNeeds = Array(repeating: 0, count: count)
        open = (0..<count).map { graph.needs(of: $0).count }
        progress = ChainProgress(total: count)
        ready = open.indices.filter { open[$0] == 0 }
        for step in graph.order { restore(step) }
    }

    /// The steps that may begin now, each once.
    mutating func takeReady() -> [Int] {
        let taken = ready.filter { !hasBegun[$0] && results[$0] == nil }.sorted()
        ready = []
        for step in taken { hasBegun[step] = true }
        return taken
    }

    /// Records how a step ended, and skips or readies the steps that need it.
    mutating func record(_ result: ChainStepResult) {
        // A list instead of recursion, because a very long row of steps may be skipped.
        var ended = [result]
        while let result = ended.popLast() {
            note(result)
            guard result.outcome != .cancelled else { continue }
            for step in graph.dependents(of: result.index) where results[step] == nil {
                guard let skipped = settle(step, after: result) else { continue }
                results[step] = skipped
                ended.append(skipped)
            }
        }
    }

    private mutating func note(_ result: ChainStepResult) {
        results[result.index] = result
        progress.note(result.outcome)
        if case .failed = result.outcome {
            failed.insert(result.index)
            firstFailure = firstFailure ?? result.name
        }
        emit(.ended(result, progress))
    }

    /// Counts the end of one of a step's needs.
    ///
    /// - Returns: the step's result as soon as it is known that the step will not run, else nil.
    private mutating func settle(_ step: Int, after need: ChainStepResult) -> ChainStepResult? {
        open[step] -= 1
        if need.outcome.isDone { doneNeeds[step] += 1 }
        let mayRun =
            switch graph.plan.steps[step].join {
            case .all: need.outcome.isDone
            case .noneFailed: !failed.contains(need.index)
            case .any: open[step] > 0 || doneNeeds[step] > 0
            case .ended: true
            }
        guard mayRun else { return skipped(step, because: need) }
        if open[step] == 0 { ready.append(step) }
        return nil
    }

    private mutating func skipped(
        _ step: Int,
        because need: ChainStepResult
    ) -> ChainStepResult {
        if graph.needs(of: step).contains(where: failed.contains) { failed.insert(step) }
        let isFailure = if case .failed = need.outcome { true } else { false }
        return result(
            step,
            .skipped(because: isFailure ? .failed(step: need.name) : .skipped(step: need.name))
        )
    }

    /// Records the steps that have no result as cancelled.
    mutating func cancelRest() {
        for step in graph.order where results[step] == nil { record(result(step, .cancelled)) }
    }

    /// The values captured by all steps that a step needs.
    func values(for step: Int) -> ChainValues {
        let needed = graph.structure.ancestors[step]
        return values { needed.contains($0) }
    }

    /// What the earlier run kept of a step's elements, by index; nil for those that it did not finish.
    func knownElements(of step: Int) -> [ChainState.Element?] {
        state?.steps[graph.plan.steps[step].name]?.elements ?? []
    }

    func summary(timedOutAfter limit: Duration?, duration: Duration) -> ChainSummary {
        let steps = results.compactMap(\.self)
        let isCut = steps.contains { $0.outcome == .cancelled }
        let ending: ChainSummary.Ending =
            if isCut {
                limit.map { .timedOut(limit: $0) } ?? .cancelled
            } else if let firstFailure {
                .failed(step: firstFailure)
            } else {
                .done
            }
        return ChainSummary(
            steps: steps,
            ending: ending,
            values: values { _ in true },
            duration: duration
        )
    }

    private func values(of isWanted: (Int) -> Bool) -> ChainValues {
        var values = ChainValues()
        values.secrets = secrets
        // In this order, the capture nearest to the step replaces earlier ones of the same name.
        for step in graph.order where isWanted(step) {
            guard let result = results[step] else { continue }
            values.all.merge(result.captures) { $1 }
            if let status = result.status { values.statuses[result.name] = status }
        }
        return values
    }

    /// Restores a step from the earlier run if it was done there, has all values that the plan now captures,
    /// and all that it needs was restored.
    private mutating func restore(_ step: Int) {
        let planned = graph.plan.steps[step]
        guard let kept = state?.steps[planned.name], kept.isDone,
            let captures = ChainState.values(kept.captures, planned.captures.map(\.name)),
            graph.needs(of: step).allSatisfy({ results[$0]?.outcome == .restored })
        else { return }
        let credentials = planned.credentials(in: captures, kept.credentials)
        secrets.add(captured: credentials)
        record(
            result(
                step,
                .restored,
                captures: captures,
                credentials: credentials,
                status: kept.status
            )
        )
    }

    /// The result of a step that did not run in this run.
    private func result(
        _ step: Int,
        _ outcome: ChainStepResult.Outcome,
        captures: [String: JSON] = [:],
        credentials: [String] = [],
        status: Int? = nil
    ) -> ChainStepResult {
        ChainStepResult(
            index: step,
            name: graph.plan.steps[step].name,
            target: nil,
            outcome: outcome,
            results: [],
            status: status,
            captures: captures,
            duration: .zero,
            elements: knownElements(of: step),
            credentials: credentials,
            secrets: secrets
        )
    }
}
