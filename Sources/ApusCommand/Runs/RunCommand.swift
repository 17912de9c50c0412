import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings
import Synchronization
import Terminal
import Workspaces

/// `apus run`: sends targets, batches and chains, and checks what their responses must be.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        _superCommandName: "apus",
        abstract:
            "Send targets, batches and chains, and check that their responses are as expected.",
        discussion: """
            `expect` in the workspace says what a response must be (apus help workspace expectations). A target that says \
            nothing of its status fails with a status of 400 and above. Without NAME, all targets and chains are sent; a \
            NAME is a target, a group, a batch, a chain or tag:WORD.

            A line is printed for each result as it comes, and for a failure what was expected, what the response has \
            instead, and the place in the file. Progress is shown on standard error if that is a terminal.

            --rows FILE sends each target once for each row of a table (CSV, JSON or lines of JSON): its columns are \
            variables. Without it, a target that has `rows` in the file is sent once for each of them. --shard 2/5 sends the second of five parts of everything, for five machines.

            --json prints a line of JSON for each result: version (1), name, outcome (passed, failed, error, skipped), \
            file, line, request, status, milliseconds, checks, failures [{expected, actual, file, line, differences}]; and \
            at the end one with version and summary {total, passed, failed, error, skipped, checks, milliseconds}.

            Examples:
              apus run
              apus run shop.apus.yaml Users 'Sign up' -e staging --junit run.xml

            Exit status: 0 everything is as expected, 1 something is not or has no response, 2 wrong usage or bad input, \
            130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A workspace file or folder (default: this folder), and names of what is sent.",
            valueName: "file or name"
        ),
        completion: WorkspaceCompletions.runnable
    )
    var names: [String] = []

    @OptionGroup var workspace: WorkspaceOptions

    @OptionGroup var samples: SampleOptions

    @Option(
        help: ArgumentHelp(
            "Send each target once for each row of this table.",
            valueName: "file"
        ),
        completion: .file(extensions: ["csv", "json", "jsonl"])
    )
    var rows: String?

    @Option(help: "How many requests run at once.")
    var jobs = 8

    @Option(help: "How often a request that fails is sent again.")
    var retry = 0

    @Option(name: .customLong("repeat"), help: "How often everything is sent.")
    var repeats = 1

    @Option(help: ArgumentHelp("Send one of several parts.", valueName: "part/parts"))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "Send only what is defined otherwise in this revision of git, or not there.",
            valueName: "revision"
        )
    )
    var changedSince: String?

    @Flag(help: "Stop at the first failure.")
    var failFast = false

    @Option(help: "Where responses come from. Default: as the targets say, or the server.")
    var source: SourceName?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(help: "Print TAP (version 13).")
    var tap = false

    @Option(
        help: ArgumentHelp("Write a JUnit report for CI to this file.", valueName: "file"),
        completion: .file(extensions: ["xml"])
    )
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Write a page with all exchanges to this file; secrets are masked.",
            valueName: "file"
        ),
        completion: .file(extensions: ["html"])
    )
    var html: String?

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        if json, tap { throw ValidationError("--json cannot be combined with --tap.") }
        if !(1...100_000).contains(jobs) { throw ValidationError("--jobs takes 1 to 100000.") }
        if !(0...1000).contains(retry) { throw ValidationError("--retry takes 0 to 1000.") }
        if !(1...100_000).contains(repeats) {
            throw ValidationError("--repeat takes 1 to 100000.")
        }
        if let junit, junit == html {
            throw ValidationError("--junit and --html would write the same file.")
        }
        if let shard, RunPlan.Shard(shard) == nil {
            throw ValidationError("--shard takes a part and their number, such as 2/5.")
        }
    }

    func run() throws {
        for path in [junit, html].compactMap(\.self) {
            try OutputFile(path: path, content: .text).requirePlace()
        }
        var options = workspace
        var names = names
        if options.workspace == nil, let first = names.first, access(first, F_OK) == 0 {
            options.workspace = first
            names.removeFirst()
        }
        let loaded = try options.load(samples).keepingCookies()
        let rows = try rows.map(Self.rows) ?? []
        if let changedSince {
            guard names.isEmpty else {
                throw ValidationError("--changed-since cannot be combined with names.")
            }
            names = try Self.changed(since: changedSince, loaded.workspace)
            if names.isEmpty {
                return try StandardOutput.print("Nothing here has changed since \(changedSince).")
            }
        }
        let plan = try RunPlan(
            of: names,
            in: loaded.workspace,
            loaded.environment,
            rows: rows,
            repeats: repeats,
            shard: shard.flatMap { RunPlan.Shard($0) }
        )
        var sending = CheckedRun.Options()
        (sending.jobs, sending.retries) = (jobs, retry)
        (sending.failsFast, sending.source) = (failFast, source?.source)
        sending.keepsExchanges = html != nil
        let run = RunCommandRun(
            plan: plan,
            name: loaded.workspace.name,
            options: sending,
            form: json ? .json : tap ? .tap : .text,
            junit: junit,
            html: html,
            origin: loaded.origin(),
            suppliesValues: loaded.workspace.suppliesValues,
            store: loaded.workspace.storeForCommand,
            recorder: try history.recorder(
                secrets: loaded.workspace.knownSecrets.union(plan.secrets)
            )
        )
        try CommandRun.untilEnd { try await run.run() }
    }
}

extension RunCommand {
    /// The names of what is defined otherwise in a revision.
    private static func changed(since revision: String, _ workspace: Workspace) throws -> [String] {
        let names = Mutex<[String]>([])
        try CommandRun.untilEnd {
            let old = try await GitRevision.texts(of: workspace.definingFiles, in: revision)
            names.withLock { $0 = workspace.names(changedSince: old) }
            return 0
        }
        return names.withLock(\.self)
    }

    /// The rows of a table in a file.
    private static func rows(of path: String) throws -> [RunPlan.Row] {
        let input = try DocumentInput.read(path, as: nil)
        if let fault = input.limit ?? input.faults.first { throw CommandError(fault) }
        guard input.formatted.original.count > 0 else {
            throw CommandError("\(path): the input is empty")
        }
        return try RunPlan.rows(of: JSON(document: input.document), named: path)
    }
}

/// One run of `apus run`.
struct RunCommandRun: Sendable {
    /// What is printed for each result.
    enum Form {
        case text, json, tap
    }

    let plan: RunPlan
    /// The workspace, as reports call it.
    let name: String
    let options: CheckedRun.Options
    let form: Form
    let junit: String?
    let html: String?
    let origin: ExchangeOrigin
    /// Whether requests may need values that are asked for, run or sent for.
    let suppliesValues: Bool
    /// The store that responses are shared through; nil for none.
    let store: (any SharedStore)?
    let recorder: HistoryRecorder

    /// Sends, checks, prints each result, writes the reports, and returns the exit status.
    func run() async throws -> Int32 {
        await recorder.begin(.batch, named: "apus run", in: origin.environment, total: plan.count)
        return try await recorder.closing { try await send() }
    }

    private func send() async throws -> Int32 {
        let provider = AnyProvider.forCommand(
            by: CurlTransport(.forMany(atOnce: options.jobs)),
            sharing: store,
            plugins: recorder.plugins,
            suppliesValues: suppliesValues
        )
        let start = ContinuousClock.now
        var progress = ProgressLine()
        var (counts, results) = (RunCounts(), [RunResult]())
        let page = try html.map { try RunPage(path: $0) }
        if form == .tap { try OutputLine.print(RunReports.tapVersion) }
        let checked = CheckedRun(
            plan,
            with: provider,
            options: options,
            recording: recorder.recording(from: origin)
        )
        // The reports have what came until an interruption, too.
        let interruption: CancellationError?
        do {
            try await checked.run { result in
                counts.count(result)
                try page?.append(result)
                if junit != nil || page != nil { results.append(result.withoutExchange) }
                progress.clear()
                try print(result, number: counts.total)
                progress.draw("\(counts.total) of \(plan.count), \(counts.words)")
            }
            interruption = nil
        } catch let error as CancellationError { interruption = error }
        progress.clear()
        recorder.setFailedCount(counts[.failed] + counts[.error])
        let duration = ContinuousClock.now - start
        if form == .tap {
            let end = RunReports.tapEnd(counts.total, isInterrupted: interruption != nil)
            try OutputLine.print(end)
        }
        if let junit {
            let text = RunReports.junit(results, of: name, duration, at: Date())
            try OutputFile(path: junit, content: .text).write { try $0.write(text) }
        }
        try page?.write(results, counts, of: name, duration)
        await provider.cache.close()
        if let interruption { throw interruption }
        try printEnd(counts, duration)
        return counts.isGood ? 0 : ExitStatus.negative
    }

    private func print(_ result: RunResult, number: Int) throws {
        switch form {
        case .json: try OutputLine.print(RunReports.members(of: result))
        case .tap:
            for line in RunReports.tap(result, number: number) { try OutputLine.print(line) }
        case .text: try printText(result)
        }
    }

    private func printText(_ result: RunResult) throws {
        let (mark, color): (String, StaticString) =
            switch result.ending {
            case .passed: ("✔", "\u{1B}[32m")
            case .failed, .error: ("✘", "\u{1B}[31m")
            case .skipped: ("–", "\u{1B}[2m")
            }
        let status = result.status.map { "\($0)" } ?? "---"
        let time = result.ending == .skipped ? "" : Readable.duration(result.duration)
        var output = StandardOutput(.text)
        if StandardOutput.wantsColor { try output.write(ownSequence: color) }
        try output.write(mark)
        if StandardOutput.wantsColor { try output.write(ownSequence: "\u{1B}[0m") }
        try output.write("  \(status)  \(time)  \(result.name.inOneLine)\n")
        for line in result.failures.flatMap(\.lines) {
            try output.write("   \(line.inOneLine)\n")
        }
        try output.flush()
    }

    private func printEnd(_ counts: RunCounts, _ duration: Duration) throws {
        guard form == .json else {
            let checks = counts.checks == 1 ? "1 check" : "\(Readable.count(counts.checks)) checks"
            StandardError.write("\(counts.words); \(checks), \(Readable.duration(duration))")
            return
        }
        let endings: [RunResult.Ending] = [.passed, .failed, .error, .skipped]
        let summary: ResponseJSON.Members =
            [("total", JSON(counts.total))] + endings.map { ($0.rawValue, JSON(counts[$0])) }
            + [
                ("checks", JSON(counts.checks)),
                ("milliseconds", ResponseJSON.milliseconds(duration)),
            ]
        try OutputLine.print([("version", 1), ("summary", JSON(members: summary))])
    }
}
