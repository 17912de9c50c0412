import Apus
import ArgumentParser
import Documents
import Glibc
import HTTPTypes
import Terminal

/// Prints a response as the arguments say.
///
/// A file or a pipe gets the body, byte for byte. On a terminal JSON is indented, and control characters from the
/// server are made visible.
struct ResponsePrinter {
    let arguments: OutputArguments
    /// Whether standard output is a terminal.
    var isTerminal = StandardOutput.isTerminal

    /// How a body is written to standard output while it arrives.
    var content: StandardOutput.Content {
        isTerminal && arguments.output == nil ? .text : .bytes(force: arguments.force)
    }

    /// Prints the head and the trailers, if wanted, and the body; a response that is not accepted replaces no file.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - isAccepted: Whether it may replace a file.
    ///   - stream: What was printed of it while it arrived, which is not printed again.
    /// - Throws: Output errors, and `ApusError` if the body cannot be read.
    func print(_ response: Response, isAccepted: Bool, after stream: ResponseStream.Written) throws
    {
        if !stream.hasHead { try printHead(response.head, response.shownMetrics) }
        if !stream.hasBody { try printBody(of: response, isAccepted: isAccepted) }
        try printTrailers(of: response)
    }

    /// Prints the status and the fields, if wanted, after the interim responses.
    func printHead(_ head: HTTPResponse, _ metrics: TransferMetrics?) throws {
        guard arguments.include else { return }
        var output = StandardOutput(.text)
        for interim in metrics?.interimResponses ?? [] {
            try output.write(Self.bytes(of: interim, version: metrics?.negotiatedVersion))
        }
        try output.write(
            Self.bytes(
                of: head,
                version: metrics?.negotiatedVersion,
                lines: metrics?.malformedHeaderLines ?? []
            )
        )
        try output.flush()
    }

    /// Prints the lines after the body, if wanted, each on a line of its own.
    private func printTrailers(of response: Response) throws {
        let lines = response.shownMetrics?.trailers ?? []
        guard arguments.include, !lines.isEmpty else { return }
        var output = StandardOutput(.text)
        if !isTerminal, !arguments.writesFile, !response.body.isEmpty { try output.write("\r\n") }
        for line in lines { try output.write("\(line)\r\n") }
        try output.flush()
    }

    private func printBody(of response: Response, isAccepted: Bool) throws {
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

    /// Prints the response as a JSON object: version, request, `ResponseJSON` and timings.
    ///
    /// - Throws: `ApusError` if the body cannot be read, after printing it as an object; output errors.
    func printJSON(_ response: Response, after duration: Duration) throws {
        let members: ResponseJSON.Members = [
            ("version", 1),
            ("request", response.request.line.json),
        ]
        var object: ResponseObject
        do throws(ApusError) {
            object = members + (try ResponseJSON.members(of: response))
        } catch {
            try printJSON(error)
            throw error
        }
        object.append("timings", ResponseJSON.timings(of: response, total: duration))
        try OutputLine.print(object)
    }

    /// Prints a failure as an object.
    func printJSON(_ error: ApusError) throws {
        var object = ResponseObject([("version", 1)])
        let failure = FailureJSON.object(of: error, message: error.commandMessage)
        object.append("error", .object(failure))
        try OutputLine.print(object)
    }

    /// Prints the wire trace on standard error, without the entries that were printed, and what is known of TLS.
    func printTrace(_ response: Response?, after count: Int, _ error: ApusError? = nil) {
        printTrace(response?.metrics?.trace.dropFirst(count) ?? [])
        for text in response?.withheldTexts ?? [] { StandardError.write("* \(text)") }
        guard arguments.verbose else { return }
        let lines =
            error?.refusedConnection.map { TLSJSON.lines(of: $0.tls, $0.certificates) }
            ?? response?.metrics.flatMap { metrics in
                metrics.tls.map { TLSJSON.lines(of: $0, metrics.certificates) }
            }
        for text in lines ?? [] { StandardError.write("* \(text)") }
    }

    /// Prints entries of the wire trace on standard error.
    func printTrace(_ entries: some Sequence<WireTraceEntry>) {
        for entry in entries {
            let sign =
                switch entry.kind {
                case .remark: "*"
                case .headerOut: ">"
                case .headerIn: "<"
                }
            StandardError.write("\(sign) \(entry.text)")
        }
    }

    // MARK: the head

    /// A head as it is on the wire; `lines` are those that are not fields.
    private static func bytes(
        of head: HTTPResponse,
        version: String?,
        lines: [String] = []
    ) -> [UInt8] {
        let reason = head.status.reasonPhrase
        var bytes = Array(
            "HTTP/\(version ?? "1.1") \(head.status.code)\(reason.isEmpty ? "" : " " + reason)\r\n"
                .utf8
        )
        for field in head.headerFields {
            bytes += Array("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += [0x0D, 0x0A]
        }
        for line in lines { bytes += Array("\(line)\r\n".utf8) }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: the body

    /// Longer bodies are not indented, because their trees would take many times their size.
    static let indentedLimit = 64 << 20

    /// Prints the body for people, ending with a line end.
    static func printText(of body: ResponseBody) throws {
        guard !body.isEmpty else { return }
        guard try isForPeople(body) else {
            return try StandardOutput.print(
                "(\(Readable.bytes(body.count)) of binary data; use -o FILE to save it)"
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

    /// The body's tree; nil unless it is a valid JSON object or array within the limit.
    private static func json(of body: ResponseBody) throws -> Document? {
        guard body.count <= indentedLimit else { return nil }
        let document = Document.parse(try body.documentBytes())
        guard document.fault == nil else { return nil }
        let kind = JSON(document: document).kind
        return kind == .object || kind == .array ? document : nil
    }
}

/// What is printed of a response.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the body to a file, once it is complete; until then the file is not changed.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "With -o -: print control characters even to a terminal.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print the status and the header fields before the body.")
    var include = false

    @Flag(name: .shortAndLong, help: "Show what goes over the wire, on standard error.")
    var verbose = false

    @Flag(help: "Print the whole response as a JSON object instead of the body.")
    var json = false

    @Flag(help: "Exit with 1 if the status is 400 or more; then -o FILE is not changed.")
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
    /// What was measured of this response; nil for a stored one, whose trailers and interim responses are old.
    var shownMetrics: TransferMetrics? { source.cacheHit == nil ? metrics : nil }

    /// What stands in for the server's response, and why; nil if the server answered.
    var serverFailureText: String? {
        guard let serverFailure else { return nil }
        let what = source == .gateway ? "a 504 from the cache" : "from the cache"
        return "\(what): \(serverFailure.workspaceMessage)"
    }
}

/// A cached response whose file is damaged, which shows only when it is read to its end.
enum DamagedResponse {
    /// Calls `print`; if that finds damage, removes the entry and throws an error that says so.
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
            throw CommandError(
                "the cached response is damaged on disk, so what was printed is wrong; "
                    + (isRemoved
                        ? "it has been removed from the cache: send the request again"
                        : "`apus cache clear` removes it")
            )
        }
    }
}
