import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Synchronization
import Terminal
import Workspaces

/// `apus replay SESSION`: sends a session again, and prints the differences.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        _superCommandName: "apus",
        abstract:
            "Send a session's requests again, and compare the responses with the recorded ones.",
        discussion: """
            Requests are sent one after another in their recorded order, to where they went unless \
            --environment or --base-url says otherwise. The status, the media type and the \
            structure of the body are compared. Each difference is a line with its path, the \
            recorded value and the new one (as in apus diff). Other header fields (Date, ETag, \
            Set-Cookie … differ each time) are compared only if --field names them; --ignore skips \
            what a path selects in bodies.

            A masked secret is taken from the same place (field, parameter, member) of the \
            workspace target with the recorded name, or of any target if the request had none. It \
            is sent only to the server of that target, or to --base-url. -H sets a field that the \
            workspace does not know; --cookies uses the cookies of the new responses. If a secret is \
            missing, nothing is sent. A target with auth oauth2, aws or custom is signed anew. Values that the workspace \
            asks, runs or sends for are got before the first request, once it is known that everything may be sent; \
            the targets whose responses have them are sent for that, by the same rule for other servers.

            A chain runs as the workspace defines it now: later requests use values captured from \
            the new responses. If the workspace does not have the chain, its requests are sent as \
            recorded, with a warning. With --only the whole chain runs, but only matching \
            exchanges are compared.

            Requests that change data (POST, PUT, PATCH, DELETE …) are sent only to this machine, \
            or to the server that --environment or --base-url names. For any other server, \
            recorded or of a chain step, add --unsafe; otherwise nothing is sent. --dry-run shows \
            what would be sent.

            --json prints a line of JSON for each exchange: version (1), number, chain, step, method, \
            url, outcome (same, different, trouble), status and milliseconds {recorded, now}, \
            differences [{subject (status, mediaType, field, body, outcome), path, sign, recorded, \
            now}, …], message; and at the end one with version and summary {total, same, different, \
            trouble, milliseconds}. Unknown values are null.

            Examples:
              apus replay checkout-bug --environment staging
              apus replay checkout-bug --base-url http://localhost:8080 --ignore '$..createdAt'
              apus replay smoke -e staging --only 'method:get' --junit replay.xml

            Exit status: 0 all responses are the same, 1 some differ, 2 wrong usage, or something \
            could not be sent, 130 interrupted.
            """
    )

    @Argument(help: "The session's name.", completion: WorkspaceCompletions.sessions)
    var session: String

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions

    @Option(
        help: ArgumentHelp(
            """
            Send to this server: its scheme, host and port replace the recorded ones, and its path \
            is put before theirs. Secrets are sent there too.
            """,
            valueName: "url"
        )
    )
    var baseURL: String?

    @Option(
        help: "How fast to send: at the recorded intervals, or one right after the other."
    )
    var pace = Pace.fast

    @Option(
        help: ArgumentHelp(
            "Only exchanges that match this filter (apus help sessions search).",
            valueName: "filter"
        )
    )
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Ignore what this path selects in bodies, such as $..updatedAt. Can be repeated.",
            valueName: "path"
        )
    )
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp("Compare this header field, too. Can be repeated.", valueName: "name")
    )
    var field: [String] = []

    @Option(
        name: [.customShort("H"), .customLong("header")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this field in place of the recorded one. Can be repeated.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Flag(help: "Send the cookies that the new responses set, in place of the recorded ones.")
    var cookies = false

    @Flag(help: "Send requests that change data to the recorded servers too.")
    var unsafe = false

    @Flag(help: "Show what would be sent, and send nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Write a JUnit report for CI to this file.", valueName: "file"),
        completion: .file()
    )
    var junit: String?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(help: "Do not record the requests. Default: record them, as apus send does.")
    var noHistory = false

    /// When requests are sent.
    enum Pace: String, CaseIterable, ExpressibleByArgument {
        case recorded, fast
    }

    func validate() throws {
        if baseURL != nil, workspace.environment != nil {
            throw ValidationError("Name a server with --environment or --base-url, not with both.")
        }
        if let wrong = field.first(where: { HTTPField.Name($0) == nil }) {
            throw ValidationError("--field takes a field's name, not “\(wrong)”.")
        }
        _ = try RequestArguments.fields(headers)
    }

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        var comparison = ResponseComparison()
        comparison.ignored = try ignore.map { try QueryArgument.parse($0) }
        comparison.fields = field.compactMap { HTTPField.Name($0) }
        let filter = try HistoryFilter.parsing(only ?? "")
        let targets = try loadedWorkspace()
        let server = try baseURL.map { try ReplayServer(URLFault.trimmed($0)) }
        let fields = try RequestArguments.fields(headers)
        let (command, compared) = (self, comparison)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            try await history.requireSession(named: command.session)
            let warnings = Mutex<Set<String>>([])
            func plan(completing complete: @escaping ReplayPlanner.Completion) async throws
                -> ReplayPlan
            {
                try await ReplayPlanner(
                    targets: targets,
                    environment: command.workspace.environment,
                    server: server,
                    fields: fields,
                    usesCookies: command.cookies,
                    complete: complete,
                    warn: { text in
                        guard warnings.withLock({ $0.insert(text).inserted }) else { return }
                        StandardError.write("apus: \(text)")
                    }
                ).plan(of: command.session, filter, isFiltered: command.only != nil, in: history)
            }
            // Nobody is asked, and nothing is run or sent, for what may not be sent in the end.
            let supplies = Mutex<[TargetSupply]>([])
            var found = try await plan { target throws(ApusError) in
                if let supply = (target as? WorkspaceTarget)?.supply {
                    supplies.withLock { $0.append(supply) }
                }
                return target
            }
            let needed = supplies.withLock(\.self)
            found.sent += needed.flatMap(\.requests)
            if command.dryRun { return try ReplayReport.show(found) }
            if !command.unsafe {
                let isNamed = server != nil || command.workspace.environment != nil
                try found.checkServers(isNamed: isNamed)
            }
            if !needed.isEmpty {
                let provider = AnyProvider.forCommand(plugins: [], suppliesValues: true)
                found = try await plan { target throws(ApusError) in
                    try await provider.completed(target)
                }
                await provider.cache.close()
            }
            return try await command.send(found, comparing: compared, in: history)
        }
    }

    /// Sends everything, prints each result at once, and returns the exit status.
    ///
    /// If it is interrupted, the summary and the JUnit report have the results until then.
    private func send(
        _ plan: ReplayPlan,
        comparing comparison: ResponseComparison,
        in history: History
    ) async throws -> Int32 {
        let begin = ContinuousClock.now
        let cookies: [any Plugin] =
            self.cookies ? [CookiesPlugin(CookieJar(), saves: false)] : []
        let noHistory = noHistory
        let run = ReplayRun(
            plan,
            in: history,
            comparison: comparison,
            keepsPace: pace == .recorded,
            recorder: {
                HistoryRecorder(
                    noHistory ? nil : .forCommand(secrets: Array(plan.secrets)),
                    session: nil
                )
            },
            provider: { plugins in
                // The steps of a chain are a workspace's targets.
                AnyProvider.forCommand(plugins: plugins + cookies, suppliesValues: true)
            }
        )
        var report = ReplayReport(isJSON: json, numbers: plan.largestNumber)
        let results = try await run.run(reportingTo: &report)
        let duration = ContinuousClock.now - begin
        if let junit {
            let text = JUnitDocument(session: session, results, after: duration).text
            try OutputFile(path: junit, content: .text).write { try $0.write(text) }
        }
        try report.printEnd(results, duration)
        return Task.isCancelled ? ExitStatus.interrupted : ReplayReport.status(of: results)
    }

    /// The workspace, which must be readable if it, an environment or a value is named; nil if this folder's
    /// cannot be read.
    private func loadedWorkspace() throws -> NamedWorkspace? {
        workspace.choice.isExplicit ? try workspace.load() : try? workspace.load()
    }
}

extension NamedWorkspace: ReplayTargets {}
