import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// `apus sessions show [SESSION]`: lists exchanges, or shows one in full.
struct SessionsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Show recorded exchanges, newest first, or one exchange with its fields and bodies.",
        discussion: """
            Each line has the number, time, environment, status, source of the response, duration, \
            body size and request, and then the error if there was one.

            --json prints one object: version (1) and exchanges [{number, started, session, \
            target, workspace, environment, run, place, step, method, url, status, error {reason, \
            message}, source, milliseconds, size, attempts, marked, note}, …]; unknown values are \
            null. With --exchange it has these members, request {method, url, headers, body or \
            bodyBase64} and, if there is a response, its members (apus help send), complete, \
            unkeptSize and unkeptDigest (bytes and SHA-256 of a body that was too large, or cannot be \
            fetched), and variables (the workspace variables used in the request).

            Secrets are ••••••; in a session ••1, ••2 and so on, the same number for the same secret.

            Examples:
              apus sessions show
              apus sessions show checkout-bug --limit 20
              apus sessions show --exchange 17 --json

            Exit status: 0 shown, 1 nothing found, 2 no such session.
            """
    )

    @Argument(
        help: "A session's name. Default: the whole history.",
        completion: WorkspaceCompletions.sessions
    )
    var session: String?

    @OptionGroup var output: ExchangeListOptions

    @Option(
        help: ArgumentHelp("Show everything recorded of this exchange.", valueName: "number")
    )
    var exchange: Int64?

    func validate() throws {
        if exchange != nil, session != nil {
            throw ValidationError("Name a session or an exchange, not both.")
        }
    }

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let (name, number, output) = (session, exchange, output)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            if let number {
                guard let whole = try await history.fetchedExchange(number) else {
                    return ExchangeTable.tellNone(number)
                }
                for damage in whole.damage {
                    StandardError.write("apus: exchange \(number): \(damage)")
                }
                let name = try await history.sessionNames()[whole.exchange.session]
                let printer = ExchangePrinter(whole: whole, session: name)
                if output.json { try printer.printJSON() } else { try printer.print() }
                return 0
            }
            var filter = HistoryFilter()
            if let name {
                try await history.requireSession(named: name)
                filter.sessions = [name]
            }
            return try await output.print(filter, of: history)
        }
    }
}

/// `apus sessions search FILTER…`: lists the exchanges that match a filter.
struct SessionsSearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search the recorded exchanges, newest first.",
        discussion: """
            All terms must match; only of several status:, method:, source: or session: terms, one is \
            enough. Capital letters count in session names only. A value with spaces goes in quotation \
            marks.
              status:404 status:5xx status:400-499   that status; status:error: no response
              method:post                            that method
              host: target: env: workspace: url:     contain this text
              source:cache source:server …           where the response came from; also memory, disk, \
            gateway, stub, replay, synthetic
              after:yesterday before:15:30           times: 2026-11-23, 2026-11-23T15:30, 15:30, today, \
            yesterday, and ago: 30m, 2h, 7d
              session:NAME is:marked is:noted        of this session, with a mark, with a note
              body:TEXT note:TEXT                    a body, a note with this text
              anything else                          a text anywhere: method, URL, fields, bodies, \
            error, note

            Lines and --json are those of `apus sessions show`.

            Examples:
              apus sessions search status:5xx method:post after:yesterday
              apus sessions search 'body:"out of stock"' --session checkout-bug --json

            Exit status: 0 found, 1 nothing found, 2 wrong usage, or no such session.
            """
    )

    @Argument(help: "What to look for.")
    var filter: [String]

    @Option(help: ArgumentHelp("Look in the session of this name only.", valueName: "name"))
    var session: String?

    @OptionGroup var output: ExchangeListOptions

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        var read = try HistoryFilter.parsing(filter.joined(separator: " "))
        if let session { read.sessions.append(session) }
        let (name, filter, output) = (session, read, output)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            if let name { try await history.requireSession(named: name) }
            let status = try await output.print(filter, of: history)
            if case let count = try await history.unsearchedCount(filter), count > 0 {
                let bodies = count == 1 ? "1 body is" : "\(count) bodies are"
                StandardError.write(
                    "apus: \(bodies) still in a bucket and not searched; to export the session gets them"
                )
            }
            return status
        }
    }
}

/// How exchanges are listed.
struct ExchangeListOptions: ParsableArguments {
    @Option(help: "The maximum number of exchanges.")
    var limit = 100

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 1000000.")
        }
    }

    /// Prints the exchanges that match a filter; returns the exit status.
    func print(_ filter: HistoryFilter, of history: History) async throws -> Int32 {
        let exchanges = try await history.exchanges(matching: filter, limit: limit)
        let errors = try await history.errorTexts(of: exchanges)
        let names = try await history.sessionNames()
        try StandardOutput.print(
            asJSON: json,
            JSON(members: [
                ("version", 1),
                (
                    "exchanges",
                    JSON(
                        exchanges.map { exchange in
                            JSON(
                                members: ExchangeJSON.members(
                                    of: exchange,
                                    session: names[exchange.session],
                                    error: errors[exchange.id]
                                )
                            )
                        }
                    )
                ),
            ]),
            or: ExchangeTable(exchanges, errors: errors, now: Date()).lines
        )
        guard exchanges.isEmpty else { return 0 }
        if !json { StandardError.write("apus: nothing found") }
        return ExitStatus.negative
    }
}

extension History {
    /// The names of the sessions by their ids.
    func sessionNames() async throws -> [RecordedSession.ID?: String] {
        Dictionary(try await sessions().map { ($0.id, $0.name) }) { $1 }
    }
}
