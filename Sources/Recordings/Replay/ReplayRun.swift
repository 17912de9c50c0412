package import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// One run of a replay: sends everything of a plan, and compares the responses with the recorded ones.
package struct ReplayRun: Sendable {
    private let plan: ReplayPlan
    private let history: History
    private let comparison: ResponseComparison
    private let keepsPace: Bool
    private let recorder: @Sendable () -> HistoryRecorder
    private let provider: @Sendable ([any Plugin]) -> AnyProvider

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - plan: What is sent.
    ///   - history: The history that has the recorded responses.
    ///   - comparison: How responses are compared.
    ///   - keepsPace: Whether requests are sent at the recorded intervals.
    ///   - recorder: Makes a recorder: one for all single requests, and one for each chain.
    ///   - provider: Makes a provider with a recorder's plugins.
    package init(
        _ plan: ReplayPlan,
        in history: History,
        comparison: ResponseComparison = ResponseComparison(),
        keepsPace: Bool = false,
        recorder: @escaping @Sendable () -> HistoryRecorder,
        provider: @escaping @Sendable ([any Plugin]) -> AnyProvider
    ) {
        self.plan = plan
        self.history = history
        self.comparison = comparison
        self.keepsPace = keepsPace
        self.recorder = recorder
        self.provider = provider
    }

    /// Sends everything, and reports each result at once.
    ///
    /// - Returns: The results; if the task is cancelled, those until then.
    /// - Throws: What the observer throws.
    package func run(reportingTo observer: inout some ReplayObserver) async throws -> [ReplayResult]
    {
        let single = recorder()
        await single.begin()
        let provider = provider(single.plugins)
        let results = try await single.performing {
            // Also before an error is reported.
            defer { observer.didEnd() }
            return try await sendAll(by: provider, reportingTo: &observer)
        }.result
        await provider.cache.close()
        return results
    }

    private func sendAll(
        by provider: AnyProvider,
        reportingTo observer: inout some ReplayObserver
    ) async throws -> [ReplayResult] {
        let begin = ContinuousClock.now
        let first = plan.parts.flatMap(\.exchanges).map(\.started).min()
        var results: [ReplayResult] = []
        for part in plan.parts {
            let new: [ReplayResult]
            do {
                try Task.checkCancellation()
                if keepsPace, let first, let started = part.exchanges.first?.started {
                    let delay = Duration.seconds(started.timeIntervalSince(first))
                    try await Task.sleep(until: begin + delay)
                }
                observer.willSend(part, after: results.count, of: plan.count)
                new = try await send(part, by: provider)
            } catch _ where Task.isCancelled {
                // An interrupted read of the history throws an error of its own.
                break
            }
            try observer.didCompare(new)
            results += new
        }
        return results
    }

    private func send(
        _ part: ReplayPlan.Part,
        by provider: AnyProvider
    ) async throws -> [ReplayResult] {
        switch part {
        case .request(let exchange, let request, let credentials):
            [try await send(request, with: credentials, again: exchange, by: provider)]
        case .chain(let graph, let run, let exchanges):
            try await self.run(graph, again: run, exchanges)
        }
    }

    // MARK: requests

    private func send(
        _ request: PreparedRequest,
        with credentials: (any RequestCredentials)?,
        again exchange: RecordedExchange,
        by provider: AnyProvider
    ) async throws -> ReplayResult {
        let bare: any TargetType = RequestTarget(request)
        var target = RecordingTarget(
            credentials.map { SigningTarget(bare, $0) } ?? bare,
            origin: exchange.origin
        )
        target.origin.run = nil
        let start = ContinuousClock.now
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await provider.response(for: target, from: .server))
        } catch {
            result = .failure(error)
        }
        let duration = ContinuousClock.now - start
        try Task.checkCancellation()
        return try await compared(exchange, with: result, request.line, duration)
    }

    private func compared(
        _ exchange: RecordedExchange,
        with result: Result<Response, ApusError>,
        _ line: ApusError.RequestLine,
        _ duration: Duration?,
        chain: String? = nil
    ) async throws -> ReplayResult {
        var compared = ReplayResult(line, of: exchange, chain: chain)
        compared.duration = duration
        compared.status = try? result.get().status
        if case .failure(let error) = result, error.code != exchange.errorCode {
            compared.outcome = .trouble
            compared.message = error.workspaceMessage.description
            return compared
        }
        guard let whole = try await history.fetchedExchange(exchange.id) else {
            compared.outcome = .trouble
            compared.message = "it is no longer in the history"
            return compared
        }
        guard whole.damage.isEmpty else {
            compared.outcome = .trouble
            compared.message = whole.damage.joined(separator: "; ")
            return compared
        }
        do {
            compared.differences = try comparison.differences(of: whole, from: result)
            compared.outcome = compared.differences.isEmpty ? .same : .different
        } catch {
            compared.outcome = .trouble
            compared.message = "\(error)"
        }
        return compared
    }

    // MARK: chains

    private func run(
        _ graph: ChainGraph,
        again run: RecordedRun,
        _ exchanges: [RecordedExchange]
    ) async throws -> [ReplayResult] {
        let recorder = recorder()
        await recorder.begin(
            .chain,
            named: run.name,
            in: exchanges.first?.origin.environment,
            total: graph.plan.steps.count
        )
        let provider = provider(recorder.plugins)
        let steps = try await recorder.performing {
            let graph = graph.mapTargets(recorder.recording(from: ExchangeOrigin()))
            var steps: [ChainStepResult] = []
            for await event in provider.events(for: graph) {
                if case .finished(let summary) = event { steps = summary.steps }
            }
            return steps
        }.result
        await provider.cache.close()
        try Task.checkCancellation()
        var results: [ReplayResult] = []
        for step in steps {
            let recorded = exchanges.filter { $0.origin.step == step.name }
            results += try await pairs(step, recorded, chain: run.name)
        }
        let names = Set(steps.map(\.name))
        let lost = exchanges.filter { !names.contains($0.origin.step ?? "") }
        return results + lost.map { missing($0, "the chain no longer has this step", run.name) }
    }

    /// Compares a step's responses with its recorded exchanges: each with the one for the same method and path,
    /// or else with the next one.
    private func pairs(
        _ step: ChainStepResult,
        _ recorded: [RecordedExchange],
        chain: String
    ) async throws -> [ReplayResult] {
        var rest = recorded
        var results: [ReplayResult] = []
        for result in step.results {
            let answered = (try? result.get()) ?? Self.error(of: result)?.response
            let line = answered?.request.line ?? Self.error(of: result)?.request
            let same = rest.firstIndex { $0.request.path == line?.path } ?? rest.indices.first
            guard let same else {
                // With a filter it may just have been left out, so it is not compared.
                guard !plan.isFiltered, let line else { continue }
                var new = ReplayResult(line, step: step.name, chain: chain)
                let now = answered.map { "\($0.status)" }
                new.differences = [comparison.outcome(nil, now ?? "no response")]
                new.status = answered?.status
                results.append(new)
                continue
            }
            let exchange = rest.remove(at: same)
            let time = answered?.metrics?.phases.total
            results.append(
                try await compared(
                    exchange,
                    with: result,
                    line ?? exchange.request,
                    time,
                    chain: chain
                )
            )
        }
        return results + rest.map { missing($0, Self.word(for: step.outcome), chain) }
    }

    /// The result for a recorded exchange of a chain that is not sent any more.
    private func missing(
        _ exchange: RecordedExchange,
        _ why: String?,
        _ chain: String
    ) -> ReplayResult {
        var missing = ReplayResult(exchange.request, of: exchange, chain: chain)
        let before = exchange.status.map { "\($0)" } ?? "no response"
        missing.differences = [
            comparison.outcome(before, "not sent" + (why.map { ": \($0)" } ?? ""))
        ]
        return missing
    }

    private static func error(of result: Result<Response, ApusError>) -> ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Why a step sends less than was recorded; nil if its outcome does not say.
    private static func word(for outcome: ChainStepResult.Outcome) -> String? {
        switch outcome {
        case .done, .restored, .cancelled: nil
        case .failed(let failure): "\(failure)"
        case .skipped(let skip): "\(skip)"
        }
    }
}

extension ApusError.RequestLine {
    /// The method, path and query.
    fileprivate var path: String {
        "\(method) \(RecordedURL(url)?.path ?? "")"
    }
}

/// Shows the progress and the results of a replay.
package protocol ReplayObserver {
    /// A part of the plan is sent next, after so many results of so many exchanges.
    mutating func willSend(_ part: ReplayPlan.Part, after done: Int, of count: Int)
    /// The responses to a part were compared.
    ///
    /// - Throws: To end the replay.
    mutating func didCompare(_ results: [ReplayResult]) throws
    /// Nothing more is sent.
    mutating func didEnd()
}
