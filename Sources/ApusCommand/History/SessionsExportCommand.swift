import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import Recordings
import Terminal

/// `apus sessions export SESSION`: writes a session as a HAR file or a folder of text files.
struct SessionsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write a session as a HAR file, or as a folder of text files for version control.",
        discussion: """
            HAR files (1.2) can be opened in browser developer tools and proxies. Redirects are \
            separate entries, bodies that are not text are in Base64, and what HAR has no name for \
            is in _apus. Certificates and wire traces are left out.

            A folder has a text file for each exchange, such as 001-get-users-7.txt, and \
            session.txt with the session's name. Lines of the request begin with >, those of the \
            response with <: fields, an empty line, the body. Compact JSON is split into lines (>~ \
            JSON). A body that is long or not text is in a file of its own (<@ \
            002-get-logo.response.png). Then come the target, environment, note and so on, and last \
            what differs on every run: time, duration, source. Importing the folder gives the same \
            session, byte for byte.

              GET https://api.example.com/users/7
              > Authorization: ••••••

              HTTP/2 200 OK
              < Content-Type: application/json
              <
              < {"id": 7, "name": "Ada"}

              target: Users/Show user
              started: 2026-11-23T15:22:36.120Z

            Secrets stay masked as they are in the history.

            Examples:
              apus sessions export checkout-bug -o bug.har
              apus sessions export checkout-bug -o Tests/Fixtures/checkout
              apus sessions export checkout-bug --only status:5xx | jq .log.entries[].time

            Exit status: 0 written, 2 no such session, or it cannot be written.
            """
    )

    @Argument(help: "The session's name.", completion: WorkspaceCompletions.sessions)
    var session: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file, or the folder. Default: -, a HAR file to standard output.",
            valueName: "path"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        help: """
            The format. Default: har for a path that ends in .har, folder for one without an \
            ending.
            """
    )
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "Only exchanges that match this filter (apus help sessions search).",
            valueName: "filter"
        )
    )
    var only: String?

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, folder
    }

    func validate() throws {
        if output == nil || output == "-", format == .folder {
            throw ValidationError("A folder needs -o PATH.")
        }
        if output?.isEmpty == true { throw ValidationError("-o takes a path.") }
        if let output, wanted == nil {
            throw ValidationError(
                "“\(output)” could be a HAR file or a folder: add --format har or --format folder."
            )
        }
    }

    private var wanted: Format? {
        guard format == nil, let output, output != "-" else { return format ?? .har }
        let name = output.split(separator: "/").last ?? ""
        if name.lowercased().hasSuffix(".har") { return .har }
        return name.contains(".") && !SessionFolder.isFolder(output) ? nil : .folder
    }

    /// Says what is left out of the file, because it is damaged.
    private static func tellDamage(_ exchange: RecordedExchange.ID, _ damage: String) {
        StandardError.write("apus: exchange \(exchange): \(damage)")
    }

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        var filter = try HistoryFilter.parsing(only ?? "")
        filter.sessions = [session]
        let path = output == "-" ? nil : output
        let (name, format, read) = (session, wanted, filter)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            try await history.requireSession(named: name)
            let exchanges = try await history.all(matching: read)
            if let path, format == .folder {
                try await history.export(
                    exchanges,
                    of: name,
                    toFolder: path,
                    damaged: Self.tellDamage
                )
                return 0
            }
            guard let path else {
                var output = StandardOutput(.json)
                try await history.exportHAR(
                    exchanges,
                    of: name,
                    creator: Version.text,
                    to: { try output.write($0) },
                    damaged: Self.tellDamage
                )
                try output.flush()
                return 0
            }
            let draft = try UnnamedFile()
            try await history.exportHAR(
                exchanges,
                of: name,
                creator: Version.text,
                to: { try draft.write($0) },
                damaged: Self.tellDamage
            )
            let file = OutputFile(path: path, content: .json, isPrivate: true)
            try file.write { try draft.copy(to: &$0) }
            return 0
        }
    }
}
