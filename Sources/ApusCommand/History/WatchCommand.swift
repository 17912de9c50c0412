import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Sharing
import Terminal

/// `apus watch URL SESSION`: shows a session that someone else records.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a session that a colleague shares while it is recorded.",
        discussion: """
            The colleague records with --session NAME --share URL, for example apus send, run, batch \
            or chain; what was masked there stays masked. Each exchange is printed as it comes, and \
            recorded here with its bodies in a session “NAME (watched)”, which the explorer shows \
            while it grows. The server keeps the last 1,000 exchanges, for a week.

            Both need the key of the team, in the environment variable TEAM_KEY unless --team-key \
            names another.

            Examples:
              apus run --session checkout --share redis://10.0.0.5/0
              apus watch redis://10.0.0.5/0 checkout

            Exit status: 0 --count exchanges were seen, 2 the server or the key cannot be used.
            """
    )

    @Argument(help: ArgumentHelp("The server: redis://host:port/db.", valueName: "url"))
    var url: String

    @Argument(help: ArgumentHelp("The session's name there.", valueName: "session"))
    var session: String

    @Flag(help: "Leave out what was shared before. Default: from the beginning.")
    var now = false

    @Option(help: "End after this many exchanges. Default: when it is interrupted.")
    var count: Int?

    @OptionGroup var team: TeamKeyOptions

    @Flag(help: "Print lines of JSON: version (1) and what `apus sessions show --json` has.")
    var json = false

    func validate() throws {
        if session.isEmpty { throw ValidationError("The session has a name.") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more.") }
    }

    func run() throws {
        let stream = try team.stream(named: session, at: url)
        let (session, fromNow, limit, isJSON) = (session, now, count, json)
        let name = "\(session) (watched)"
        try HistoryWork.run(ofDemo: false) { history in
            let id = try await history.beginSession(named: name)
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

    /// The stream of a session.
    ///
    /// - Throws: `CommandError` if the address or the key cannot be used.
    func stream(named name: String, at url: String) throws -> SessionStream {
        let (address, key) = try server(url)
        return SessionStream(named: name, at: address, key: key)
    }

    /// The address of a server, and the team's key.
    ///
    /// - Throws: `CommandError` if one of them cannot be used.
    func server(_ url: String) throws -> (address: RedisAddress, key: TeamKey) {
        let variable = teamKey ?? "TEAM_KEY"
        guard let word = ProcessInfo.processInfo.environment[variable], !word.isEmpty else {
            throw CommandError(
                "the environment variable \(variable) is not set: it has the key that the team signs with"
            )
        }
        do throws(RedisFault) {
            return (try RedisAddress(url), try TeamKey(word))
        } catch {
            throw CommandError("\(error)")
        }
    }
}
