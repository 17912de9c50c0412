import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// `apus sessions import PATH`: makes a session from a HAR file or a folder of text files.
struct SessionsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a session from a HAR file, or from a folder that export has written.",
        discussion: """
            HAR files of Chrome, Firefox, Safari, mitmproxy and others are read. Entries that are \
            not HTTP (data:, blob:, extensions) and WebSocket messages are left out, with a \
            remark; so are entries and files that cannot be read, with their number or name, the \
            place and the reason. A HAR file is held in memory, about 1.1 times its size if it is bodies.

            Values whose name marks them as secret (Authorization, Cookie, tokens in JSON and \
            queries …) are masked as in recordings; --keep-secrets keeps them.

            Prints the session's name and how many exchanges it has; with --json {"version": 1, "session": \
            name, "exchanges": n, "remarks": [text, …]}.

            Examples:
              apus sessions import ~/Downloads/shop.example.har
              apus sessions import Tests/Fixtures/checkout --session expected
              apus replay expected --base-url http://localhost:8080

            Exit status: 0 imported, 2 none of it can be read, or a session of that name exists.
            """
    )

    @Argument(help: "The HAR file, - for standard input, or the folder.", completion: .file())
    var path: String

    @Option(
        help: ArgumentHelp(
            "The session's name. Default: the exported session's name, or else the file's.",
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Do not mask secrets.")
    var keepSecrets = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if session?.isEmpty == true { throw ValidationError("--session takes a name.") }
    }

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        guard path == "-" else { return try importSession(from: path) }
        do {
            try importSession(from: "/dev/stdin")
        } catch let fault as SessionFileError {
            throw SessionFileError("standard input", at: fault.place, fault.detail)
        }
    }

    private func importSession(from path: String) throws {
        let (name, isJSON) = (session, json)
        // Read while ctrl-c still ends the program at once, because a pipe may never end.
        let source = try SessionSource(path)
        try HistoryWork.run(ofDemo: choice.demo, keepsSecrets: keepSecrets) { history in
            let imported = try await history.importSession(from: source, named: name) { name in
                SessionFileError(
                    path,
                    "a session “\(name)” already exists; use --session to import it under another name"
                )
            }
            try Self.report(imported, asJSON: isJSON)
            return 0
        }
    }
    /// Prints what is in the history now, and what was left out.
    static func report(_ imported: ImportedSession, asJSON isJSON: Bool) throws {
        if !isJSON { for remark in imported.remarks { StandardError.write("apus: \(remark)") } }
        try StandardOutput.print(
            asJSON: isJSON,
            JSON(members: [
                ("version", 1), ("session", JSON(imported.name)),
                ("exchanges", JSON(imported.count)),
                ("remarks", JSON(imported.remarks.map { JSON($0) })),
            ]),
            or: ["\(imported.name): \(ExchangeTable.count(imported.count))"]
        )
    }
}
