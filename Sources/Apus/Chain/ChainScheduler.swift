import BitCollections
import Documents

/// How far a run of a graph is: which steps have ended how, and which may begin.
struct ChainScheduler: Sendable {
    let graph: ChainGraph
    private let state: ChainState?
    private let emit: @Sendable (ChainEvent) -> Void
    private var results: [ChainStepResult?]
    /// How many needs of a step have not ended yet.
    private var open: [Int]
    /// How many needs of a step are done.
    private var doneNeeds: [Int]
    /// The steps that failed, and those that were skipped because of one.
    private var failed = BitSet()
    private var hasBegun: [Bool]
    private var ready: [Int] = []
    private var progress: ChainProgress
    private var firstFailure: String?
    /// What is not to be shown of what is captured.
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

    /// Writes down how a step ended, and what that means for those that need it.
    mutating func record(_ result: ChainStepResult) {
        // A list, not a call within a call: what is skipped may be a very long row.
        var ended = [result]
        while let result = ended.popLast() {
            note(result)
            guard result.outcome != .cancelled else { continue }
            for step in graph.dependants(of: result.index) where results[step] == nil {
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
    /// - Returns: the step's result if it never will run, as soon as that is known.
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

    /// Ends what was never begun.
    mutating func cancelRest() {
        for step in graph.order where results[step] == nil { record(result(step, .cancelled)) }
    }

    /// What the steps that a step needs have captured.
    func values(for step: Int) -> ChainValues {
        let needed = graph.structure.ancestors[step]
        return values { needed.contains($0) }
    }

    /// The elements of a step that the run before has done.
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
        // In this order the value nearest to the step stands.
        for step in graph.order where isWanted(step) {
            guard let result = results[step] else { continue }
            values.all.merge(result.captures) { $1 }
            if let status = result.status { values.statuses[result.name] = status }
        }
        return values
    }

    /// A step stands if it was done, with all that the plan captures now, and so
    /// do all that it needs.
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

    /// The result of a step that was not run now.
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

/// What is done of a graph, so that a later run can go on from there, in this
/// process or another.
///
/// It holds what was captured, secrets among it: keep it accordingly. Printing it shows
/// none of that; encoding it does.
public struct ChainState: Sendable, Codable {
    /// A step, or one element of it.
    struct Step: Sendable, Codable {
        var isDone: Bool
        var status: Int?
        /// Each value as JSON, so that numbers stay as they were written.
        var captures: [String: String]
        var credentials: [String]?
        /// By place in the list; nil for what is to be sent again.
        var elements: [Element?]
    }

    /// An element of a `forEach` that is done.
    struct Element: Sendable, Codable {
        var captures: [String: String]
        /// The texts in them that are credentials, of which they may not have the names; nil for none.
        var credentials: [String]?
    }

    var steps: [String: Step] = [:]

    /// The steps that are done and will not be sent again.
    public var done: Set<String> { Set(steps.filter(\.value.isDone).keys) }

    /// Forgets a step, so that it and all that need it are run again.
    public mutating func forget(_ step: String) { steps[step] = nil }

    /// Values as they are kept.
    static func texts(_ values: [String: JSON]) -> [String: String] {
        values.compactMapValues { $0.text() }
    }

    /// Credentials as they are kept, each once.
    static func kept(_ credentials: [String]) -> [String]? {
        credentials.isEmpty ? nil : Set(credentials).sorted()
    }

    /// Kept values as values; nil if one of `names` is missing or none.
    static func values(_ texts: [String: String], _ names: [String]) -> [String: JSON]? {
        var values: [String: JSON] = [:]
        for name in names {
            guard let text = texts[name], let value = try? JSON(parsing: text) else { return nil }
            values[name] = value
        }
        return values
    }
}

extension ChainPlan.Step {
    /// The credentials in what an earlier run captured: those that it found, and those that have a
    /// credential's name now.
    func credentials(in values: [String: JSON], _ kept: [String]?) -> [String] {
        captures.reduce(into: kept ?? []) { found, capture in
            guard let value = values[capture.name] else { return }
            found += CapturedCredentials.credentials(
                in: value,
                shortest: capture.shortestCredential
            )
        }
    }
}

extension ChainState.Step {
    init(_ result: ChainStepResult) {
        isDone = result.outcome.isDone
        status = result.status
        captures = ChainState.texts(result.captures)
        credentials = ChainState.kept(result.credentials)
        elements = isDone ? [] : result.elements
    }
}

extension ChainState: CustomStringConvertible, CustomReflectable {
    /// The steps that are done; never what they captured.
    public var description: String { "ChainState(done: \(done.sorted()))" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["done": done.sorted()]) }
}
