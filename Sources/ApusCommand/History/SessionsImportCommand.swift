import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// `apus sessions import PATH`: a session from a HAR file or a folder of text files.
struct SessionsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a session of a HAR file, or of a folder that export has written.",
        discussion: """
            HAR files of Chrome, Firefox, Safari, mitmproxy and others are read. Entries that are no HTTP \
            (data:, blob:, extensions) and the messages of WebSockets are left out, which is said. A HAR \
            file is held in memory, about 1.1 times its size if it is bodies.

            What is a secret by its name (Authorization, Cookie, tokens in JSON and queries …) is masked \
            as in what is recorded; --keep-secrets keeps it. Where something is wrong, its entry and place, \
            or its file and line are told, and nothing is imported.

            Prints the session's name and how many exchanges it has; with --json {"version": 1, "session": \
            name, "exchanges": n, "remarks": [text, …]}.

            Examples:
              apus sessions import ~/Downloads/shop.example.har
              apus sessions import Tests/Fixtures/checkout --session expected
              apus replay expected --base-url http://localhost:8080

            Exit status: 0 imported, 2 it cannot be read, or there is a session of that name.
            """
    )

    @Argument(help: "The HAR file, - for standard input, or the folder.", completion: .file())
    var path: String

    @Option(
        help: ArgumentHelp(
            "The session's name. Default: the one that it had, else that of the file.",
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Keep what is a secret by its name.")
    var keepSecrets = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if session?.isEmpty == true { throw ValidationError("--session takes a name.") }
    }

    func run() throws {
        let path = path == "-" ? "/dev/stdin" : path
        let (name, isJSON) = (session, json)
        // Before anything is held that an interruption must wait for: a pipe may never end.
        let source = try SessionSource(path)
        try HistoryWork.run(keepsSecrets: keepSecrets) { history in
            let imported = try await history.importSession(from: source, named: name) { name in
                SessionFault(
                    path,
                    "there is a session “\(name)” already; --session gives it another name"
                )
            }
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
            return 0
        }
    }
}
