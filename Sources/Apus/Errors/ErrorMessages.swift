import Documents
public import FoundationEssentials
import Secrets

/// An error in words for people: what happened, what is known, what to do.
///
/// It contains no secret: passwords in URLs are masked, and details come from the HTTP library, which never
/// quotes a header or a body. If a body could not be read, a few of its characters around the fault are
/// quoted.
public struct ErrorMessage: Sendable, Hashable, CustomStringConvertible {
    /// What happened, as a short sentence without a period.
    public var title: String
    /// What is known about it; empty if the title says everything.
    public var detail: String
    /// What to do next; nil if the caller can do nothing.
    public var advice: String?

    /// Creates a message.
    public init(_ title: String, _ detail: String = "", advice: String? = nil) {
        self.title = title
        self.detail = detail
        self.advice = advice
    }

    /// The message for who writes Swift: `` `key` (`name` in Swift)`` becomes `` `name` ``.
    var inSwift: ErrorMessage {
        ErrorMessage(title, Self.inSwift(detail), advice: advice.map(Self.inSwift))
    }

    /// The message for who writes a workspace, which has the keys before such names, and no names of Swift.
    var inWorkspace: ErrorMessage {
        ErrorMessage(title, Self.inWorkspace(detail), advice: advice.map(Self.inWorkspace))
    }

    /// Removes `` (`name` in Swift)``.
    private static func inWorkspace(_ text: String) -> String {
        replacing(text) { before, _ in
            String(before.last == " " ? before.dropLast() : before)
        }
    }

    /// Leaves the name in Swift alone: in place of the key before it, or else in the parentheses.
    private static func inSwift(_ text: String) -> String {
        replacing(text) { before, name in
            guard before.hasSuffix("` "), let key = before.dropLast(2).lastIndex(of: "`") else {
                return "\(before)(`\(name)`)"
            }
            return "\(before[..<key])`\(name)`"
        }
    }

    /// Replaces each `` (`name` in Swift)``, with what is before it since the last one.
    private static func replacing(
        _ text: String,
        _ replacement: (_ before: Substring, _ name: Substring) -> String
    ) -> String {
        guard let end = text.firstRange(of: "` in Swift)"),
            let start = text[..<end.lowerBound].ranges(of: "(`").last
        else { return text }
        return replacement(
            text[..<start.lowerBound],
            text[start.upperBound..<end.lowerBound]
        ) + replacing(String(text[end.upperBound...]), replacement)
    }

    /// The whole message in one line.
    public var description: String {
        let text = detail.isEmpty ? title : "\(title): \(detail)"
        guard let advice else { return text }
        return text.hasSuffix(".") ? "\(text) \(advice)" : "\(text). \(advice)"
    }
}

extension ApusError: CustomStringConvertible, LocalizedError {
    /// The number, the message and the request, as a log needs them.
    public var description: String {
        let place = request.map { " (\($0))" } ?? ""
        let index = batchIndex.map { ", index \($0) of the batch" } ?? ""
        return "[\(code)] \(message)\(place)\(index)"
    }

    /// What happened and what is known about it; also returned by `localizedDescription`.
    public var errorDescription: String? {
        ErrorMessage(message.title, message.detail).description
    }

    /// What is known about it; nil if `errorDescription` says no more than what happened.
    public var failureReason: String? { message.detail.isEmpty ? nil : message.detail }

    /// What to do next; nil if the caller can do nothing.
    public var recoverySuggestion: String? { message.advice }

    /// What happened, in words, and what to do; parts of the library have their names in Swift.
    public var message: ErrorMessage { catalogued.inSwift }

    /// The message for who writes a workspace: parts have the names of its keys.
    package var workspaceMessage: ErrorMessage { catalogued.inWorkspace }

