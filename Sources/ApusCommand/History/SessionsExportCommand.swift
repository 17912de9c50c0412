import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import Recordings
import Terminal

/// `apus sessions export SESSION`: a session as a HAR file or a folder of text files.
struct SessionsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write a session as a HAR file, or as a folder of text files for version control.",
        discussion: """
            A HAR file (1.2) is read by browsers' tools and proxies. Redirects are entries of their own, \
            bodies that are no text are in Base64, what HAR has no name for is in _apus. Certificates and \
            wire traces are left out.

            A folder has a text file for each exchange, 001-get-users-7.txt, and session.txt with the \
            session's name. In a file lines of the request begin with >, those of the answer with <: \
            fields, an empty one, the body. JSON without blanks is shown in lines (>~ JSON); a body that is \
            long or no text is a file beside it (<@ 002-get-logo.answer.png). At the end are target, \
            environment, note and the like, and last what is another each time: when, how long, from \
            where. Imported again it is the same session, to the byte.

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

            Exit status: 0 written, 2 there is no such session, or it cannot be written.
            """
    )

    @Argument(help: "The session's name.")
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

    @Option(help: "What is written. Default: by the path's ending, .har or none.")
    var format: Format?

    @Option(
        help: ArgumentHelp("Only what this lets pass (apus sessions search).", valueName: "filter")
    )
    var only: String?

    /// What a session is written as.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, folder
    }

    func validate() throws {
        if output == nil || output == "-", format == .folder {
            throw ValidationError("Say where the folder is to be: -o PATH.")
        }
        if output?.isEmpty == true { throw ValidationError("-o takes a path.") }
        if let output, wanted == nil {
            throw ValidationError("Say what “\(output)” is to be: --format har or --format folder.")
        }
    }

    private var wanted: Format? {
        guard format == nil, let output, output != "-" else { return format ?? .har }
        let name = output.split(separator: "/").last ?? ""
        if name.lowercased().hasSuffix(".har") { return .har }
        return name.contains(".") && !SessionFolder.isFolder(output) ? nil : .folder
    }

    func run() throws {
        var filter: HistoryFilter
        do throws(HistoryFilter.Fault) {
            filter = try HistoryFilter(only ?? "")
        } catch {
            throw CommandFailure(error.description)
        }
        filter.sessions = [session]
        let path = output == "-" ? nil : output
        let (name, format, read) = (session, wanted, filter)
        try HistoryWork.run { history in
            try await history.requireSession(named: name)
            let exchanges = try await history.all(matching: read)
            if let path, format == .folder {
                try await history.export(exchanges, of: name, toFolder: path)
                return 0
            }
            guard let path else {
                var output = StandardOutput(.json)
                try await history.exportHAR(exchanges, of: name, creator: Version.text) {
                    try output.write($0)
                }
                try output.flush()
                return 0
            }
            let draft = try Draft()
            try await history.exportHAR(exchanges, of: name, creator: Version.text) {
                try draft.write($0)
            }
            try draft.copy(to: OutputFile(path: path, content: .json))
            return 0
        }
    }
}

/// A file without a name, for what is made bit by bit before its place is taken.
private struct Draft: ~Copyable {
    private let descriptor: Int32

    init() throws(CommandFailure) {
        var name = Array("\(FileManager.default.temporaryDirectory.path)/apus-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            throw CommandFailure("no temporary file can be made: \(systemMessage(errno))")
        }
        unlink(name)
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws {
        let code = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: descriptor) }
        guard code == 0 else { throw CommandFailure(writing: "a temporary file", code) }
    }

    func copy(to file: OutputFile) throws {
        lseek(descriptor, 0, SEEK_SET)
        try file.write { try FileCopy.copy(descriptor, named: "a temporary file", to: &$0) }
    }
}
