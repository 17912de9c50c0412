import HTTPTypes

/// A request as a `curl` command for a POSIX shell.
///
/// Every word is quoted so that the shell changes nothing in it. Credentials are
/// masked unless they are asked for.
public struct CurlCommand: Sendable, CustomStringConvertible {
    /// The command, a line for each option.
    public let text: String

    /// Writes a request as a command.
    public init(_ request: PreparedRequest, showsSecrets: Bool = false) {
        let mask = showsSecrets ? CredentialMask.nothing : request.mask
        let request = mask.masking(request)
        let body = CurlBody(request, mask)
        let options =
            [Self.verb(request)] + Self.fields(request, body) + body.options
            + Self.transport(request.options, mask) + [Self.url(request)]
        let command = options.filter { !$0.isEmpty }.joined(separator: " \\\n  ")
        text = body.producer.map { "\($0) |\n" }.map { $0 + "curl \(command)" } ?? "curl \(command)"
    }

    /// The command.
    public var description: String { text }

    private static func verb(_ request: PreparedRequest) -> String {
        switch request.head.method {
        case .get where request.body == .none: ""
        case .head: "--head"
        case let method: "--request \(quoted(method.rawValue))"
        }
    }

    private static func fields(_ request: PreparedRequest, _ body: CurlBody) -> [String] {
        var options = request.head.headerFields.map { field in
            // A field with an empty value is written with a semicolon.
            let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            return "--header \(quoted(text))"
        }
        if body.isPresent, request.head.headerFields[.contentType] == nil {
            // Else curl would say that the body is a form.
            options.append("--header 'Content-Type:'")
        }
        return options
    }

    private static func transport(
        _ options: TransportOptions,
        _ mask: CredentialMask
    ) -> [String] {
        var words: [String] = []
        if options.decodesContent { words.append("--compressed") }
        if options.maximumRedirects > 0 {
            let following =
                options.sendsSecretsToOtherOrigins ? "--location-trusted" : "--location"
            words.append("\(following) --max-redirs \(options.maximumRedirects)")
        }
        if !options.verifiesTLS { words.append("--insecure") }
        if let file = options.certificateAuthorityFile { words.append("--cacert \(quoted(file))") }
        if let proxy = options.proxy { words.append("--proxy \(quoted(mask.masking(url: proxy)))") }
        switch options.requestedVersion {
        case .automatic: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        }
        return words
    }

    private static func url(_ request: PreparedRequest) -> String {
        // As it is: without ranges in brackets, and with dots in the path.
        "--globoff --path-as-is \(quoted(request.url))"
            + (request.destination.map { " --output \(quoted($0.path))" } ?? "")
    }

    /// A word that a shell takes as it is written.
    static func quoted(_ text: String) -> String {
        // Not characters: to a shell a quote with an accent upon it is a quote.
        let pieces = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'\(pieces.map { String(Substring($0)) }.joined(separator: #"'\''"#))'"
    }
}
