import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal

/// One run of `apus replay`.
struct ReplayRun: Sendable {
    let plan: ReplayPlan
    let session: String
    let history: History
    let comparison: ResponseComparison
    /// Whether requests are sent at the recorded intervals.
    let keepsPace: Bool
    let report: ReplayReport
    /// Makes a recorder: one for all single requests, and one for each chain.
    let recorder: @Sendable () -> HistoryRecorder
    /// Collects the cookies of new responses to send them; nil to send the recorded ones.
    let jar: CookieJar?
    /// The path of the JUnit report; nil for none.
    let junit: String?

    /// Sends everything, prints each result at once, and returns the exit status.
    ///
    /// If it is interrupted, the summary and the JUnit report have the results until then.
    func run() async throws -> Int32 {
        let begin = ContinuousClock.now
        let first = plan.parts.flatMap(\.exchanges).map(\.started).min()
        var results: [ReplayResult] = []
        var progress = ProgressLine()
        let single = recorder()
        await single.begin()
        let provider = Provider<MultiTarget>(
            cache: .forCommand(),
            headerFields: [:],
            plugins: single.plugins + cookies
        )
        _ = try await single.closing {
            // Also before an error is reported.
            defer { progress.clear() }
            for part in plan.parts {
                let new: [ReplayResult]
                do {
                    try Task.checkCancellation()
                    if keepsPace, let first, let started = part.exchanges.first?.started {
                        let delay = Duration.seconds(started.timeIntervalSince(first))
                        try await Task.sleep(until: begin + delay)
                    }
                    let now = "\(results.count) of \(plan.count)"
                    progress.draw("\(now): \(part.exchanges.first.map { "\($0.request)" } ?? "")")
                    new = try await send(part, by: provider)
                } catch _ where Task.isCancelled {
                    // An interrupted read of the history throws an error of its own.
                    break
                }
                progress.clear()
                for result in new { try report.print(result) }
                results += new
            }
            return 0
        }
        await provider.cache.close()
        let duration = ContinuousClock.now - begin
        if let junit { try JUnitReport(session: session, results, duration).write(to: junit) }
        try report.printEnd(results, duration)
        return Task.isCancelled ? ExitStatus.interrupted : ReplayReport.status(of: results)
    }

    private func send(
        _ part: ReplayPlan.Part,
        by provider: Provider<MultiTarget>
    ) async throws -> [ReplayResult] {
        switch part {
        case .request(let exchange, let request):
            [try await send(request, again: exchange, by: provider)]
        case .chain(let graph, let run, let exchanges):
            try await self.run(graph, again: run, exchanges)
        }
    }

    private var cookies: [any Plugin] { jar.map { [CookiesPlugin($0, saves: false)] } ?? [] }

    // MARK: requests

    private func send(
        _ request: PreparedRequest,
        again exchange: RecordedExchange,
        by provider: Provider<MultiTarget>
    ) async throws -> ReplayResult {
        var target = RecordingTarget(RequestTarget(request), origin: exchange.origin)
        target.origin.run = nil
        let start = ContinuousClock.now
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await provider.response(for: MultiTarget(target), from: .server))
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
            compared.message = error.message.withoutSwiftNames.description
            return compared
        }
        guard let whole = try await history.readableExchange(exchange.id) else {
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
        let provider = Provider<MultiTarget>(
            cache: .forCommand(),
            headerFields: [:],
            plugins: recorder.plugins + cookies
        )
        var steps: [ChainStepResult] = []
        _ = try await recorder.closing {
            let graph = graph.mapTargets(recorder.recording(from: ExchangeOrigin()))
            for await event in provider.events(for: graph) {
                if case .finished(let summary) = event { steps = summary.steps }
            }
            return 0
        }
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
