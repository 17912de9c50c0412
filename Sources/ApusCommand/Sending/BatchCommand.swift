import Apus
import ArgumentParser
import Documents
import HTTPTypes
import Recordings
import Terminal
import Workspaces

/// `apus batch NAME`: targets of a workspace, side by side.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        _superCommandName: "apus",
        abstract: "Send a workspace's batch, and print each result as it comes.",
        discussion: """
            A line is the place in the batch, the status, the time and the request. How far it is \
            shows on standard error when that is a terminal.

            --json prints a line of JSON for each result: version (1), index (from 0), request \
            {method, url}, and the members of an answer (apus help send) or error {code, reason, \
            message}; and at the end one with version and summary {total, succeeded, failed, \
            notSent, milliseconds}.

            Example: apus batch 'Warm the cache' --workspace demo.apus.yaml --concurrency 50

            Exit status: 0 all have an answer that their targets accept, 1 some have not, \
            2 usage or input, 130 interrupted.
            """
    )

    @Argument(help: "The batch's name.")
    var name: String

    @OptionGroup var workspace: WorkspaceOptions

    @Option(help: "How many requests run at once. Default: as the workspace says.")
    var concurrency: Int?

    @Flag(help: "Stop at the first failure.")
    var all = false

    @Option(help: "Where answers come from. Default: as the workspace says.")
    var source: SourceName?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        if let concurrency, !(1...100_000).contains(concurrency) {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
    }

    func run() throws {
        var plan = try workspace.load().batch(named: name)
        plan.concurrency = concurrency ?? plan.concurrency
        if all { plan.mode = .all }
        plan.source = source?.source ?? plan.source
        let secrets = plan.targets.reduce(into: Set()) { $0.formUnion($1.mask.secrets) }
        let run = BatchCommandRun(
            plan: plan,
            isJSON: json,
            recorder: history.recorder(secrets: secrets)
        )
        try CommandRun.untilEnd { try await run.run() }
    }
}

/// One run of `apus batch`.
struct BatchCommandRun: Sendable {
    let plan: BatchPlan
    let isJSON: Bool
    let recorder: HistoryRecorder

    /// Sends the batch, prints each result as it comes, and gives the exit status.
    func run() async throws -> Int32 {
        await recorder.begin(
            .batch,
            named: plan.name,
            in: plan.origin.environment,
            total: plan.targets.count
        )
        return try await recorder.closing { try await send() }
    }

    private func send() async throws -> Int32 {
        let provider = Provider<MultiTarget>(
            transport: CurlTransport(.forMany(atOnce: plan.concurrency)),
            cache: .forCommand(),
            headerFields: [:],
            plugins: recorder.plugins
        )
        let start = ContinuousClock.now
        var (succeeded, failed) = (0, 0)
        var progress = ProgressLine()
        let batch = plan.batch.mapTargets(recorder.recording(from: plan.origin))
        for await event in provider.events(for: batch) {
            guard case .ended(let index, let summary, _) = event else { continue }
            if case .success = summary.result { succeeded += 1 } else { failed += 1 }
            progress.clear()
            try print(index, summary)
            progress.draw("\(succeeded + failed) of \(plan.targets.count), \(failed) failed")
        }
        progress.clear()
        try printEnd(succeeded, failed, .now - start)
        await provider.cache.close()
        return succeeded == plan.targets.count ? 0 : ExitStatus.negative
    }

    private func print(_ index: Int, _ summary: ExchangeSummary) throws {
        let target = plan.targets[index]
        guard !isJSON else {
            return try OutputLine.print(
                [("version", 1), ("index", JSON(index)), ("request", target.requestJSON)]
                    + AnswerJSON.members(of: summary.result, after: summary.duration)
            )
        }
        let time = Readable.duration(summary.duration)
        let what = "\(target.display.method) \(target.display.url)"
        switch summary.result {
        case .success(let response):
            let failure = response.serverFailureText.map { ", \($0)" } ?? ""
            try OutputLine.print("\(index)  \(response.status)  \(time)  \(what)\(failure)")
        case .failure(let error):
            try OutputLine.print("\(index)  ---  \(time)  \(what): \(error.message)")
        }
    }

    private func printEnd(_ succeeded: Int, _ failed: Int, _ duration: Duration) throws {
        let total = plan.targets.count
        guard isJSON else {
            let time = Readable.duration(duration)
            StandardError.write("\(succeeded) of \(total) answered, \(failed) failed, \(time)")
            return
        }
        let summary = JSON(members: [
            ("total", JSON(total)), ("succeeded", JSON(succeeded)), ("failed", JSON(failed)),
            ("notSent", JSON(total - succeeded - failed)),
            ("milliseconds", AnswerJSON.milliseconds(duration)),
        ])
        try OutputLine.print([("version", 1), ("summary", summary)])
    }
}

/// A workspace's batch, ready to be sent.
struct BatchPlan: Sendable {
    let name: String
    /// Where the history says that they were sent from.
    let origin: ExchangeOrigin
    /// The targets, each as often as it is repeated.
    let targets: [WorkspaceTarget]
    /// Where answers come from.
    var source: DataSource
    /// How many requests run at once.
    var concurrency: Int
    /// What a failure does to the rest.
    var mode: Batch.Mode

    /// What the engine is given.
    var batch: Batch {
        Batch(targets, from: source, concurrency: concurrency, mode: mode)
    }
}

extension NamedWorkspace {
    /// A batch with everything filled in.
    ///
    /// - Throws: `WorkspaceFault` if there is none of the name, or something in it has no value.
    func batch(named name: String) throws(WorkspaceFault) -> BatchPlan {
        guard let found = workspace.batches.first(where: { $0.name == name }) else {
            throw WorkspaceFault(named: name, kind: "batch", among: workspace.batches.map(\.name))
        }
        let targets = try WorkspaceFault.wrapping { () throws(WorkspaceError) in
            try workspace.resolve(found, in: environment)
        }
        return BatchPlan(
            name: name,
            origin: origin(),
            targets: targets,
            source: found.source ?? .server,
            concurrency: found.concurrency,
            mode: Batch.Mode(rawValue: found.mode.rawValue) ?? .settled
        )
    }
}
