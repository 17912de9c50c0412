import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Workspaces

/// `apus replay SESSION`: sends a session again, and says what differs.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        _superCommandName: "apus",
        abstract:
            "Send a session's requests again, and compare the answers with the recorded ones.",
        discussion: """
            The requests go out one after another in their order, as they were recorded, and to where \
            they went if neither --environment nor --base-url says otherwise. Of an answer count the status, the media type and the body by its structure: a line for each difference \
            is its path, what was recorded and what it is now (as apus diff). Other fields do not count \
            (Date, ETag, Set-Cookie … differ each time) unless --field names them; --ignore leaves out \
            what a path selects in bodies.

            Where a secret was masked, it is taken from the workspace's target of the same name, at the \
            same place (field, parameter, member), or from any target if it was sent for none; it goes \
            only where that target goes, or to --base-url. -H gives a field that the workspace does not \
            know, --cookies goes on with the cookies of the new answers. If a secret is missing, nothing \
            is sent at all.

            A chain is run as the workspace has it: later requests take what is captured from the new \
            answers. If no workspace here has it, its requests are sent as they were recorded, and that \
            is said. With --only it is run whole, and compared where the filter says.

            Requests that change something (POST, PUT, PATCH, DELETE …) are sent to this machine, or to \
            the server that --environment or --base-url names; to any other (those of the recording, and \
            of a chain those that its steps have now) only with --unsafe: otherwise nothing is sent at \
            all. --dry-run shows what would be sent.

            --json prints a line of JSON for each exchange: version (1), number, chain, step, method, \
            url, outcome (same, different, trouble), status and milliseconds {recorded, now}, \
            differences [{subject (status, mediaType, field, body, outcome), path, sign, recorded, \
            now}, …], message; and at the end one with version and summary {total, same, different, \
            trouble, milliseconds}. What is not known is null.

            Examples:
              apus replay checkout-bug --environment staging
              apus replay checkout-bug --base-url http://localhost:8080 --ignore '$..createdAt'
              apus replay smoke -e staging --only 'method:get' --junit replay.xml

            Exit status: 0 all answers are the same, 1 some differ, 2 usage, or something could not be \
            sent, 130 interrupted.
            """
    )

    @Argument(help: "The session's name.")
    var session: String

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions

    @Option(
        help: ArgumentHelp(
            """
            Send to this server: scheme, host and port take the place of the recorded ones; a path goes \
            before theirs. Secrets go there, too.
            """,
            valueName: "url"
        )
    )
    var baseURL: String?

    @Option(help: "When requests are sent: as far apart as recorded, or at once after another.")
    var pace = Pace.fast

    @Option(
        help: ArgumentHelp("Only what this lets pass (apus sessions search).", valueName: "filter")
    )
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Leave out what a path selects in bodies, such as $..updatedAt. Can be repeated.",
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

    @Flag(help: "Send the cookies that the new answers set, in place of the recorded ones.")
    var cookies = false

    @Flag(help: "Send what changes something to the servers of the recording, too.")
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

    @Flag(help: "Record nothing of what is sent. Default: as apus send does.")
    var noHistory = false

    /// When requests are sent.
    enum Pace: String, CaseIterable, ExpressibleByArgument {
        case recorded, fast
    }

    func validate() throws {
        if baseURL != nil, workspace.environment != nil {
            throw ValidationError("Name a server by --environment or by --base-url, not by both.")
        }
        if let wrong = field.first(where: { HTTPField.Name($0) == nil }) {
            throw ValidationError("--field takes a field's name, not “\(wrong)”.")
        }
        _ = try RequestArguments.fields(headers)
    }

    func run() throws {
        var comparison = AnswerComparison()
        comparison.ignored = try ignore.map { try QueryArgument.parse($0) }
        comparison.fields = field.compactMap { HTTPField.Name($0) }
        let filter: HistoryFilter
        do throws(HistoryFilter.Fault) {
            filter = try HistoryFilter(only ?? "")
        } catch {
            throw CommandFailure(error.description)
        }
        let base = try baseURL.map { try ReplayBase($0) }
        let planner = ReplayPlanner(
            workspace: try loadedWorkspace(),
            environment: workspace.environment,
            base: base,
            fields: try RequestArguments.fields(headers),
            usesCookies: cookies
        )
        let (command, compared) = (self, comparison)
        try HistoryWork.run { history in
            try await history.requireSession(named: command.session)
            let plan = try await planner.plan(
                of: command.session,
                filter,
                isFiltered: command.only != nil,
                in: history
            )
            if command.dryRun { return try ReplayReport.show(plan) }
            if !command.unsafe { try plan.checkServers(isNamed: planner.namesServer) }
            return try await ReplayRun(
                plan: plan,
                session: command.session,
                history: history,
                comparison: compared,
                keepsPace: command.pace == .recorded,
                report: ReplayReport(isJSON: command.json, numbers: plan.largestNumber),
                recorder: {
                    HistoryRecorder(
                        command.noHistory ? nil : .forCommand(secrets: Array(plan.secrets)),
                        session: nil
                    )
                },
                jar: command.cookies ? CookieJar() : nil,
                junit: command.junit
            ).run()
        }
    }

    /// The workspace that is named, or the one of this folder, if that can be read.
    private func loadedWorkspace() throws -> NamedWorkspace? {
        let isNamed = workspace.workspace != nil || workspace.environment != nil
        return isNamed ? try workspace.load() : try? workspace.load()
    }
}

/// The server that requests are sent to in place of their own.
struct ReplayBase: Sendable {
    private let scheme: String
    private let authority: String
    /// What goes before their paths; without a slash at its end.
    private let path: String

    init(_ text: String) throws(CommandFailure) {
        guard let url = RecordedURL(text), !text.utf8.contains(where: "?#@".utf8.contains) else {
            throw CommandFailure(
                "--base-url takes a server, such as http://localhost:8080 or https://host/api"
            )
        }
        (scheme, authority) = (url.scheme, url.authority)
        path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    }

    /// A target's base on this server.
    func moved(_ url: URL) -> URL? {
        URL(string: "\(scheme)://\(authority)\(path)\(url.path(percentEncoded: true))")
    }

    func move(_ request: inout PreparedRequest) {
        request.head.scheme = scheme
        request.head.authority = authority
        request.head.path = path + (request.head.path ?? "/")
    }
}
