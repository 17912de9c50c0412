import Documents
import HTTPTypes
import Secrets

/// A request as a `curl` command for a POSIX shell.
///
/// Every word is quoted so that the shell leaves it unchanged. Credentials are masked unless they are asked
/// for.
public struct CurlCommand: Sendable, CustomStringConvertible {
    /// The command, with one line for each option.
    public let text: String

    /// Creates the command for a request.
    public init(_ request: PreparedRequest, showsSecrets: Bool = false) {
        self.init(request, showsSecrets ? .nothing : request.mask)
    }

    /// Creates a command that runs as it stands: a secret that is the value of a variable of the environment is
    /// that variable, and a word stands for any other.
    public init(_ request: PreparedRequest, environment: [String: String]) {
        let secrets = CurlSecrets(environment)
        let command = CurlCommand(request, request.mask.naming(secrets), secrets)
        text = CurlSecrets.wording(command.text)
        hasWords = text != command.text || text.contains(CurlSecrets.word)
    }

    /// Whether a word stands for a secret.
    package private(set) var hasWords = false

    /// The command with all secrets.
    static func whole(_ request: PreparedRequest) -> String { CurlCommand(request, .nothing).text }

    private init(
        _ request: PreparedRequest,
        _ mask: CredentialMask,
        _ secrets: CurlSecrets? = nil
    ) {
        var request = mask.masking(request)
        if let secrets, case .bytes(let bytes) = request.body,
            let body = String(validating: bytes, as: UTF8.self)
        {
            request.body = .bytes(Array(secrets.escapable(body).utf8))
        }
        let url = secrets?.escapable(request.url) ?? request.url
        let body = CurlBody(request, mask)
        let options =
            [Self.verb(request)] + Self.fields(request, body) + body.options
            + Self.transport(request.options, mask) + [Self.url(url, request.destination)]
        let command = options.filter { !$0.isEmpty }.joined(separator: " \\\n  ")
        text = body.producer.map { "\($0) |\n" }.map { $0 + "curl \(command)" } ?? "curl \(command)"
    }

    /// The command as a shell reads it, a line for each option.
    public var description: String { text }

    private static func verb(_ request: PreparedRequest) -> String {
        switch request.head.method {
        case .get where request.body == .none: ""
        case .head: "--head"
        case let method: "--request \(quoted(method.rawValue))"
        }
    }

    private static func fields(_ request: PreparedRequest, _ body: CurlBody) -> [String] {
        // Cookies are separate fields here but one on the wire (RFC 6265, section 5.4).
        let fields = request.head.headerFields
        let cookies = fields[.cookie].map { [HTTPField(name: .cookie, value: $0)] } ?? []
        let options = (fields.filter { $0.name != .cookie } + cookies).map { field in
            // curl expects a semicolon after a field name without a value.
            let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            return "--header \(quoted(text))"
        }
        var omitted = request.options.omittedFields.filter { fields[$0] == nil }
        // Otherwise curl would declare the body as a form.
        if body.isPresent, fields[.contentType] == nil { omitted.insert(.contentType) }
        let names = omitted.sorted { $0.canonicalName < $1.canonicalName }
        return options + names.map { "--header \(quoted("\($0.rawName):"))" }
    }

    private static func transport(
        _ options: TransportOptions,
        _ mask: CredentialMask
    ) -> [String] {
        var words: [String] = []
        if options.decodesContent { words.append("--compressed") }
        if options.maximumRedirects > 0 {
            let following =
                options.trustsRedirects ? "--location-trusted" : "--location"
            // Only a limit that somebody chose is worth an option.
            let isChosen = options.maximumRedirects != TransportOptions().maximumRedirects
            let limit = isChosen ? " --max-redirs \(options.maximumRedirects)" : ""
            words.append("\(following)\(limit)")
        }
        if !options.verifiesTLS { words.append("--insecure") }
        if let file = options.certificateAuthorityFile { words.append("--cacert \(quoted(file))") }
        if let certificate = options.clientCertificate {
            words.append(contentsOf: Self.words(certificate))
        }
        if let credentials = options.credentials {
            let scheme = credentials.scheme == .any ? "anyauth" : credentials.scheme.rawValue
            // Masked here, because a short password is not searched for in texts.
            let secret = credentials.password.value
            let password = mask.isOn ? mask.name(of: secret) : secret
            words.append("--\(scheme) --user \(quoted("\(credentials.user):\(password)"))")
        }
        if let path = options.unixSocket { words.append("--unix-socket \(quoted(path))") }
        if let proxy = options.proxy { words.append("--proxy \(quoted(mask.masking(url: proxy)))") }
        switch options.requestedVersion {
        case .automatic: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        }
        return words
    }

