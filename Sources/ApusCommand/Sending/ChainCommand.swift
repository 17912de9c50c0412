import Apus
import ArgumentParser
import Documents
import HTTPTypes
import Recordings
import Secrets
import Terminal
import Workspaces

/// `apus chain NAME`: runs a workspace's chain, whose steps use values from earlier ones.
struct ChainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chain",
        _superCommandName: "apus",
        abstract: "Run a workspace's chain, and print each step as it ends.",
        discussion: """
            Each line has the step, its outcome, the status, the time and the captured values. \
            Steps that do not need each other run side by side. Progress is shown on standard \
            error if that is a terminal. Captured tokens, passwords and the like are masked, by \
            their own name or their name in the response; --resume stores them unmasked.

            Cookies that a response sets are sent with the steps after it, unless the workspace says \
            `cookies: none`; --resume does not keep them.

            --json prints a line of JSON for each step: version (1), step, index, outcome (done, \
            restored, failed, skipped or cancelled), reason (unless done), captures {name: value}, \
            responses [{status, reason, headers, body …} or {error}, …] (one, or one for each element \
            of forEach), milliseconds; and at the end one with version and summary {ending, total, \
            done, failed, skipped, milliseconds}.

            Examples:
              apus chain 'Sign up' --workspace demo.apus.yaml
              apus chain 'Sign up' --resume signup.state --from verify

            Exit status: 0 all steps are done or skipped as intended, 1 a step failed, 2 wrong \
            usage or bad input, 23 timeout, 130 interrupted.
            """
    )

    @Argument(help: "The chain's name.", completion: WorkspaceCompletions.chains)
    var name: String

    @OptionGroup var workspace: WorkspaceOptions

    @OptionGroup var samples: SampleOptions

    @Option(
        help: ArgumentHelp(
            """
            Resume from the state in this file, and save the new state to it. It contains the \
            captured values, including secrets.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var resume: String?

    @Option(
        help: ArgumentHelp(
            "With --resume: run this step again, and all steps that need it.",
            valueName: "step"
        )
    )
    var from: String?

    @Option(help: "Where responses come from. Default: as the workspace says.")
    var source: SourceName?

    @Flag(help: "Draw the chain and send nothing.")
    var draw = false

    @Flag(help: "Print lines of JSON.")
    var json = false

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        if from != nil, resume == nil { throw ValidationError("--from needs --resume.") }
    }

    func run() throws {
        let workspace = try workspace.load(samples).keepingCookies()
        var graph = try workspace.chain(named: name)
        if let source { graph.source = source.source }
        // `forEach` may have thousands of responses, and only JSON prints them.
        graph.keepsResponses = json
        let names = graph.plan.steps.map(\.name)
        if draw {
            let drawing = graph.drawing({ [names[$0]] }, width: { TextWidth.columns(of: $0) })
            return try StandardOutput.print(drawing)
        }
        if let from, !names.contains(from) {
            throw WorkspaceError(noneNamed: from, kind: "step", of: "chain", among: names)
        }
        let file = resume.map { ChainStateFile(path: $0) }
        let state = try file?.read(forgetting: from)
        if let file { _ = try file.begin() }
        let run = ChainCommandRun(
            graph: graph,
            name: name,
            origin: workspace.origin(),
            file: file,
            state: state,
            isJSON: json,
            store: workspace.workspace.storeForCommand,
            recorder: try history.recorder(secrets: graph.mask.secrets),
            suppliesValues: workspace.workspace.suppliesValues
        )
        try CommandRun.untilEnd { try await run.run() }
    }
}

/// One run of `apus chain`.
struct ChainCommandRun: Sendable {
    let graph: ChainGraph
    let name: String
    let origin: ExchangeOrigin
    /// The file that keeps the state; nil without `--resume`.
    let file: ChainStateFile?
    /// The state to resume from; nil to start from the beginning.
    let state: ChainState?
    let isJSON: Bool
    /// The store that responses are shared through; nil for none.
    let store: (any SharedStore)?
    let recorder: HistoryRecorder
    /// Whether steps may need values that are asked for, run or sent for.
    let suppliesValues: Bool

    /// Runs the chain, prints each step when it ends, and returns the exit status.
    func run() async throws -> Int32 {
        await recorder.begin(.chain, named: name, in: origin.environment, total: total)
        return try await recorder.closing { try await send() }
    }

    private func send() async throws -> Int32 {
        let provider = AnyProvider.forCommand(
            sharing: store,
            plugins: recorder.plugins,
            suppliesValues: suppliesValues
        )
        var progress = ProgressLine()
        var reached: ChainProgress?
        var status: Int32 = ExitStatus.interrupted
        // An interruption may cut a line. No more lines follow, but the state is still saved.
        var cut: CancellationError?
        let recorded = graph.mapTargets(recorder.recording(from: origin))
        for await event in provider.events(for: recorded, resuming: state) {
            switch event {
            case .began(let step, _):
                progress.draw("\(reached?.ended ?? 0) of \(total): \(graph.plan.steps[step].name)")
            case .ended(let result, let now):
                reached = now
                progress.clear()
                if cut == nil {
                    do { try print(result) } catch let error as CancellationError { cut = error }
                }
            case .finished(let summary):
                progress.clear()
                // Saved first, because printing fails if the reader is gone.
                try file?.write(summary.state)
                if let cut { throw cut }
                try printEnd(summary, reached)
                status = Self.status(of: summary.ending)
            case .sending, .exchange, .requestEnded: break
            }
        }
        await provider.cache.close()
        return status
    }

    private var total: Int { graph.plan.steps.count }

    private static func status(of ending: ChainSummary.Ending) -> Int32 {
        switch ending {
        case .done: 0
        case .failed, .ruleFailed, .tooManySteps: ExitStatus.negative
        case .timedOut: ExitStatus.timeout
        case .cancelled: ExitStatus.interrupted
        }
    }

    private func print(_ step: ChainStepResult) throws {
        guard isJSON else { return try OutputLine.print(ChainStepText.line(for: step, of: graph)) }
        try OutputLine.print(ChainStepText.members(of: step, of: graph))
    }

    private func printEnd(_ summary: ChainSummary, _ reached: ChainProgress?) throws {
        guard isJSON else {
            let time = Readable.duration(summary.duration)
            StandardError.write("\(reached?.done ?? 0) of \(total) steps done, \(time)")
            return
        }
        let members: ResponseJSON.Members = [
            ("ending", JSON(ChainStepText.word(for: summary.ending))), ("total", JSON(total)),
            ("done", JSON(reached?.done ?? 0)), ("failed", JSON(reached?.failed ?? 0)),
            ("skipped", JSON(reached?.skipped ?? 0)),
            ("milliseconds", ResponseJSON.milliseconds(summary.duration)),
        ]
        try OutputLine.print([("version", 1), ("summary", JSON(members: members))])
    }
}
