import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// `apus sessions`: what was sent, and what came back.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List, show, search, export, import, note and delete what was sent.",
        discussion: """
            What the explorer and `apus send`, `batch`, `chain`, `replay` and `proxy` send is in the \
            history, and what `pipe --session` and `serve --fallback` send, too: \
            $XDG_DATA_HOME/apus/history.sqlite or ~/.local/share/apus/history.sqlite, secrets masked \
            unless --keep-secrets is given, at most 10,000 exchanges, 2 GiB, 90 days. What was sent \
            with --session NAME stays until that session is deleted.

            Examples:
              apus send https://example.com/ --session checkout-bug
              apus sessions show checkout-bug
              apus sessions search status:5xx after:yesterday
              apus sessions show --exchange 17
              apus sessions export checkout-bug -o Fixtures/checkout
              apus replay checkout-bug --base-url http://localhost:8080
            """,
        subcommands: [
            SessionsListCommand.self, SessionsShowCommand.self, SessionsSearchCommand.self,
            SessionsExportCommand.self, SessionsImportCommand.self, SessionsNoteCommand.self,
            SessionsDeleteCommand.self, SessionsCompactCommand.self,
        ],
        defaultSubcommand: SessionsListCommand.self
    )
}

/// `apus sessions list`: the named sessions.
struct SessionsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the named sessions, newest first, and say how much the history has.",
        discussion: """
            A line is the name, when it began, how many exchanges it has, and its note.

            --json prints one object: version (1), sessions [{name, started, ended, exchanges, note}, \
            …], exchanges and size (bytes on disk) of the whole history; times are ISO 8601, ended is \
            null while it is recorded.

            Example: apus sessions list --json
            """
    )

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let isJSON = json
        try HistoryWork.run { history in
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

/// Work of a command with the user's history.
enum HistoryWork {
    /// Does it, and closes the history.
    static func run(
        keepsSecrets: Bool = false,
        _ work: @escaping @Sendable (History) async throws -> Int32
    ) throws {
        try CommandRun.untilEnd {
            let history = History.forCommand(keepsSecrets: keepsSecrets)
            let result: Result<Int32, any Error>
            do {
                result = .success(try await work(history))
            } catch {
                // A read that an interruption ended says that it failed.
                result = .failure(Task.isCancelled ? CancellationError() : error)
            }
            await history.close(takingIn: false)
            return try result.get()
        }
    }
}

extension History {
    /// Checks that there is a session of a name.
    ///
    /// - Throws: `CommandFailure` with the names that there are.
    func requireSession(named name: String) async throws {
        var names: [String] = []
        for session in try await sessions() where !names.contains(session.name) {
            names.append(session.name)
        }
        guard !names.contains(name) else { return }
        let few = names.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        throw CommandFailure(
            names.isEmpty
                ? "the history has no session"
                : "there is no session “\(name)”; there are \(few)\(rest)"
        )
    }
}