    /// The message with both names, from which each reader's own is made: `` `maxBody` (`maximumBodySize` in Swift)``.
    private var catalogued: ErrorMessage {
        switch reason {
        case .invalidRequest(let problem): problem.message
        case .authorization(let fault): fault.message
        case .tls(let failure, let host, let detail): failure.message(host: host, detail)
        case .connectionLost(let received, let expected, let detail, let phase):
            phase.message(received, of: expected, detail)
        case .timeout(let phase, let limit): phase.message(limit: limit)
        case .cacheMiss(_, let reason):
            ErrorMessage(
                "The cache has no response",
                reason.text,
                advice: "Choose a source that asks the server."
            )
        case .vetoed, .hookFailed, .hookTimeout, .bodyNotReplayable, .bodySource, .cancelled:
            requestMessage
        case .nameLookup, .connect, .proxy, .transport, .recorded, .file: connectionMessage
        case .tooManyRedirects, .bodyInRedirect, .redirectScheme, .redirectLocation:
            redirectMessage
        case .protocolViolation, .brokenChunk, .headerTooLarge, .tooManyHeaderLines,
            .contentDecoding, .bodyTooLarge, .unacceptableStatus, .mapping, .envelope:
            responseMessage
        }
    }

    private var requestMessage: ErrorMessage {
        switch reason {
        case .vetoed(let why):
            ErrorMessage("Not sent", why)
        case .hookFailed(let plugin, let detail): ErrorMessage("\(plugin) failed", detail)
        case .hookTimeout(let plugin, let limit):
            ErrorMessage(
                "\(plugin) timed out after \(Readable.span(limit))",
                advice: "Raise its limit (`hookLimit` in Swift)."
            )
        case .bodyNotReplayable(let detail):
            ErrorMessage(
                "The body cannot be sent a second time",
                detail,
                advice: """
                    Send a file, or a stream that can begin again \
                    (`BodyStream(count:again:)` in Swift).
                    """
            )
        case .bodySource(let detail):
            ErrorMessage("The request's body could not be read to its end", detail)
        default: ErrorMessage("Cancelled")
        }
    }

    private var connectionMessage: ErrorMessage {
        switch reason {
        case .nameLookup(let host, let detail):
            ErrorMessage(
                "Could not resolve \(host)",
                detail,
                advice: "Check the name, and that this machine is online."
            )
        case .connect(let host, let port, let detail):
            ErrorMessage(
                "Could not connect to \(host)\(port.map { ":\($0)" } ?? "")",
                detail,
                advice: "Check that the server is running and that the port is right."
            )
        case .proxy(let detail, let proxy?): proxy.message(detail)
        case .proxy(let detail, nil):
            ErrorMessage(
                "The proxy did not let the request through",
                detail,
                advice: "Check the proxy's URL and credentials, or exclude this host from it."
            )
        case .file(let path, let number):
            ErrorMessage(
                "\(path) cannot be used",
                FileErrorText.words(for: number),
                advice: FileErrorText.advice(for: number)
            )
        case .transport(let number, let detail):
            ErrorMessage("The transfer failed", "\(detail) (libcurl \(number))")
        case .recorded(let number, let detail):
            ErrorMessage(
                number == 0
                    ? "The recording has no response" : "The request failed when it was recorded",
                number == 0 ? detail : "\(detail) (\(number))"
            )
        default: ErrorMessage("The request failed")
        }
    }

    private var redirectMessage: ErrorMessage {
        switch reason {
        case .tooManyRedirects(let limit):
            ErrorMessage(
                "More than \(limit) redirects",
                advice: "The server may be redirecting in a loop."
            )
        case .bodyInRedirect(let origin):
            ErrorMessage(
                "The redirect to \(origin) was not followed",
                "bodies are not sent to another origin",
                advice: """
                    Send the request there yourself, or set `trustRedirects` \
                    (`trustsRedirects` in Swift) if that origin may receive it.
                    """
            )
        case .redirectScheme(let scheme):
            ErrorMessage(
                "The redirect to a “\(scheme)” URL was not followed",
                advice: "Only http and https are followed."
            )
        case .redirectLocation(let place):
            ErrorMessage(
                "The redirect leads nowhere",
                "“\(CredentialMask().masking(url: place))” is not a URL with a host",
                advice: "The server must send a valid Location field."
            )
        default: ErrorMessage("The redirect failed")
        }
    }

