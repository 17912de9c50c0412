import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// `apus sessions show [SESSION]`: exchanges in lines, or one of them whole.
struct SessionsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what was sent, newest first, or one exchange with its fields and bodies.",
        discussion: """
            A line is the exchange's number, its time, environment, status, where the answer came from, \
            how long it took, the size of the body, and the request; behind it what went wrong.

            --json prints one object: version (1) and exchanges [{number, started, session, target, \
            workspace, environment, run, place, step, method, url, status, error {reason, message}, \
            source, milliseconds, size, attempts, marked, note}, …]; what is not known is null. With \
            --exchange it is those members, request {method, url, headers, body or bodyBase64} and, if \
            there is an answer, those of one (apus help send), complete, unkeptSize and unkeptDigest \
            (bytes and SHA-256 of a body that was too large), and variables, those of the workspace that the request was made of.

            Secrets are ••••••; in a session ••1, ••2 and so on, the same number for the same secret.

            Examples:
              apus sessions show
              apus sessions show checkout-bug --limit 20
              apus sessions show --exchange 17 --json

            Exit status: 0 shown, 1 there is nothing, 2 there is no such session.
            """
    )

    @Argument(help: "A session's name. Default: all that was sent.")
    var session: String?

    @OptionGroup var output: ExchangeListOptions

    @Option(
        help: ArgumentHelp("Show this exchange, with all that is kept of it.", valueName: "number")
    )
    var exchange: Int64?

    func validate() throws {
        if exchange != nil, session != nil {
            throw ValidationError("Name a session or an exchange, not both.")
        }
    }

    func run() throws {
        let (name, number, output) = (session, exchange, output)
        try HistoryWork.run { history in
            if let number {
                guard let whole = try await history.exchange(number) else {
                    return ExchangeTable.tellNone(number)
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

/// `apus sessions search FILTER…`: the exchanges that a filter lets pass.
struct SessionsSearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find what was sent, newest first.",
        discussion: """
            All terms must pass; capital letters do not count. What has blanks stands in quotation marks.
              status:404 status:5xx status:400-499   that status; status:error: no answer
              method:post                            that method
              host: target: env: workspace: url:     what has the text in it
              source:cache source:server …           where the answer came from; also memory, disk, \
            gateway, stub, replay
              after:yesterday before:15:30           times: 2026-11-23, 2026-11-23T15:30, 15:30, today, \
            yesterday, and ago: 30m, 2h, 7d
              session:NAME is:marked is:noted        those
              body:TEXT note:TEXT                    a body, a note with the text
              anything else                          a text anywhere: method, URL, fields, bodies, \
            error, note

            Lines and --json are those of `apus sessions show`.

            Examples:
              apus sessions search status:5xx method:post after:yesterday
              apus sessions search 'body:"out of stock"' --session checkout-bug --json

            Exit status: 0 found, 1 nothing found, 2 usage, or there is no such session.
            """
    )

    @Argument(help: "What to look for.")
    var filter: [String]

    @Option(help: ArgumentHelp("Look in the session of this name only.", valueName: "name"))
    var session: String?

    @OptionGroup var output: ExchangeListOptions

    func run() throws {
        var read: HistoryFilter
        do throws(HistoryFilter.Fault) {
            read = try HistoryFilter(filter.joined(separator: " "))
        } catch {
            throw CommandFailure(error.description)
        }
        if let session { read.sessions.append(session) }
        let (name, filter, output) = (session, read, output)
        try HistoryWork.run { history in
            if let name { try await history.requireSession(named: name) }
            return try await output.print(filter, of: history)
        }
    }
}

/// How exchanges are listed.
struct ExchangeListOptions: ParsableArguments {
    @Option(help: "How many at most.")
    var limit = 100

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 1000000.")
        }
    }

    /// Prints what a filter lets pass; the exit status.
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
    /// The names of the sessions.
    func sessionNames() async throws -> [RecordedSession.ID?: String] {
        Dictionary(try await sessions().map { ($0.id, $0.name) }) { $1 }
    }
}
