import Apus
import ArgumentParser
import Documents
import Glibc
import HTTPTypes
import Terminal

/// Prints an answer as a command was asked to.
///
/// What does not go to a terminal is the body, byte for byte. On a terminal JSON is indented, and
/// nothing that a server says reaches the terminal as it came.
struct AnswerPrinter {
    let arguments: OutputArguments
    /// Whether a person reads standard output.
    var isTerminal = StandardOutput.isTerminal

    /// Prints the head, if it is wanted, and the body; one that was not accepted replaces no file.
    func print(_ response: Response, isAccepted: Bool) throws {
        if arguments.include {
            var output = StandardOutput(.text)
            try output.write(Self.head(of: response))
            try output.flush()
        }
        if arguments.writesFile, let path = arguments.output {
            if isAccepted, response.isComplete {
                let file = OutputFile(path: path, content: .bytes(force: arguments.force))
                try file.write { try FileCopy.copy(response.body, to: &$0) }
            }
        } else if isTerminal, arguments.output == nil {
            try Self.printText(of: response.body)
        } else {
            var output = StandardOutput(.bytes(force: arguments.force))
            try FileCopy.copy(response.body, to: &output)
            try output.flush()
        }
    }

    /// Prints the answer as an object: `AnswerJSON`, its version and the request.
    ///
    /// - Throws: Also what is wrong with a body that cannot be read, once that is printed as an object.
    func printJSON(_ response: Response, after duration: Duration) throws {
        let members: AnswerJSON.Members = [
            ("version", 1),
            ("request", response.request.line.json),
        ]
        var object: AnswerObject
        do throws(ApusError) {
            object = members + (try AnswerJSON.members(of: response))
        } catch {
            try printJSON(error)
            throw error
        }
        object.append("timings", AnswerJSON.timings(of: response, total: duration))
        try OutputLine.print(object)
    }

    /// Prints a failure as an object.
    func printJSON(_ error: ApusError) throws {
        var object = AnswerObject([("version", 1)])
        object.append("error", .object(FailureJSON.object(of: error)))
        try OutputLine.print(object)
    }

    /// Shows what went over the wire.
    func printTrace(_ response: Response?) {
        for entry in response?.metrics?.trace ?? [] {
            let sign =
                switch entry.kind {
                case .remark: "*"
                case .headerOut: ">"
                case .headerIn: "<"
                }
            StandardError.write("\(sign) \(entry.text)")
        }
        for text in response?.withheldTexts ?? [] { StandardError.write("* \(text)") }
    }

    // MARK: the head

    private static func head(of response: Response) -> [UInt8] {
        let version = response.metrics?.negotiatedVersion ?? "1.1"
        let reason = response.head.status.reasonPhrase
        var bytes = Array(
            "HTTP/\(version) \(response.status)\(reason.isEmpty ? "" : " " + reason)\r\n".utf8
        )
        for field in response.head.headerFields {
            bytes += Array("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: the body

    /// A longer body is not indented: its tree would take many times its size.
    private static let indentedLimit = 64 << 20

    /// Prints the body for a person, with a line end at its end.
    static func printText(of body: ResponseBody) throws {
        guard !body.isEmpty else { return }
        guard try isForPeople(body) else {
            return try StandardOutput.print(
                "(\(Readable.bytes(body.count)) of binary data; -o FILE saves it)"
            )
        }
        let json = try json(of: body)
        var output = StandardOutput(json == nil ? .text : .json)
        var last: UInt8?
        let cancellation = CancellationCheck()
        let write = { (piece: UnsafeRawBufferPointer) in
            try cancellation.check()
            last = piece.last ?? last
            try output.write(piece)
        }
        if let json {
            try DocumentWriter(.pretty).write(of: json, to: write)
        } else {
            try body.forEachPiece(of: pieceSize, write)
        }
        if last != 0x0A { try output.write("\n") }
        try output.flush()
    }

    private static let pieceSize = 1 << 18

    /// Whether a body is UTF-8 without NUL.
    private static func isForPeople(_ body: ResponseBody) throws -> Bool {
        guard try BodyText(body).isText else { return false }
        var hasNUL = false
        try body.forEachPiece(of: pieceSize) { hasNUL = hasNUL || $0.contains(0) }
        return !hasNUL
    }

    /// The body's tree, if it is whole JSON that can be put into lines.
    private static func json(of body: ResponseBody) throws -> Document? {
        guard body.count <= indentedLimit else { return nil }
        let document = Document.parse(try body.documentBytes())
        guard document.fault == nil else { return nil }
        let kind = JSON(document: document).kind
        return kind == .object || kind == .array ? document : nil
    }
}

/// What is printed of an answer.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the body to a file, once it is complete; until then the file is left alone.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "With -o -: print control characters to a terminal, too.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print the status and the header fields before the body.")
    var include = false

    @Flag(name: .shortAndLong, help: "Show what goes over the wire, on standard error.")
    var verbose = false

    @Flag(help: "Print the whole answer as a JSON object instead of the body.")
    var json = false

    @Flag(help: "Exit with 1 if the status is 400 or more; -o FILE is left alone then.")
    var fail = false

    /// Whether the body goes to a file.
    var writesFile: Bool { output.map { $0 != "-" } ?? false }

    func validate() throws {
        if json, include || output != nil {
            throw ValidationError("--json cannot be combined with --include or --output.")
        }
        if force, output == nil { throw ValidationError("--force needs --output.") }
    }
}

extension Response {
    /// What stands in for the server's answer, and why; nil for that answer.
    var serverFailureText: String? {
        guard let serverFailure else { return nil }
        let what = source == .gateway ? "a 504 of the cache" : "from the cache"
        return "\(what): \(serverFailure.message)"
    }
}

/// A cached answer whose file is not what was written, which shows when it is read to its end.
enum DamagedAnswer {
    /// Does what reads an answer; if that shows damage, its entry is removed, and the error says so.
    static func removing(
        _ key: CacheKey?,
        from cache: ResponseCache,
        after print: () throws -> Int32
    ) async throws -> Int32 {
        do {
            return try print()
        } catch let error as ApusError {
            guard case .file(_, EUCLEAN) = error.reason, let key else { throw error }
            let isRemoved = await cache.removeIfDamaged(key)
            await cache.close()
            throw CommandFailure(
                "the cached answer is damaged on disk, so what was printed is wrong; "
                    + (isRemoved
                        ? "it has been removed from the cache: send the request again"
                        : "`apus cache clear` removes it")
            )
        }
    }
}
