/// An error in words for people: what happened, what is known, what to do.
///
/// No word of it is a secret: URLs come with their passwords masked, and
/// details are those of the HTTP library, which never quotes a header or a body. What
/// could not be read is told with the few characters of the body where it went wrong.
public struct ErrorMessage: Sendable, Hashable, CustomStringConvertible {
    /// What happened, as a short sentence without its full stop.
    public var title: String
    /// What is known about it; empty if the title says all.
    public var detail: String
    /// What to do next; nil if nothing that the caller does helps.
    public var advice: String?

    /// Makes a message.
    public init(_ title: String, _ detail: String = "", advice: String? = nil) {
        self.title = title
        self.detail = detail
        self.advice = advice
    }

    /// All of it in a line.
    public var description: String {
        let text = detail.isEmpty ? title : "\(title): \(detail)"
        guard let advice else { return text }
        return text.hasSuffix(".") ? "\(text) \(advice)" : "\(text). \(advice)"
    }
}

extension ApusError: CustomStringConvertible {
    /// The number, the request and the message: what a log needs.
    public var description: String {
        let place = request.map { " (\($0))" } ?? ""
        return "[\(code)] \(message)\(place)"
    }

    /// What happened, in words, and what to do.
    public var message: ErrorMessage {
        switch reason {
        case .invalidRequest(let problem): problem.message
        case .tls(let failure, let host, let detail): failure.message(host: host, detail)
        case .connectionLost(let received, let expected, let detail, let phase):
            phase.message(received, of: expected, detail)
        case .timeout(let phase, let limit): phase.message(limit: limit)
        case .nameLookup, .connect, .proxy, .transport: connectionMessage
        case .protocolViolation, .brokenChunk, .headerTooLarge, .contentDecoding, .bodyTooLarge,
            .tooManyRedirects, .tooManyHeaderLines, .secretInRedirect, .redirectScheme:
            answerMessage
        case .hookFailed, .hookTimeout, .mapping, .envelope: readingMessage
        default: callMessage
        }
    }

    private var connectionMessage: ErrorMessage {
        switch reason {
        case .nameLookup(let host, let detail):
            ErrorMessage(
                "\(host) has no address",
                detail,
                advice: "Check the name, and whether this machine is online."
            )
        case .connect(let host, let port, let detail):
            ErrorMessage(
                "No connection to \(host)\(port.map { ":\($0)" } ?? "")",
                detail,
                advice: "Check that the server is running and that the port is right."
            )
        case .proxy(let detail):
            ErrorMessage(
                "The proxy did not let the request through",
                detail,
                advice: "Check the proxy's URL and credentials, or except this host from it."
            )
        case .transport(let number, let detail):
            ErrorMessage("The transfer failed", "\(detail) (libcurl \(number))")
        default: callMessage
        }
    }

    private var answerMessage: ErrorMessage {
        switch reason {
        case .protocolViolation(let detail):
            ErrorMessage(
                "The answer is not HTTP as it was agreed on",
                detail,
                advice: "Check the port, and whether it is http or https."
            )
        case .brokenChunk(let detail):
            ErrorMessage("The chunks of the body are broken", detail)
        case .headerTooLarge(let limit):
            ErrorMessage(
                "The header is longer than \(limit) bytes, or has no end",
                advice: "`maximumHeaderSize` of the transport's configuration can be larger."
            )
        case .tooManyHeaderLines(let limit):
            ErrorMessage(
                "The header has more than \(limit) lines, or no end",
                advice: "`maximumHeaderLines` of the transport's configuration can be larger."
            )
        case .secretInRedirect(let origin):
            ErrorMessage(
                "A redirect leads to \(origin), and the body holds a secret, or may",
                advice: """
                    Send the request there yourself, or set `sendsSecretsToOtherOrigins` if that \
                    origin may have it.
                    """
            )
        case .redirectScheme(let scheme):
            ErrorMessage(
                "A redirect leads to a “\(scheme)” URL, and is not followed",
                advice: "Only http and https are; see `Location` in the answer."
            )
        case .contentDecoding(let detail):
            ErrorMessage(
                "The body is not encoded as it says",
                detail,
                advice: "Switch `decodesContent` off to see the bytes as they came."
            )
        case .bodyTooLarge(let limit):
            ErrorMessage(
                "The body is larger than \(limit) bytes",
                advice: "Raise `maximumBodySize` to receive it."
            )
        case .tooManyRedirects(let limit):
            ErrorMessage(
                "More than \(limit) redirects",
                advice: "See `response.redirects`: the server may send in a circle."
            )
        default: callMessage
        }
    }

    private var callMessage: ErrorMessage {
        switch reason {
        case .cancelled: ErrorMessage("Cancelled")
        case .vetoed(let why):
            ErrorMessage("Not sent", why, advice: "A plugin refused the request.")
        case .bodyNotReplayable(let detail):
            ErrorMessage(
                "The body cannot be sent a second time",
                detail,
                advice: "Make the stream with `BodyStream(count:again:)`, or send a file."
            )
        case .authorization(let fault): fault.message
        case .bodySource(let detail): ErrorMessage("The request's body ended wrongly", detail)
        case .file(let path, let number):
            ErrorMessage(
                "\(path) cannot be used",
                FileErrorText.words(for: number),
                advice: FileErrorText.advice(for: number)
            )
        case .unacceptableStatus(let status):
            ErrorMessage(
                "Status \(status) is not accepted",
                advice: "The answer is attached; the target's `validation` says what is accepted."
            )
        case .cacheMiss:
            ErrorMessage(
                "The cache has no answer",
                advice: "Choose a data source that asks the server."
            )
        default: ErrorMessage("The request failed")
        }
    }

