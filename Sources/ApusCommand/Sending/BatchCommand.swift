import Apus
import ArgumentParser
import Documents
import HTTPTypes
import Recordings
import Secrets
import Sharing
import Terminal
import Workspaces

/// `apus batch NAME`: sends a workspace's batch.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        _superCommandName: "apus",
        abstract: "Send a workspace's batch, and print each result as it comes.",
        discussion: """
            Each line has the position in the batch, the status, the time and the request. \
            Progress is shown on standard error if that is a terminal.

            --json prints a line of JSON for each result: version (1), index (from 0), request \
            {method, url}, and the members of a response (apus help send) or error {code, reason, \
            message}; and at the end one with version and summary {total, succeeded, failed, \
            notSent, missed (at a rate), milliseconds}.

            With --workers the machines where `apus work` runs send the requests, together, and this \
            one collects what came of them (apus help sharing). The rate then holds for all of them, \
            --concurrency for each, and responses have no bodies here: a line of JSON has index, \
            worker, request, status or error, bytes and timings; the summary also has again (how many \
            requests were handed to another worker, and may have been sent twice), statuses, latency \
            and workers.

            Cookies that a response sets are sent with the requests that begin after it, unless the \
            workspace says `cookies: none`.

            Examples:
              apus batch 'Warm the cache' --workspace demo.apus.yaml --concurrency 50
              apus batch 'Warm the cache' --workers redis://10.0.0.5/0

            Exit status: 0 every target accepted its response, 1 some did not or have none, 2 wrong \
            usage or bad input, 130 interrupted.
            """
    )

    @Argument(help: "The batch's name.", completion: WorkspaceCompletions.batches)
    var name: String

    @OptionGroup var workspace: WorkspaceOptions

    @OptionGroup var samples: SampleOptions

    @Option(help: "How many requests run at once. Default: as the workspace says.")
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            """
            Send the targets in turn, repeatedly, at this rate. A request that is due while \
            --concurrency requests are running is skipped, never sent late; the number skipped is \
            printed at the end.
            """,
            valueName: "50/s for 30 s"
        )
    )
    var rate: String?

    @Flag(help: "Stop at the first failure.")
    var all = false

    @Option(help: "Where responses come from. Default: as the workspace says.")
    var source: SourceName?

    @Option(
        help: ArgumentHelp(
            """
            Have the workers of this Redis server send it (apus work); needs the team's key, as --share \
            does.
            """,
            valueName: "url"
        )
    )
    var workers: String?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        if let concurrency, !(1...100_000).contains(concurrency) {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
        if let rate, BatchRate(rate) == nil {
            throw ValidationError(
                "--rate takes a rate like '50/s for 30 s', of at most 1,000,000 requests."
            )
        }
        if workers != nil, history.session != nil || history.keepSecrets {
            throw ValidationError(
                "--workers records nothing here, so it takes no --session: say --session to `apus work`."
            )
        }
        if workers == nil, history.share == nil, history.team.teamKey != nil {
            throw ValidationError("--team-key needs --share or --workers.")
        }
    }

    func run() throws {
        if let workers { return try run(on: workers) }
        let workspace = try workspace.load(samples).keepingCookies()
        var plan = try workspace.batch(named: name)
        plan.concurrency = concurrency ?? plan.concurrency
        plan.rate = rate.flatMap { BatchRate($0) } ?? plan.rate
        if all { plan.mode = .all }
        plan.source = source?.source ?? plan.source
        let run = BatchCommandRun(
            plan: plan,
            origin: workspace.origin(),
            isJSON: json,
            store: workspace.workspace.storeForCommand,
            recorder: try history.recorder(secrets: plan.secrets)
        )
        try CommandRun.untilEnd { try await run.run() }
    }

    /// Has the workers of a server send it.
    private func run(on url: String) throws {
        let server = try history.team.server(at: url)
        var plan = try workspace.load(samples).workersPlan(
            ofBatch: name,
            values: workspace.choice.values,
            source: source,
            concurrency: concurrency,
            rate: rate.flatMap { BatchRate($0) }
        )
        if all { plan.mode = .all }
        let run = WorkersRun(plan: plan, server: BatchServer(server), isJSON: json)
        try CommandRun.untilEnd { try await run.run() }
    }
}

/// One run of `apus batch`.
struct BatchCommandRun: Sendable {
    let plan: BatchPlan
    /// The origin that the history records.
    let origin: ExchangeOrigin
    let isJSON: Bool
    /// The store that responses are shared through; nil for none.
    let store: (any SharedStore)?
    let recorder: HistoryRecorder

    /// Sends the batch, prints each result at once, and returns the exit status.
    func run() async throws -> Int32 {
        await recorder.begin(
            .batch,
            named: plan.name,
            in: origin.environment,
            total: plan.count
        )
        return try await recorder.closing { try await send() }
    }

    private func send() async throws -> Int32 {
        let provider = AnyProvider.forCommand(
            sending: plan.targets,
            by: CurlTransport(.forMany(atOnce: plan.concurrency)),
            sharing: store,
            plugins: recorder.plugins,
            suppliesValues: plan.targets.contains { $0.supply != nil }
        )
        let start = ContinuousClock.now
        var (succeeded, failed) = (0, 0)
        var progress = ProgressLine()
        let batch = plan.batch.mapTargets(recorder.recording(from: origin))
        var missed = 0
        for await event in provider.events(for: batch) {
            if case .finished(let summary) = event { missed = summary.missed }
            guard case .ended(let index, let summary, _) = event else { continue }
            if case .success = summary.result { succeeded += 1 } else { failed += 1 }
            progress.clear()
            try print(index, summary)
            progress.draw("\(succeeded + failed) of \(plan.count), \(failed) failed")
        }
        progress.clear()
        try printEnd(succeeded, failed, missed, .now - start)
        await provider.cache.close()
        return succeeded == plan.count - missed ? 0 : ExitStatus.negative
    }

    private func print(_ index: Int, _ summary: ExchangeSummary) throws {
        let target = plan.targets[index % plan.targets.count]
        guard !isJSON else {
            return try OutputLine.print(
                [("version", 1), ("index", JSON(index)), ("request", target.requestJSON)]
                    + ResponseJSON.members(of: summary.result, after: summary.duration)
            )
        }
        let time = Readable.duration(summary.duration)
        let what = "\(target.display.method) \(target.display.url)"
        switch summary.result {
        case .success(let response):
            let failure = response.serverFailureText.map { ", \($0)" } ?? ""
            try OutputLine.print("\(index)  \(response.status)  \(time)  \(what)\(failure)")
        case .failure(let error):
            try OutputLine.print(
                "\(index)  ---  \(time)  \(what): \(error.workspaceMessage)"
            )
        }
    }

    private func printEnd(
        _ succeeded: Int,
        _ failed: Int,
        _ missed: Int,
        _ duration: Duration
    ) throws {
        let total = plan.count
        guard isJSON else {
            let time = Readable.duration(duration)
            let late =
                missed == 0
                ? ""
                : ", \(missed) skipped: \(plan.concurrency) requests were already running"
            StandardError.write(
                "\(succeeded) of \(total) answered, \(failed) failed, \(time)\(late)"
            )
            return
        }
        let summary = JSON(members: [
            ("total", JSON(total)), ("succeeded", JSON(succeeded)), ("failed", JSON(failed)),
            ("notSent", JSON(total - succeeded - failed)), ("missed", JSON(missed)),
            ("milliseconds", ResponseJSON.milliseconds(duration)),
        ])
        try OutputLine.print([("version", 1), ("summary", summary)])
    }
}