    /// The certificate's options without the password, which curl asks for.
    private static func words(_ certificate: ClientCertificate) -> [String] {
        // curl takes what follows a colon for the password.
        let file = certificate.file.unicodeScalars.reduce(into: "") { file, scalar in
            file += scalar == ":" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
        var words = ["--cert \(quoted(file))"]
        if certificate.format == .pkcs12 { words.append("--cert-type P12") }
        if let key = certificate.keyFile { words.append("--key \(quoted(key))") }
        return words
    }

    private static func url(_ url: String, _ destination: DownloadDestination?) -> String {
        // Prevents curl from expanding brackets, and from removing dots in the path.
        let hasBrackets = url.utf8.contains { "[]{}".utf8.contains($0) }
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
        // `%2e` is a dot too (RFC 3986, section 6.2.2.2).
        let hasDots = path.contains { segment in
            [".", ".."].contains(segment.asciiLowercased.replacing("%2e", with: "."))
        }
        return (hasBrackets ? "--globoff " : "") + (hasDots ? "--path-as-is " : "")
            + quoted(url) + (destination.map { " --output \(quoted($0.path))" } ?? "")
    }

    /// A word that a shell leaves unchanged.
    ///
    /// Control characters are printed by a command, because a terminal would act on them when the word is
    /// pasted.
    package static func quoted(_ text: String) -> String {
        let pieces = CurlSecrets.pieces(of: text)
        guard pieces.count > 1 || pieces.first?.isVariable == true else { return literal(text) }
        return pieces.map { $0.isVariable ? "\"$\($0.text)\"" : literal($0.text) }.joined()
    }

    private static func literal(_ text: String) -> String {
        if let producer = CurlBody.printing(unlessPlain: text) { return "\"$(\(producer))\"" }
        // Bytes, not characters, because a shell sees a quote even under a combining accent.
        let pieces = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'\(pieces.map { String(Substring($0)) }.joined(separator: #"'\''"#))'"
    }
}

/// A request's body as options of `curl`.
package struct CurlBody {
    let options: [String]
    /// A command that writes the body, if no word can hold it.
    let producer: String?
    var isPresent: Bool { !options.isEmpty }

    init(_ request: PreparedRequest, _ mask: CredentialMask) {
        switch request.body {
        case .none: (options, producer) = ([], nil)
        case .bytes(let bytes):
            if let text = Self.text(bytes) {
                // Raw, because a text that begins with @ would be a file name.
                (options, producer) = (["--data-raw \(CurlCommand.quoted(text))"], nil)
            } else {
                (options, producer) = (["--data-binary @-"], Self.printing(bytes))
            }
        case .file(let path):
            (options, producer) = (
                ["--data-binary \(CurlCommand.quoted("@\(mask.masking(text: path))"))"], nil
            )
        case .multipart(let form):
            let commands = form.pieces().map { Self.printing($0, mask) }
            (options, producer) = (["--data-binary @-"], "{ \(commands.joined(separator: "; ")); }")
        case .stream(let stream):
            (options, producer) = (["--data-binary @-"], Self.printing(.stream(stream), mask))
        }
    }

    private static func printing(_ piece: BodyPiece, _ mask: CredentialMask) -> String {
        switch piece {
        case .bytes(let bytes): printing(mask.masking(bytes))
        case .file(let path): "cat \(CurlCommand.quoted(mask.masking(text: path)))"
        case .stream(let stream): printing(Array(stream.remark.utf8))
        }
    }

    /// A command that prints a text that cannot be a word; nil if it can.
    fileprivate static func printing(unlessPlain text: String) -> String? {
        let bytes = Array(text.utf8)
        return self.text(bytes) == nil ? printing(bytes) : nil
    }

    private static func printing(_ bytes: [UInt8]) -> String {
        if let text = text(bytes) { return "printf '%s' \(CurlCommand.quoted(text))" }
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "printf '\(octal.joined())'"
    }

    /// The bytes as a word of a shell; nil if they cannot be one.
    ///
    /// Control bytes are excluded because a terminal would act on them, such as on ctrl-c.
    package static func text(_ bytes: [UInt8]) -> String? {
        let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x09 }
        return isPlain ? String(validating: bytes, as: UTF8.self) : nil
    }
}
