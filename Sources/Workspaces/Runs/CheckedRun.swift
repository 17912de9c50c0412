package import Apus
import Documents
import FoundationEssentials
import Secrets

/// Sends what a plan has, checks the responses, and reports each result.
package struct CheckedRun: Sendable {
    /// Adds what a request is recorded with: its place, its step, and the target.
    package typealias Recording = @Sendable (Int, String?, any TargetType) -> any TargetType

    /// How it sends.
    package struct Options: Sendable {
        /// How many requests run at once.
        package var jobs = 8
        /// How often a request that fails is sent again.
        package var retries = 0
        /// Whether the first failure ends the run.
        package var failsFast = false
        /// Where responses come from, for targets that do not say it.
        package var source: DataSource?

        /// Whether results have what was sent and received.
        package var keepsExchanges = false

        /// The usual options.
        package init() {}
    }

    /// Why a run ends early.
    private struct FirstFailure: Error {}

    private let plan: RunPlan
    private let options: Options
    private let provider: AnyProvider
    private let recording: Recording

    /// - Parameters:
    ///   - plan: What is sent.
    ///   - provider: Sends it.
    ///   - options: How it sends.
    ///   - recording: Adds what a request is recorded with.
    package init(
        _ plan: RunPlan,
        with provider: AnyProvider,
        options: Options,
        recording: @escaping Recording = { _, _, target in target }
    ) {
        self.plan = plan
        self.provider = provider
        self.options = options
        self.recording = recording
    }

    /// Sends and checks everything.
    ///
    /// - Parameter report: Called for each result as it comes, one at a time.
    /// - Throws: What `report` throws, and `CancellationError`.
    package func run(_ report: (RunResult) async throws -> Void) async throws {
        do {
            for part in plan.parts { try await run(part, report) }
        } catch is FirstFailure {}
    }

    private func run(_ part: RunPlan.Part, _ report: (RunResult) async throws -> Void) async throws
    {
        func reporting(_ result: RunResult) async throws {
            try await report(result)
            if options.failsFast, result.ending != .passed, result.ending != .skipped {
                throw FirstFailure()
            }
        }
        switch part {
        case .targets(let requests):
            _ = try await send(requests, options.source, options.jobs, nil, reporting)
        case .batch(let batch, let requests):
            let tally = try await send(
                requests,
                batch.source ?? options.source,
                batch.concurrency,
                batch.rate,
                reporting
            )
            if !batch.expectations.isEmpty {
                try await reporting(RunResult(of: batch, tally))
            }
        case .chain(let chain, let graph): try await run(chain, graph, reporting)
        case .unprepared(let name, let location, let fault):
            try await reporting(Self.unprepared(name, location, fault))
        }
    }

    private static func unprepared(
        _ name: String,
        _ location: SourceLocation,
        _ fault: RunFailure.Unprepared
    ) -> RunResult {
        RunResult(
            name: name,
            location: location,
            failures: [RunFailure("a request", actual: fault.text)],
            ending: .error
        )
    }

    // MARK: Targets and batches

    /// Sends requests, those that fail again, and reports the last result of each.
    private func send(
        _ requests: [RunPlan.Request],
        _ source: DataSource?,
        _ concurrency: Int,
        _ rate: BatchRate?,
        _ report: (RunResult) async throws -> Void
    ) async throws -> BatchTally {
        var tally = BatchTally()
        var waiting = requests.enumerated().map { (index: $0, request: $1) }
        for round in 0...options.retries where !waiting.isEmpty {
            var again: [RequestQueue.Item] = []
            let queue = RequestQueue(waiting)
            let rate = round == 0 ? rate : nil
            for await event in provider.events(for: batch(queue, source, concurrency, rate)) {
                guard case .ended(let index, let summary, _) = event else { continue }
                // What an interruption cuts off has no result.
                try Task.checkCancellation()
                try await reportUnprepared(in: queue, &tally, report)
                guard let sent = queue.sent(at: index, isRepeated: rate != nil) else { continue }
                if rate == nil { queue.remove(at: index) }
                let result = RunResult(
                    of: summary,
                    sent.item.request,
                    sent.target,
                    now: Date(),
                    keepsExchange: options.keepsExchanges
                )
                if result.ending != .passed, round < options.retries {
                    again.append(sent.item)
                    continue
                }
                tally.count(summary, isFailure: result.ending != .passed)
                try await report(result)
            }
            try Task.checkCancellation()
            try await reportUnprepared(in: queue, &tally, report)
            waiting = again
        }
        return tally
    }

    private func reportUnprepared(
        in queue: RequestQueue,
        _ tally: inout BatchTally,
        _ report: (RunResult) async throws -> Void
    ) async throws {
        for (request, fault) in queue.removeUnprepared() {
            tally.countUnsent()
            try await report(Self.unprepared(request.name, request.location, fault))
        }
    }

    /// The batch that sends what is in a queue, recorded.
    private func batch(
        _ queue: RequestQueue,
        _ source: DataSource?,
        _ concurrency: Int,
        _ rate: BatchRate?
    ) -> Batch {
        let source = source ?? .server
        let isRepeated = rate != nil
        let batch =
            if let rate {
                // They take turns, and so all of them must be there.
                Batch(queue.map { $0 as any TargetType }, from: source, concurrency: concurrency)
                    .at(rate)
            } else {
                Batch(from: source, concurrency: concurrency) { queue }
            }
        return batch.mapTargets { [recording] index, step, target in
            guard let sent = queue.sent(at: index, isRepeated: isRepeated) else { return target }
            return recording(sent.item.index, step, target)
        }
    }

    // MARK: Chains

    private func run(
        _ chain: ChainDefinition,
        _ graph: ChainGraph,
        _ report: (RunResult) async throws -> Void
    ) async throws {
        var targets: [Int: [Int?: WorkspaceTarget]] = [:]
        var failures: [Int: [RunFailure]] = [:]
        var facts: [Int: RunResult] = [:]
        var checks: [Int: Int] = [:]
        let recorded = graph.mapTargets(recording)
        for await event in provider.events(for: recorded) {
            switch event {
            case .sending(let step, let element, let target):
                targets[step, default: [:]][element] = target.unwrapped as? WorkspaceTarget
            case .requestEnded(let step, let element, let summary):
                guard let target = targets[step]?[element] else { continue }
                targets[step]?[element] = nil
                let result = RunResult(
                    of: summary,
                    "",
                    chain.location,
                    target,
                    now: Date(),
                    keepsExchange: options.keepsExchanges
                )
                failures[step, default: []] += result.failures
                facts[step] = result
                checks[step, default: 0] += result.checks
            case .ended(let step, _):
                let result = Self.result(
                    of: step,
                    chain.steps.first { $0.name == step.name },
                    in: chain,
                    failures[step.index] ?? [],
                    facts[step.index],
                    checks[step.index] ?? 0,
                    graph.mask
                )
                try await report(result)
            case .began, .exchange, .finished: break
            }
        }
        try Task.checkCancellation()
    }

    private static func result(
        of step: ChainStepResult,
        _ definition: ChainStepDefinition?,
        in chain: ChainDefinition,
        _ failures: [RunFailure],
        _ last: RunResult?,
        _ checks: Int,
        _ mask: CredentialMask
    ) -> RunResult {
        var failures = failures
        var ending: RunResult.Ending?
        switch step.outcome {
        case .failed(let failure):
            if failures.isEmpty {
                failures.append(
                    RunFailure("a step that is done", actual: mask.masking(line: "\(failure)"))
                )
            }
            if last?.status == nil { ending = .error }
        case .skipped, .cancelled: ending = .skipped
        case .done, .restored: break
        }
        return RunResult(
            name: "\(chain.name)/\(step.name)",
            location: definition?.target.location ?? chain.location,
            request: last?.request ?? "",
            status: last?.status,
            duration: step.duration,
            checks: checks,
            failures: failures,
            ending: ending,
            exchange: last?.exchange
        )
    }
}

extension RunResult {
    /// Checks a batch as a whole.
    init(of batch: BatchDefinition, _ tally: BatchTally) {
        self.init(
            name: batch.name,
            location: batch.location,
            request: "the batch as a whole",
            duration: tally.longest ?? .zero,
            checks: batch.expectations.count,
            failures: tally.check(batch.expectations).filter { !$0.isMet }.map { RunFailure($0) }
        )
    }
}
