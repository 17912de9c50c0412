import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Sharing
import Terminal

/// `apus watch URL [SESSION]`: shows a session that someone else records, or lists those that are there.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract:
            "Watch a session that a colleague shares while it is recorded, or list what is shared.",
        discussion: """
            The colleague records with --session NAME --share URL, for example apus send, run, batch \
            or chain; what was masked there stays masked. Each exchange is printed as it comes, and \
            recorded here with its bodies in a session “NAME (watched)”, which the explorer shows \
            while it grows. Watched again, it goes on in that session. The server keeps the last 1,000 \
            exchanges, for a week.

            Without a name it lists the sessions on the server: the name, the number of exchanges, \
            whether it is shared now, and how old the last exchange is. With --json one object: \
            version (1), sessions [{name, exchanges, shared, last}, …]; last is ISO 8601.

            Both need the key of the team, in the environment variable TEAM_KEY unless --team-key \
            names another.

            Examples:
              apus run --session checkout --share redis://10.0.0.5/0
              apus watch redis://10.0.0.5/0
              apus watch redis://10.0.0.5/0 checkout

            Exit status: 0 --count exchanges were seen, 2 the server or the key cannot be used.
            """
    )

    @Argument(help: ArgumentHelp("The server: redis://host:port/db.", valueName: "url"))
    var url: String

    @Argument(
        help: ArgumentHelp(
            "The session's name there. Default: list the sessions.",
            valueName: "session"
        )
    )
    var session: String?

    @Flag(help: "Leave out what was shared before. Default: from the beginning.")
    var now = false

    @Option(help: "End after this many exchanges. Default: when it is interrupted.")
    var count: Int?

    @OptionGroup var team: TeamKeyOptions

    @Flag(help: "Print lines of JSON: version (1) and what `apus sessions show --json` has.")
    var json = false

    func validate() throws {
        if session?.isEmpty == true { throw ValidationError("The session has a name.") }
        if session == nil, now || count != nil {
            throw ValidationError("--now and --count need a session.")
        }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more.") }
    }

    func run() throws {
        let server = try team.server(at: url)
        if let session { try watch(session, on: server) } else { try list(server) }
    }

    private func list(_ server: TeamServer) throws {
        let isJSON = json
        try CommandRun.untilEnd {
            let sessions: [StreamedSession]
            do throws(RedisFault) {
                sessions = try await SessionDirectory(server).sessions()
            } catch {
                throw CommandError("\(server.name) cannot be used: \(error)")
            }
            let table = SharedSessionTable(sessions, now: Date())
            try StandardOutput.print(asJSON: isJSON, table.json, or: table.lines)
            if sessions.isEmpty {
                // Another team's sessions are not seen.
                StandardError.write("apus: no session of this team is shared at \(server.name)")
            }
            return 0
        }
    }

    private func watch(_ session: String, on server: TeamServer) throws {
        let stream = server.stream(named: session)
        let (fromNow, limit, isJSON) = (now, count, json)
        let name = RecordedSession.nameOfWatched(session)
        try HistoryWork.run(ofDemo: false) { history in
            let id = try await history.session(named: name)
            // Another team's session of that name is not seen, and nothing comes before something is sent.
            StandardError.write(
                "apus: Watching “\(session)” at \(stream.address); it is recorded as “\(name)”, ctrl-c ends"
            )
            let follower = SessionFollower(stream, into: id, of: history)
            var seen = 0
            do {
                try await follower.follow(fromNow: fromNow) { event in
                    guard case .exchange(let exchange) = event else {
                        Self.report(event, stream.address)
                        return false
                    }
                    try Self.print(exchange, in: name, asJSON: isJSON)
                    seen += 1
                    return seen == limit
                }
            } catch let fault as RedisFault {
                throw CommandError("\(stream.address) cannot be used: \(fault)")
            }
            try await history.end(id)
            return 0
        }
    }

    private static func report(_ event: SessionFollower.Event, _ address: String) {
        switch event {
        case .exchange: break
        case .missed(let count):
            StandardError.write("apus: \(ExchangeTable.count(count)) gone before they were read")
        case .refused(let reason): StandardError.write("apus: Left out: \(reason)")
        case .failed(let fault): StandardError.write("apus: Waiting for \(address): \(fault)")
        case .recovered: StandardError.write("apus: \(address) is there again")
        }
    }

    private static func print(
        _ exchange: RecordedExchange,
        in session: String,
        asJSON isJSON: Bool
    ) throws {
        let members = ExchangeJSON.members(of: exchange, session: session, error: nil)
        try StandardOutput.print(
            asJSON: isJSON,
            JSON(members: [("version", 1)] + members),
            or: ExchangeTable([exchange], errors: [:], now: Date()).lines
        )
    }
}

/// The key of a team, by the environment variable that has it.
struct TeamKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The environment variable with the key that the team signs with. Default: TEAM_KEY.",
            valueName: "name"
        )
    )
    var teamKey: String?

    /// The server at an address.
    ///
    /// - Throws: `CommandError` if the address or the key cannot be used.
    func server(at url: String) throws -> TeamServer {
        let variable = teamKey ?? TeamKey.variable
        guard let word = ProcessInfo.processInfo.environment[variable], !word.isEmpty else {
            throw CommandError("\(TeamKey.missing(variable))")
        }
        do throws(RedisFault) {
            return TeamServer(try RedisAddress(url), key: try TeamKey(word))
        } catch {
            throw CommandError("\(error)")
        }
    }
}

/// The sessions on a team's server in lines with aligned columns.
private struct SharedSessionTable {
    private let sessions: [StreamedSession]
    private let now: Date

    init(_ sessions: [StreamedSession], now: Date) { (self.sessions, self.now) = (sessions, now) }

    /// A line for each session, its name at the end, because it may have spaces.
    var lines: [String] {
        let rows = sessions.map { session in
            [
                session.isShared ? "shared now" : "ended", session.countText, session.ageText,
            ]
        }
        return AlignedColumns.lines(rows, endingWith: sessions.map(\.name))
    }

    var json: JSON {
        let list = sessions.map { session in
            JSON(members: [
                ("name", JSON(session.name)), ("exchanges", JSON(session.count)),
                ("shared", JSON(session.isShared)),
                ("last", ExchangeJSON.time(session.age.map { now - $0 / .seconds(1) })),
            ])
        }
        return JSON(members: [("version", 1), ("sessions", JSON(list))])
    }
}
