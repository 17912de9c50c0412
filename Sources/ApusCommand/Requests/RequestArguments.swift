import Apus
import ArgumentParser
import FoundationEssentials
import Glibc
import HTTPTypes
import Secrets
import Workspaces

/// The parts of a request on the command line.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp(
            "The method. Default: the target's, POST with a body, else GET.",
            valueName: "method"
        )
    )
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A header field; it replaces the target's of that name. “Name:” leaves a field out, also \
            one that apus adds (Accept, User-Agent …); “Name;” sends it empty. Can be repeated.
            """,
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Option(
        name: [.customShort("d"), .customLong("data"), .customLong("data-binary")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            The body, sent byte for byte: text, @FILE, or - for standard input. Repeated values \
            are joined with &.
            """,
            valueName: "data"
        )
    )
    var data: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A JSON body: text, @FILE or -.", valueName: "json")
    )
    var jsonBody: String?

    @Option(
        name: [.customShort("F"), .customLong("form")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A part of a multipart form, as in curl: text, "quoted text", @FILE, or <FILE for its \
            contents as text; then ;type=…;filename=…;headers=… Can be repeated.
            """,
            valueName: "name=value"
        )
    )
    var form: [String] = []

    @OptionGroup var curl: CurlArguments

    @Flag(name: [.customShort("k"), .long], help: "Do not check the server's certificate.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "A file of certificates to trust instead of the system's.",
            valueName: "file"
        )
    )
    var cacert: String?

    @Option(
        help: ArgumentHelp(
            "The certificate to show to servers that ask for one: PEM, or PKCS#12 (.p12, .pfx).",
            valueName: "file"
        )
    )
    var cert: String?

    @Option(help: ArgumentHelp("The certificate's private key in PEM form.", valueName: "file"))
    var key: String?

    @Option(
        name: [.customShort("x"), .long],
        help: ArgumentHelp(
            "The proxy's URL; socks5h://host:port works too. Default: from the environment variables.",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp("Connect to this Unix socket instead of the host.", valueName: "path")
    )
    var unixSocket: String?

    @Option(
        help: ArgumentHelp(
            "The time limit for each attempt, including redirects; 0 for none.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            """
            How often to retry after temporary failures. Only requests that are safe to repeat are \
            retried.
            """,
            valueName: "times"
        )
    )
    var retry = 0

    @OptionGroup var decoding: DecodingArguments

    @Flag(exclusivity: .exclusive, help: "The HTTP version to ask for.")
    var version: Version?

    enum Version: String, EnumerableFlag {
        case http1, http2
    }

    func validate() throws {
        if let timeout, !(0...1e9).contains(timeout) {
            throw ValidationError("--timeout takes seconds, 0 or more.")
        }
        let hasData = !data.isEmpty || !curl.dataUrlencode.isEmpty
        if [jsonBody != nil, hasData, !form.isEmpty].filter(\.self).count > 1 {
            throw ValidationError("--data, --json-body and --form cannot be combined.")
        }
        let hasBody = hasData && !curl.isQuery || jsonBody != nil || !form.isEmpty
        if curl.isQuery, hasBody { throw ValidationError("-G takes --data only.") }
        if curl.isHead, hasBody {
            throw ValidationError("-I asks for no body; with -G the data goes into the query.")
        }
        try FormArgument.check(form)
        if key != nil, cert == nil { throw ValidationError("--key needs --cert.") }
        if !(0...1000).contains(retry) { throw ValidationError("--retry takes 0 to 1000.") }
        if let method, HTTPRequest.Method(method) == nil {
            throw ValidationError("“\(GivenArguments.shown(method))” is not a valid method.")
        }
        _ = try fields()
    }

    /// Sets the method of "GET https://…", and returns the URL; a single argument is returned as it is.
    mutating func setMethod(_ word: String, before url: String?) throws -> String {
        guard let url else { return word }
        // "curl https://…", whose options are mostly those of `send`.
        if word == "curl" { return url }
        guard HTTPRequest.Method(word) != nil, !word.contains(".") else {
            throw ValidationError(
                "Two arguments are a method and a URL, as in “GET https://example.com/”; "
                    + "“\(CredentialMask().masking(argument: word))” is not a method."
            )
        }
        // -X is more explicit.
        if method == nil {
            let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
            let capitals = word.uppercased()
            method = known.contains(capitals) ? capitals : word
        }
        return url
    }

    /// What is sent, with the command line's options applied.
    func applied(to subject: RequestSubject) throws -> OverridingTarget {
        var result = subject.overriding
        let fields = try fields()
        result.override(fields)
        if curl.isQuery {
            result.addedQuery = try queryText()
        } else if let task = try body() {
            result.task = task
            if !subject.isDescribed { result.method = .post }
        }
        try curl.apply(to: &result, given: fields.names)
        if let method = method.flatMap({ HTTPRequest.Method($0) }) { result.method = method }
        apply(to: &result.options)
        return result
    }

    private func apply(to options: inout TransportOptions) {
        if insecure { options.verifiesTLS = false }
        if let cacert { options.certificateAuthorityFile = cacert }
        if let cert { options.clientCertificate = ClientCertificate(file: cert, keyFile: key) }
        if let proxy { options.proxy = URLFault.trimmed(proxy) }
        if let unixSocket { options.unixSocket = unixSocket }
        if let decodes = decoding.decodesContent { options.decodesContent = decodes }
        if let timeout { options.timeout = timeout == 0 ? nil : .seconds(timeout) }
        switch version {
        case .http1: options.requestedVersion = .http1
        case .http2: options.requestedVersion = .http2
        case nil: break
        }
    }

    private func body() throws -> RequestTask? {
        if let jsonBody {
            return try BodyArgument(jsonBody).task(type: "application/json")
        }
        if !form.isEmpty { return .multipart(try FormArgument.form(form)) }
        let type = "application/x-www-form-urlencoded"
        let pieces = try pieces()
        if pieces.isEmpty { return nil }
        if pieces.count == 1 { return pieces[0].task(type: type) }
        return .data(try BodyArgument.joined(pieces, by: UInt8(ascii: "&")), type: type)
    }

    /// The pieces of `--data` and `--data-urlencode`.
    private func pieces() throws -> [BodyArgument] {
        try data.map { try BodyArgument($0) }
            + curl.encodedData().map { BodyArgument.bytes(Array($0.utf8)) }
    }

    private func queryText() throws -> String {
        let bytes = try BodyArgument.joined(pieces(), by: UInt8(ascii: "&"))
        // curl removes line ends, which a file has.
        return String(decoding: bytes.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    private func fields() throws -> FieldOverrides { try Self.fields(headers) }

    /// Parses `-H` arguments in order.
    static func fields(_ headers: [String]) throws -> FieldOverrides {
        var counted = CountedFields()
        let pairs = try headers.map { text -> (name: HTTPField.Name, field: HTTPField?) in
            // "Name;" is a field with an empty value, "Name:" removes the field.
            let isEmpty = text.last == ";" && !text.contains(":")
            let name = isEmpty ? text.dropLast() : text.prefix { $0 != ":" }
            guard isEmpty || name.count < text.count else {
                throw ValidationError(
                    "-H takes “name: value”; \(Self.lack(in: text)) has no colon."
                )
            }
            let value = isEmpty ? "" : text[name.endIndex...].dropFirst().drop { $0 == " " }
            do {
                let field = try FieldText.field(String(name), bytes: Array(value.utf8))
                try counted.append(field)
                return (field.name, isEmpty || !value.isEmpty ? field : nil)
            } catch FieldTextError.name(let name) where !Self.isLikeName(name) {
                throw ValidationError(
                    "-H takes “name: value”; what is before the colon is not a field's name."
                )
            } catch {
                throw ValidationError("\(error).")
            }
        }
        return FieldOverrides(pairs)
    }

    /// An argument without a colon, in words: it may be a token, so at most its first word is repeated.
    private static func lack(in text: String) -> String {
        let word = text.prefix { $0 != " " }
        return word.count < text.count && isLikeName(String(word)) ? "“\(word) …”" : "one of them"
    }

    /// Whether a text has only what names of fields have, and no digits, as tokens do.
    private static func isLikeName(_ text: String) -> Bool {
        text.count <= 40 && text.allSatisfy { $0.isASCII && ($0.isLetter || "-_ ".contains($0)) }
    }
}

/// Whether bodies are decoded, for all commands that send.
struct DecodingArguments: ParsableArguments {
    /// What is done with a body's `Content-Encoding`.
    enum Mode: String, CaseIterable, ExpressibleByArgument {
        case auto, none
    }

    @Option(
        help: ArgumentHelp(
            """
            auto asks for compressed bodies and decodes them; none asks for none, and gives the bytes \
            as they came, even if Content-Encoding names a coding.
            """,
            valueName: "auto|none"
        )
    )
    var decode: Mode?

    /// Whether bodies are decoded; nil if the user does not say.
    var decodesContent: Bool? { decode.map { $0 == .auto } }
}

/// A body, or a piece of one, on the command line: the text itself, `@FILE`, or `-` for standard input.
///
/// A file is sent from where it is, whatever its size. Data from a pipe or a device, whose length is not known
/// in advance, is held in memory, or on disk if it is long.
enum BodyArgument {
    /// Bytes in memory.
    case bytes([UInt8])
    /// The bytes of the file at this path.
    case file(path: String)

    /// The most bytes held in memory.
    private static let memoryLimit = 1 << 20
    /// The most bytes held at all, because a device or a pipe may have no end.
    private static let pipeLimit = 4 << 30
    private static let deviceLimit = 64 << 20
    /// The largest file that is joined with other pieces, because that happens in memory.
    private static let joiningLimit = 64 << 20

    /// Parses an argument, and opens the file that it names.
    init(_ argument: String) throws {
        if argument == "-" || argument == "@-" {
            self = try Self.contents(of: STDIN_FILENO, "standard input", path: nil)
        } else if argument.first == "@" {
            try self.init(file: String(argument.dropFirst()))
        } else {
            self = .bytes(Array(argument.utf8))
        }
    }

    /// Opens a file, a pipe or a device.
    init(file path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError("\(path): \(systemMessage(errno))") }
        defer { close(descriptor) }
        self = try Self.contents(of: descriptor, path, path: path)
    }

    /// The task that sends it as the whole body.
    func task(type: String) -> RequestTask {
        switch self {
        case .bytes(let bytes): .data(bytes, type: type)
        case .file(let path): .uploadFile(path: path, type: type)
        }
    }

    /// The bytes of several pieces, with a separator between them.
    static func joined(_ pieces: [BodyArgument], by sign: UInt8) throws -> [UInt8] {
        var joined: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { joined.append(sign) }
            switch piece {
            case .bytes(let bytes): joined += bytes
            case .file(let path):
                var status = stat()
                guard stat(path, &status) == 0, status.st_size <= joiningLimit else {
                    throw CommandError(
                        "\(path): it is larger than \(joiningLimit >> 20) MiB, too large to join "
                            + "with other data; a file that is the whole body has no limit"
                    )
                }
                joined += try FileBytes.read(path)
            }
        }
        return joined
    }

    /// The contents of a descriptor; `path` is a path to open it again, nil if there is none.
    private static func contents(
        of descriptor: Int32,
        _ name: String,
        path: String?
    ) throws -> BodyArgument {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandError("\(name): \(systemMessage(errno))")
        }
        let kind = status.st_mode & S_IFMT
        // A file that was partly read, or one in /proc, which has no size, is treated like a pipe.
        if kind == S_IFREG, status.st_size > 0, lseek(descriptor, 0, SEEK_CUR) == 0 {
            return .file(path: path ?? "/proc/self/fd/\(descriptor)")
        }
        var start: [UInt8] = []
        while start.count <= memoryLimit {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandError("\(name): \(systemMessage(errno))") }
            if count == 0 { return .bytes(start) }
            start += piece[..<count]
        }
        let isDevice = kind == S_IFCHR || kind == S_IFBLK
        let limit = isDevice ? deviceLimit : pipeLimit
        do {
            let file = try SpoolFile.reading(descriptor, named: name, after: start, limit: limit)
            return .file(path: try withoutName(file))
        } catch is SpoolFile.TooLarge {
            throw CommandError(
                "\(name): it is larger than \(limit >> 20) MiB; save it to a file, and use @FILE"
            )
        }
    }

    /// A path to a file that vanishes with the process, however that ends.
    private static func withoutName(_ file: BodyFile) throws -> String {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandError("\(file.path): \(systemMessage(errno))")
        }
        // The file's own name is removed with the last reference to `file`.
        return "/proc/self/fd/\(descriptor)"
    }
}
