import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import SessionBuckets
import Terminal

/// `apus sessions`: works with recorded requests and responses.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract:
            "List, show, search, share, export, import, annotate and delete recorded requests.",
        discussion: """
            The history records what the explorer and `apus send`, `batch`, `chain`, `replay` and \
            `proxy` send, and also `pipe --session` and `serve --fallback`. It is in \
            $XDG_DATA_HOME/apus/history.sqlite or ~/.local/share/apus/history.sqlite. Secrets are \
            masked unless --keep-secrets is given. It keeps at most 10,000 exchanges, 2 GiB and 90 \
            days; what was sent with --session NAME is kept until that session is deleted.

            Examples:
              apus send https://example.com/ --session checkout-bug
              apus sessions show checkout-bug
              apus sessions search status:5xx after:yesterday
              apus sessions show --exchange 17
              apus sessions export checkout-bug -o Fixtures/checkout
              apus sessions list --demo
              apus replay checkout-bug --base-url http://localhost:8080
            """,
        subcommands: [
            SessionsListCommand.self, SessionsShowCommand.self, SessionsSearchCommand.self,
            SessionsExportCommand.self, SessionsImportCommand.self, SessionsPushCommand.self,
            SessionsPullCommand.self, SessionsNoteCommand.self,
            SessionsDeleteCommand.self, SessionsCompactCommand.self,
        ],
        defaultSubcommand: SessionsListCommand.self
    )
}

/// `apus sessions list`: lists the named sessions.
struct SessionsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "List the named sessions, newest first, and the size of the history; or those in a bucket.",
        discussion: """
            Each line has the name, the start, the number of exchanges and the note.

            With an address it lists the sessions that were pushed there: name, when, the number of exchanges, size. \
            \(BucketOptions.discussion)

            --json prints one object: version (1), sessions [{name, started, ended, exchanges, \
            note}, …], exchanges and size (bytes on disk) of the whole history; times are ISO \
            8601, ended is null while the session is being recorded. With an address: sessions [{name, pushed, \
            exchanges, size}, …].

            Examples:
              apus sessions list --json
              apus sessions list s3://acme-apus/team
            """
    )

    @Argument(help: "A bucket whose sessions are listed: s3://BUCKET/PREFIX.")
    var address: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var bucket: BucketOptions
    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let isJSON = json
        if let address {
            let address = try bucket.address(address)
            return try CommandRun.untilEnd {
                try Self.report(try await SharedSessions(address).list(), asJSON: isJSON)
                return 0
            }
        }
        try HistoryWork.run(ofDemo: choice.demo) { history in
            let sessions = try await history.sessions()
            let usage = try await history.usage()
            try StandardOutput.print(
                asJSON: isJSON,
                JSON(members: [
                    ("version", 1), ("sessions", JSON(sessions.map(Self.json))),
                    ("exchanges", JSON(usage.exchanges)), ("size", JSON(usage.size)),
                ]),
                or: Self.lines(sessions) + [
                    "\(ExchangeTable.count(usage.exchanges)) in all, "
                        + "\(Readable.bytes(usage.size)) on disk"
                ]
            )
            return 0
        }
    }

    /// Prints the sessions of a bucket.
    private static func report(_ entries: [SharedSessions.Entry], asJSON isJSON: Bool) throws {
        let count = entries.count == 1 ? "1 session" : "\(entries.count) sessions"
        try StandardOutput.print(
            asJSON: isJSON,
            JSON(members: [
                ("version", 1),
                (
                    "sessions",
                    JSON(
                        entries.map { entry in
                            JSON(members: [
                                ("name", JSON(entry.name)), ("pushed", JSON(entry.modified)),
                                ("exchanges", entry.exchanges.map { JSON($0) } ?? .null),
                                ("size", entry.size.map { JSON($0) } ?? .null),
                            ])
                        }
                    )
                ),
            ]),
            or: AlignedColumns.lines(
                entries.map {
                    [$0.name, $0.modified, $0.exchanges.map(ExchangeTable.count) ?? "?"]
                },
                endingWith: entries.map { $0.size.map(Readable.bytes) ?? "unreadable" }
            ) + [count]
        )
    }

    private static func lines(_ sessions: [RecordedSession]) -> [String] {
        AlignedColumns.lines(
            sessions.map {
                [
                    $0.name, ExchangeTable.time($0.started, now: Date()),
                    ExchangeTable.count($0.count),
                ]
            },
            endingWith: sessions.map { $0.note ?? "" }
        )
    }

    private static func json(_ session: RecordedSession) -> JSON {
        JSON(members: [
            ("name", JSON(session.name)), ("started", ExchangeJSON.time(session.started)),
            ("ended", ExchangeJSON.time(session.ended)), ("exchanges", JSON(session.count)),
            ("note", session.note.map { JSON($0) } ?? .null),
        ])
    }
}

/// Runs a command's work on the user's history.
enum HistoryWork {
    /// Does the work, and closes the history.
    static func run(
        ofDemo: Bool = false,
        keepsSecrets: Bool = false,
        _ work: @escaping @Sendable (History) async throws -> Int32
    ) throws {
        try CommandRun.untilEnd {
            let history = History.forCommand(ofDemo: ofDemo, keepsSecrets: keepsSecrets)
            let result: Result<Int32, any Error>
            do {
                result = .success(try await work(history))
            } catch {
                // An interrupted read throws an error of its own.
                result = .failure(Task.isCancelled ? CancellationError() : error)
            }
            await history.close(takingIn: false)
            return try result.get()
        }
    }
}

extension HistoryFilter {
    /// Parses a filter on the command line.
    static func parsing(_ text: String) throws(CommandError) -> HistoryFilter {
        do throws(HistoryFilterError) {
            return try HistoryFilter(text)
        } catch {
            throw CommandError(error.description)
        }
    }
}

extension History {
    /// Checks that there is a session of this name.
    ///
    /// - Throws: `CommandError` that lists the existing names.
    func requireSession(named name: String) async throws {
        var names: [String] = []
        for session in try await sessions() where !names.contains(session.name) {
            names.append(session.name)
        }
        guard !names.contains(name) else { return }
        let few = names.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        throw CommandError(
            names.isEmpty
                ? "the history has no sessions"
                : "there is no session “\(name)”; the history has \(few)\(rest)"
        )
    }
}