    private var responseMessage: ErrorMessage {
        switch reason {
        case .protocolViolation(let detail):
            ErrorMessage(
                "The response is not valid HTTP",
                detail,
                advice: "Check the port, and whether it is http or https."
            )
        case .brokenChunk(let detail):
            ErrorMessage("The chunks of the body are malformed", detail)
        case .headerTooLarge(let limit):
            ErrorMessage(
                "The header is larger than \(Readable.bytes(limit))",
                advice: "Raise the limit (`maximumHeaderSize` in Swift)."
            )
        case .tooManyHeaderLines(let limit):
            ErrorMessage(
                "The header has more than \(Readable.count(limit)) lines",
                advice: "Raise the limit (`maximumHeaderLines` in Swift)."
            )
        case .contentDecoding(let detail):
            ErrorMessage(
                "The body cannot be decompressed",
                detail,
                advice: """
                    Turn off `decode` (`decodesContent` in Swift) to see the bytes as they were \
                    received.
                    """
            )
        case .bodyTooLarge(let limit):
            ErrorMessage(
                "The body is larger than \(Readable.bytes(limit))",
                advice: "Raise `maxBody` (`maximumBodySize` in Swift)."
            )
        case .unacceptableStatus(let status):
            ErrorMessage(
                "Status \(status) is not accepted",
                advice: """
                    The target's `validate` (`validation` in Swift) lists the accepted statuses.
                    """
            )
        case .mapping(let fault):
            mappingMessage(fault)
        case .envelope(let code, let message):
            ErrorMessage(
                "The server refused\(code.map { " with code \($0)" } ?? "")",
                message ?? ""
            )
        default: ErrorMessage("The response cannot be used")
        }
    }

    /// An error page rarely has the expected form, so the status matters more than the fault.
    private func mappingMessage(_ fault: MappingFault) -> ErrorMessage {
        let title = "The body cannot be read as expected"
        guard let status = response?.status, status >= 400 else {
            return ErrorMessage(title, fault.description)
        }
        return ErrorMessage(
            "The server answered \(HTTPStatus(status))",
            "its body cannot be read as expected: \(fault)",
            advice: """
                To treat such a status as an error, set the target's `validate` \
                (`validation` in Swift).
                """
        )
    }
}

extension ApusError.Reason {
    /// The reason in a word or two, at most 16 letters, for a title, a count or a narrow column.
    package var shortName: String {
        switch self {
        case .invalidRequest: "invalid request"
        case .vetoed: "not sent"
        case .hookFailed, .hookTimeout: "plugin failed"
        case .authorization: "authorization"
        case .cancelled: "cancelled"
        case .nameLookup: "unknown host"
        case .connect: "no connection"
        case .tls: "TLS failed"
        case .timeout: "timed out"
        case .proxy: "proxy failed"
        case .tooManyRedirects: "redirect loop"
        case .bodyInRedirect, .redirectScheme: "redirect refused"
        case .redirectLocation: "bad redirect"
        case .bodyTooLarge: "body too large"
        case .headerTooLarge, .tooManyHeaderLines: "header too large"
        case .connectionLost: "connection lost"
        case .protocolViolation, .brokenChunk: "invalid HTTP"
        case .bodyNotReplayable, .bodySource: "upload failed"
        case .contentDecoding: "bad encoding"
        case .file: "file error"
        case .transport: "transfer failed"
        case .recorded(let number, _): number == 0 ? "not recorded" : "failed"
        case .unacceptableStatus(let status): String(status)
        case .cacheMiss: "cache miss"
        case .mapping: "unreadable body"
        case .envelope: "refused"
        }
    }
}

