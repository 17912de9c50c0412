import ArgumentParser
import Documents
import Recordings

/// `apus sessions note NUMBER TEXT`: puts a note on an exchange.
struct SessionsNoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Put a note on an exchange; an empty text removes it.",
        discussion: """
            With --json {"version": 1, "number": n, "note": text or null}.

            Examples:
              apus sessions note 17 'the first that failed'
              apus sessions search note:first

            Exit status: 0 success, 1 no such exchange.
            """
    )

    @Argument(help: "The exchange's number, as `apus sessions show` prints it.")
    var number: Int64

    @Argument(help: "The note.")
    var text: String

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let (number, text, isJSON) = (number, text, json)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            let note = text.isEmpty ? nil : text
            guard try await history.note(note, on: number) else {
                return ExchangeTable.tellNone(number)
            }
            let json = JSON(members: [
                ("version", 1), ("number", JSON(number)), ("note", note.map { JSON($0) } ?? .null),
            ])
            try StandardOutput.print(asJSON: isJSON, json, or: [])
            return 0
        }
    }
}

/// `apus sessions delete NAME`: deletes sessions or exchanges.
struct SessionsDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a session with its exchanges, or single exchanges.",
        discussion: """
            Prints how many exchanges were deleted; with --json {"version": 1, "deleted": n}.

            Examples:
              apus sessions delete checkout-bug
              apus sessions delete --exchange 17 18

            Exit status: 0 deleted, 1 no such exchange, 2 no such session.
            """
    )

    @Argument(
        help: "The session's name; all sessions of that name are deleted.",
        completion: WorkspaceCompletions.sessions
    )
    var name: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Delete these exchanges.", valueName: "number")
    )
    var exchange: [Int64] = []

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (name != nil) != !exchange.isEmpty else {
            throw ValidationError("Say what to delete: a session's name, or --exchange NUMBER.")
        }
    }

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let (name, exchanges, isJSON) = (name, exchange, json)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            var count = 0
            if let name {
                try await history.requireSession(named: name)
                for session in try await history.sessions() where session.name == name {
                    try await history.delete(session.id)
                    count += session.count
                }
            } else {
                count = try await history.delete(exchanges)
                if count == 0, !isJSON {
                    for number in exchanges { _ = ExchangeTable.tellNone(number) }
                    return ExitStatus.negative
                }
            }
            let json = JSON(members: [("version", 1), ("deleted", JSON(count))])
            let text = "\(ExchangeTable.count(count)) deleted"
            try StandardOutput.print(asJSON: isJSON, json, or: [text])
            return name == nil && count == 0 ? ExitStatus.negative : 0
        }
    }
}

/// `apus sessions compact`: frees disk space.
struct SessionsCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Remove what exceeds the history's limits, and free its disk space.",
        discussion: """
            Prints how many exchanges were removed and how many bytes were freed on disk; with --json \
            {"version": 1, "removed": n, "freed": bytes}. Named sessions are kept.

            Example: apus sessions compact
            """
    )

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let isJSON = json
        try HistoryWork.run(ofDemo: choice.demo) { history in
            let compaction = try await history.compact()
            let json = JSON(members: [
                ("version", 1), ("removed", JSON(compaction.removed)),
                ("freed", JSON(compaction.freed)),
            ])
            let text =
                "\(ExchangeTable.count(compaction.removed)) removed, "
                + "\(Readable.bytes(compaction.freed)) freed"
            try StandardOutput.print(asJSON: isJSON, json, or: [text])
            return 0
        }
    }
}