    private var readingMessage: ErrorMessage {
        switch reason {
        case .hookFailed(let plugin, let detail): ErrorMessage("\(plugin) failed", detail)
        case .hookTimeout(let plugin, let limit):
            ErrorMessage(
                "\(plugin) did not return within \(limit)",
                advice: "Its `hookLimit` can be longer."
            )
        case .mapping(let fault):
            ErrorMessage("The body is not what it was to be read as", fault.description)
        case .envelope(let code, let message):
            ErrorMessage(
                "The server refused\(code.map { " with code \($0)" } ?? "")",
                message ?? "",
                advice: "The answer is attached."
            )
        default: callMessage
        }
    }
}

extension ApusError.InvalidRequest {
    var message: ErrorMessage {
        let title = "The request cannot be made"
        return switch self {
        case .url(let text):
            ErrorMessage(
                title,
                "“\(CredentialMask().masking(url: text))” is not a URL with a host",
                advice: "Give an absolute URL, or a path and an environment with a base URL."
            )
        case .scheme(let scheme):
            ErrorMessage(
                title,
                "“\(scheme)” is not spoken here",
                advice: "URLs begin with http:// or https://."
            )
        case .encoding(let detail), .combination(let detail), .target(let detail):
            ErrorMessage(title, detail)
        case .unsupported(let feature):
            ErrorMessage(
                title,
                "libcurl on this machine has no \(feature)",
                advice: "Install a libcurl that was built with it, or do without."
            )
        }
    }
}

extension ApusError.TLSFailure {
    func message(host: String, _ detail: String) -> ErrorMessage {
        ErrorMessage(title(host: host), detail, advice: advice)
    }

    private func title(host: String) -> String {
        switch self {
        case .untrustedCertificate: "The certificate of \(host) is from an unknown authority"
        case .selfSignedCertificate: "The certificate of \(host) is signed by itself"
        case .expiredCertificate: "The certificate of \(host) has expired"
        case .notYetValidCertificate: "The certificate of \(host) is not valid yet"
        case .revokedCertificate: "The certificate of \(host) was withdrawn"
        case .otherHost: "The certificate is not for \(host)"
        case .pinMismatch: "The key of \(host) is not the pinned one"
        case .clientCertificate: "The client certificate or its key cannot be used"
        case .certificateAuthority: "The file of trusted certificates cannot be used"
        case .handshake: "No secure connection to \(host)"
        }
    }

    private var advice: String {
        switch self {
        case .untrustedCertificate, .selfSignedCertificate:
            "If it is the right server, name its authority in `certificateAuthorityFile`."
        case .expiredCertificate: "Its owner has to renew it; check this machine's clock too."
        case .notYetValidCertificate: "Check this machine's clock."
        case .revokedCertificate: "Do not trust this server before its owner has a new one."
        case .otherHost: "Check the host's name; an address needs a certificate of its own."
        case .pinMismatch: "Somebody may stand between, or the server has a new key."
        case .clientCertificate: "Check the files, their format and the password."
        case .certificateAuthority: "Check the file's path, and that it holds PEM."
        case .handshake: "Check that this port speaks TLS, and the TLS versions of both sides."
        }
    }
}

extension ApusError.ConnectionLoss {
    func message(_ received: Int, of expected: Int?, _ detail: String) -> ErrorMessage {
        ErrorMessage(title(received, of: expected), detail, advice: advice)
    }

    private func title(_ received: Int, of expected: Int?) -> String {
        switch self {
        case .inBody:
            expected.map { "The connection ended after \(received) of \($0) bytes" }
                ?? "The connection ended in the body, after \(received) bytes"
        case .beforeHeader: "The server closed the connection without a word"
        case .inHeader: "The connection ended in the header"
        case .reset: "The server reset the connection"
        case .sending: "The connection ended while the request was sent"
        case .streamReset: "The server ended the HTTP/2 stream with an error"
        case .http2Connection: "The server ended the HTTP/2 connection"
        }
    }

    private var advice: String? {
        switch self {
        case .inBody, .reset, .inHeader: "What had come is attached; send it again."
        case .beforeHeader, .sending: "Send it again, if that does no harm twice."
        case .streamReset, .http2Connection: "Send it again, or ask for HTTP/1.1."
        }
    }
}

extension ApusError.TimeoutPhase {
    func message(limit: Duration) -> ErrorMessage {
        switch self {
        case .connecting:
            ErrorMessage(
                "No connection within \(limit)",
                advice: "Check the address; `connectTimeout` can be longer."
            )
        case .waiting:
            ErrorMessage(
                "No answer within \(limit)",
                advice: "The server took the request and was silent; `timeout` can be longer."
            )
        case .receiving:
            ErrorMessage(
                "The answer was not whole within \(limit)",
                advice: "What had come is attached; `timeout` can be longer."
            )
        case .step:
            ErrorMessage(
                "The step was not done within \(limit)",
                advice: "The chain's `stepTimeout` can be longer."
            )
        }
    }
}