extension ApusError.InvalidRequest {
    var message: ErrorMessage {
        let title = "The request is invalid"
        return switch self {
        case .url(let text):
            ErrorMessage(
                title,
                "“\(CredentialMask().masking(argument: text))” is not a URL with a host",
                advice: "Give an absolute URL, or check the base URL and the path."
            )
        case .host(let text, let detail):
            ErrorMessage(
                title,
                "the host of “\(CredentialMask().masking(argument: text))” cannot be used: \(detail)",
                advice: "Check the host's spelling."
            )
        case .scheme(let scheme):
            ErrorMessage(
                title,
                "the scheme “\(scheme)” is not supported",
                advice: "URLs begin with http:// or https://."
            )
        case .encoding(let detail), .combination(let detail), .target(let detail),
            .fields(let detail):
            ErrorMessage(title, detail)
        case .unsupported(let feature):
            ErrorMessage(
                title,
                "libcurl on this machine has no \(feature)",
                advice: "Install a libcurl that has it, or do without."
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
        case .selfSignedCertificate: "The certificate of \(host) is self-signed"
        case .expiredCertificate: "The certificate of \(host) has expired"
        case .notYetValidCertificate: "The certificate of \(host) is not valid yet"
        case .revokedCertificate: "The certificate of \(host) was revoked"
        case .otherHost: "The certificate is not for \(host)"
        case .pinMismatch: "The key of \(host) is not the pinned one"
        case .clientCertificate: "The client certificate or its key cannot be used"
        case .certificateAuthority: "The file of trusted certificates cannot be used"
        case .handshake: "The TLS handshake with \(host) failed"
        case .certificateRequired: "\(host) wants a client certificate"
        case .certificateRefused: "\(host) does not accept the client certificate"
        case .protocolVersion: "\(host) does not accept this version of TLS"
        case .endedAfterHandshake: "\(host) ended the connection right after the TLS handshake"
        }
    }

    private static let skipping = "Skip the check for this request: `verifyTLS: false`."

    private var advice: String {
        switch self {
        case .untrustedCertificate, .selfSignedCertificate:
            "Trust it: `caFile: cert.pem`. \(Self.skipping)"
        case .expiredCertificate:
            "Its owner has to renew it; check this machine's clock too. \(Self.skipping)"
        case .notYetValidCertificate: "Check this machine's clock. \(Self.skipping)"
        case .revokedCertificate: "Do not trust this server until its owner has replaced it."
        case .otherHost:
            "Check the host's name; an address needs a certificate of its own. \(Self.skipping)"
        case .pinMismatch:
            "The server may have a new key, or somebody is intercepting the connection."
        case .clientCertificate: "Check the files, their format and the password."
        case .certificateAuthority: "Check the file's path, and that it is PEM."
        case .handshake: "Check that this port speaks TLS, and the TLS versions of both sides."
        case .certificateRequired:
            "Give one: `clientCertificate`."
        case .certificateRefused:
            "Check that it is the right one, that it has not expired, and that the server knows its authority."
        case .protocolVersion: "Check the TLS versions of both sides."
        case .endedAfterHandshake:
            """
            So do servers that want a client certificate, or another one than they got: give it as \
            `clientCertificate`.
            """
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
            expected.map {
                "The connection ended after \(Readable.bytes(received)) of \(Readable.bytes($0))"
            } ?? "The connection ended in the body, after \(Readable.bytes(received))"
        case .beforeHeader: "The server closed the connection without a response"
        case .inHeader: "The connection ended in the header"
        case .reset: "The server reset the connection"
        case .sending: "The connection ended while the request was being sent"
        case .streamReset: "The server ended the HTTP/2 stream with an error"
        case .http2Connection: "The server ended the HTTP/2 connection"
        }
    }

    private var advice: String? {
        switch self {
        case .inBody, .reset, .inHeader: "What was received is kept."
        case .beforeHeader, .sending: "Try again if it is safe to send the request twice."
        case .streamReset, .http2Connection: "Try again, or use HTTP/1.1."
        }
    }
}

extension ApusError.TimeoutPhase {
    func message(limit: Duration) -> ErrorMessage {
        let time = Readable.span(limit)
        return switch self {
        case .lookingUp:
            ErrorMessage(
                "The lookup of the host's name timed out after \(time)",
                advice: "Check this machine's name server, or raise `connectTimeout`."
            )
        case .securing:
            ErrorMessage(
                "The TLS handshake timed out after \(time)",
                "the server took the connection, but did not answer the handshake",
                advice: "Check that this port speaks TLS, or raise `connectTimeout`."
            )
        case .connecting:
            ErrorMessage(
                "The connection timed out after \(time)",
                advice: "Check the address, or raise `connectTimeout` (now \(time))."
            )
        case .waiting:
            ErrorMessage(
                "Timed out after \(time)",
                "the server did not answer",
                advice: "Raise `timeout` (now \(time))."
            )
        case .receiving:
            ErrorMessage(
                "Timed out after \(time), before the response was complete",
                advice: "What was received is kept. Raise `timeout` (now \(time)) to wait longer."
            )
        case .step:
            ErrorMessage(
                "The step timed out after \(time)",
                advice: "Raise the step's limit (`stepTimeout` in Swift)."
            )
        }
    }
}
